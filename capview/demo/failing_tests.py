"""Three tests of which one fails, run by unittest: the demo's failed job."""

from __future__ import annotations

import json
import unittest


class Settings(unittest.TestCase):
    """What a settings file may say."""

    def test_reads_numbers(self) -> None:
        assert json.loads('{"jobs": 8}')["jobs"] == 8

    def test_reads_lists(self) -> None:
        assert json.loads("[1, 2]") == [1, 2]

    def test_allows_comments(self) -> None:
        assert json.loads('{"jobs": 8} // as many as cores') == {"jobs": 8}


if __name__ == "__main__":
    unittest.main(verbosity=2)
