"""Finding in blocks: whole, byte by byte and at random cuts; and the compact list of places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from capview.pager.find import Finder, Places

if TYPE_CHECKING:
    import pytest

NEEDLES = st.sampled_from(["a", "aa", "aba", "ab\r", "é", "ée", "ß", "[x", "a.b", "A", "Éa"])
PIECES = ["a", "b", "A", "é", "É", "ß", "[", "x", ".", "\n", "\r"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join).map(str.encode)


def found_in(data: bytes, needle: str, cuts: list[int]) -> list[tuple[int, int]]:
    finder, found, start = Finder(needle, 100), [], 0
    for cut in [*sorted(cuts), len(data)]:
        found += finder.feed(data[start:cut])
        start = cut
    return [(first - 100, last - 100) for first, last in found]


@given(TEXTS, NEEDLES, st.data())
def test_matches_do_not_depend_on_how_the_bytes_are_cut(data: bytes, needle: str, draw: st.DataObject) -> None:
    flags = re.IGNORECASE if needle == needle.lower() else 0
    text = data.decode()
    expected = [
        (len(text[: m.start()].encode()), len(text[: m.end()].encode()))
        for m in re.finditer(re.escape(needle), text, flags)
    ]
    cuts = draw.draw(st.lists(st.integers(0, len(data)), max_size=8))
    assert found_in(data, needle, []) == expected
    assert found_in(data, needle, list(range(len(data)))) == expected
    assert found_in(data, needle, cuts) == expected


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 5)), max_size=12), st.integers(0, 90), st.integers(0, 90))
def test_places(steps: list[tuple[int, int]], one: int, other: int) -> None:
    at, ranges = 0, []
    for gap, size in steps:
        ranges.append((at + gap, at + gap + size))
        at += gap + size
    places = Places()
    places.add(ranges[:3])
    places.add(ranges[3:])
    start, end = sorted((one, other))
    assert [places[i] for i in range(len(places))] == ranges
    assert places.between(start, end) == [r for r in ranges if r[0] < end and r[1] > start]
    assert places.first_from(start) == sum(r[0] < start for r in ranges)


def test_more_matches_than_are_kept_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capview.pager.find.VIEW_MATCHES", 3)
    places = Places()
    places.add([(n, n + 1) for n in range(2)])
    places.add([(n, n + 1) for n in range(2, 9)])
    assert (len(places), places.count) == (3, 9)
