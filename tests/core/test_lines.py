"""Lines found in bounded blocks are those that splitting the whole gives, at any block size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capture_core import lines
from capture_core.limits.reading import LINE_BLOCK_BYTES
from capture_core.lines import after_lines, around, before_lines, text_edges

if TYPE_CHECKING:
    from collections.abc import Callable

texts = st.text(alphabet="ab\n\r é€😀", max_size=60).map(str.encode)
blocks = st.integers(min_value=1, max_value=70)


def reading(data: bytes) -> Callable[[int, int], bytes]:
    """Gives exactly the bytes asked for, and no range that a stream does not have."""

    def read(start: int, end: int) -> bytes:
        assert 0 <= start <= end <= len(data)
        return data[start:end]

    return read


@given(texts, st.integers(min_value=0, max_value=20), blocks)
def test_head_and_tail(data: bytes, count: int, block: int) -> None:
    whole = data.split(b"\n")
    whole = [line + b"\n" for line in whole[:-1]] + ([whole[-1]] if whole[-1] else [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "LINE_BLOCK_BYTES", block)
        read = reading(data)
        assert data[: after_lines(read, 0, len(data), count)] == b"".join(whole[:count])
        assert data[before_lines(read, 0, len(data), count) :] == b"".join(whole[max(0, len(whole) - count) :])


@given(texts, st.integers(min_value=0, max_value=80), st.integers(min_value=1, max_value=40))
def test_around_an_offset(data: bytes, offset: int, size: int) -> None:
    low, high = around(reading(data), len(data), offset, size)
    assert 0 <= low <= min(offset, len(data)) <= high <= len(data)
    assert high - low <= size


def test_around_shows_whole_lines() -> None:
    data = b"".join(b"line %d\n" % n for n in range(100))
    low, high = around(reading(data), len(data), data.index(b"line 50"), 40)
    assert data[low:high].startswith(b"line 4")
    assert data[low:high].endswith(b"\n")
    assert b"line 50\n" in data[low:high]


@given(st.text(max_size=20), st.integers(min_value=1, max_value=6))
def test_text_read_in_pieces_of_any_size_is_whole_and_goes_on(text: str, size: int) -> None:
    data = text.encode("utf-8", "ignore")
    read, position, pieces = reading(data), 0, []
    while position < len(data):
        low, high = text_edges(read, len(data), position, min(position + size, len(data)))
        assert low == position
        assert high > position, "no progress"
        pieces.append(data[low:high].decode())
        position = high
    assert "".join(pieces) == data.decode()


@example(b"\xe0\x80\xc2\x80", 1)
@given(st.binary(max_size=20), st.integers(min_value=1, max_value=6))
def test_what_is_not_text_is_read_whole_too(data: bytes, size: int) -> None:
    read, position, pieces = reading(data), 0, []
    while position < len(data):
        low, high = text_edges(read, len(data), position, min(position + size, len(data)))
        assert low == position < high
        pieces.append(data[low:high])
        position = high
    assert b"".join(pieces) == data


def test_one_line_larger_than_any_block() -> None:
    data = b"x" * (3 * LINE_BLOCK_BYTES) + b"\nend"
    read = reading(data)
    assert after_lines(read, 0, len(data), 1) == len(data) - 3
    assert before_lines(read, 0, len(data), 1) == len(data) - 3
    assert before_lines(read, 0, len(data), 2) == 0
