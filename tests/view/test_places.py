"""Places as people type them."""

from __future__ import annotations

import pytest

from capview.tui.places import BadPlace, Place, parse_place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("120", Place("line", 120)),
        (" 1,200 ", Place("line", 1200)),
        ("50%", Place("percent", 50)),
        ("300%", Place("percent", 100)),
        ("@4096", Place("byte", 4096)),
        ("@10737418240", Place("byte", 10 * 1024**3)),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["", "x", "-1", "@50%", "1.5", "[red]", "٣", "9" * 30])
def test_what_is_no_place_says_what_is(text: str) -> None:
    with pytest.raises(BadPlace, match="Type a line"):
        parse_place(text)
