"""Names that reach a receipt as they are, and those that are masked first."""

from __future__ import annotations

import pytest

from capture_core.names import tells_no_secret


@pytest.mark.parametrize("name", ["work", "conversation", "my-project-0a1b2c3d", "x.y_z-00000000", "root-ffffffff"])
def test_plain_names_and_those_of_working_directories_are_not_masked(name: str) -> None:
    assert tells_no_secret(name)


@pytest.mark.parametrize(
    "name", ["", "xoxb-0123456789", "AKIAIOSFODNN7EXAMPLE", "a" * 20, "a=b", "a-0a1b2c3", "caf\udce9"]
)
def test_other_names_are(name: str) -> None:
    assert not tells_no_secret(name)
