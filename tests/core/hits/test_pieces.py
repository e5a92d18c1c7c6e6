"""Pieces of whole lines: none is lost, each begins where a line does, from either end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.hits import pieces

DATA = st.lists(st.sampled_from([b"a", b"\n", b"abcdefg\n", b"xy"]), max_size=40).map(b"".join)


class Bytes:
    """A text without holes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, start: int, end: int) -> bytes:
        return self._data[start:end]

    def data_from(self, offset: int) -> int:
        return offset


@given(data=DATA, size=st.integers(1, 30))
def test_pieces_are_whole_lines_and_meet(data: bytes, size: int) -> None:
    text = Bytes(data)
    ahead = list(pieces.forward(text, 0, len(data), size))
    back = list(pieces.backward(text, 0, len(data), size))[::-1]
    for cut in (ahead, back):
        assert b"".join(data[start:end] for start, end in cut) == data
        assert all(start == 0 or data[start - 1 : start] == b"\n" for start, _ in cut)


@given(data=DATA, at=st.integers(0, 200))
def test_the_edges_of_a_line(data: bytes, at: int) -> None:
    text, at = Bytes(data), min(at, len(data))
    assert pieces.line_of(text, at) == data.rfind(b"\n", 0, at) + 1
    newline = data.find(b"\n", at)
    assert pieces.line_end(text, at, len(data)) == (len(data) if newline < 0 else newline)


@pytest.mark.parametrize("size", [4_095, 4_096, 4_097, 300_000])
def test_long_lines(size: int) -> None:
    text = Bytes(b"first\n" + b"x" * size + b"\nlast")
    assert pieces.line_of(text, 6 + size) == pieces.line_of(text, 6) == 6
    assert pieces.line_of(text, 5) == 0
    assert pieces.line_end(text, 6, size + 11) == 6 + size
    assert pieces.line_of(Bytes(b"x" * size), size) == 0
