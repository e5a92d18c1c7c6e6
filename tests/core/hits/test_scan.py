"""Lines found in blocks: whole, byte by byte, at random cuts; one answer, whichever lines are wanted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core.find.matcher import Wanted, compile_wanted
from capture_core.hits.scan import Line, LineScan
from tests.cuts import places, three_ways

DATA = st.lists(st.sampled_from([b"a", b"b", b"\n", b"ab\n", b"xy", b"\n\n"]), max_size=40).map(b"".join)
PATTERNS = ["ab", "a", "b$", "^a", "x.*b", "bb+", "^$"]


def scanned(pieces: list[bytes], pattern: str, *, invert: bool, offset: int) -> list[Line]:
    scan = LineScan(compile_wanted(Wanted(pattern)), offset, invert=invert)
    found: list[Line] = []
    for piece in pieces:
        # What a block held before stands behind its end.
        found += scan.feed(bytearray(piece + b"ab\nab"), len(piece))
    last = scan.finish()
    return found if last is None else [*found, last]


def counted(pieces: list[bytes], pattern: str, *, invert: bool) -> int:
    scan = LineScan(compile_wanted(Wanted(pattern)), invert=invert)
    found = sum(scan.count(bytearray(piece + b"ab\nab"), len(piece)) for piece in pieces)
    return found + (scan.finish() is not None)


def expected(data: bytes, pattern: str, *, invert: bool, offset: int) -> list[tuple[int, int]]:
    found = []
    for line in data.splitlines(keepends=True):
        end = offset + len(line.removesuffix(b"\n"))
        if (re.search(pattern.encode(), line.removesuffix(b"\n")) is None) is invert:
            found.append((offset, end))
        offset += len(line)
    return found


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=30)
@given(data=DATA, at=places, offset=st.sampled_from([0, 1000]))
def test_three_ways(pattern: str, invert: bool, data: bytes, at: list[int], offset: int) -> None:  # noqa: FBT001
    wanted = expected(data, pattern, invert=invert, offset=offset)
    for pieces in three_ways(data, at):
        lines = scanned(pieces, pattern, invert=invert, offset=offset)
        assert [(line.start, line.end) for line in lines] == wanted
        assert counted(pieces, pattern, invert=invert) == len(wanted)


@given(data=DATA, at=places)
def test_where_a_match_ends_is_within_its_line(data: bytes, at: list[int]) -> None:
    for pieces in three_ways(data, at):
        for line in scanned(pieces, "ab", invert=False, offset=0):
            assert data[: line.match_end].endswith(b"ab")
            assert line.start <= line.match_end <= line.end


def test_behind_the_last_newline_there_is_no_line() -> None:
    assert scanned([b"a\n"], "^$", invert=False, offset=0) == []
    assert [line[:2] for line in scanned([b"a\n\n"], "^$", invert=False, offset=0)] == [(2, 2)]


def test_what_is_skipped_moves_everything_behind_it() -> None:
    scan = LineScan(compile_wanted(Wanted("needle", fixed=True)))
    assert list(scan.feed(bytearray(b"x\nzero: "), 8)) == []
    scan.skip(1_000)
    assert list(scan.feed(bytearray(b"\0needle\nneedle"), 14)) == [Line(2, 1_015, 1_015)]
    assert scan.finish() == Line(1_016, 1_022, 1_022)
