"""Line numbers from sparse counts are those of a naive count: at any cut, any block size, and with few counts kept."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.line_index import Block, LineIndex

texts = st.lists(st.sampled_from([b"\n", b"a", b"bcd", b"\0\xff", b"\r\n"]), max_size=60).map(b"".join)


def fed(data: bytes, cuts: list[int], index: LineIndex) -> LineIndex:
    at = 0
    while at < len(data):
        size = cuts[at % len(cuts)]
        index.feed(data[at : at + size])
        at += size
    return index


def blocks(data: bytes, stride: int) -> list[Block]:
    return [
        Block(at, min(at + stride, len(data)), data[:at].count(b"\n"), data[at : at + stride].count(b"\n"))
        for at in range(0, len(data), stride)
    ]


@given(texts, st.lists(st.integers(1, 40), min_size=1), st.integers(1, 20), st.integers(2, 9))
def test_counts_are_those_of_a_naive_count_however_the_text_is_cut(
    data: bytes, cuts: list[int], block: int, most: int
) -> None:
    index = fed(data, cuts, LineIndex(block, most=most))
    assert (index.counted, index.newlines) == (len(data), data.count(b"\n"))
    assert index.lines == len(data.splitlines()) if b"\r" not in data else True
    assert len(index.counts) <= most
    expected = blocks(data, index.stride)
    assert [index.block_at(offset) for offset in range(len(data))] == [
        expected[offset // index.stride] for offset in range(len(data))
    ]
    for offset in range(len(data) + 1):
        known = index.before(offset)
        assert known is not None
        assert known[1] + data[known[0] : offset].count(b"\n") == data[:offset].count(b"\n")
    assert index.before(len(data) + 1) is None


@given(texts, st.integers(1, 20), st.integers(2, 9))
def test_a_line_begins_in_the_block_that_holds_the_newline_before_it(data: bytes, block: int, most: int) -> None:
    index = fed(data, [7], LineIndex(block, most=most))
    newlines = [offset for offset, byte in enumerate(data) if byte == 10]
    for line, newline in enumerate(newlines, start=2):
        found = index.block_of(line)
        assert found is not None
        assert found.start <= newline < found.end
        assert found.before < line - 1 <= found.before + found.newlines
    assert index.block_of(1) is None
    assert index.block_of(len(newlines) + 2) is None


@given(
    st.lists(st.one_of(texts, st.integers(1, 200)), max_size=8),
    st.integers(1, 20),
    st.integers(2, 9),
)
def test_a_hole_counts_as_the_zeros_that_it_reads_as(parts: list[bytes | int], block: int, most: int) -> None:
    index, read = LineIndex(block, most=most), LineIndex(block, most=most)
    for part in parts:
        if isinstance(part, int):
            index.skip(index.counted + part)
            read.feed(bytes(part))
        else:
            index.feed(part)
            read.feed(part)
    assert (index.counted, index.lines, index.stride) == (read.counted, read.lines, read.stride)
    assert index.counts == read.counts


def test_lines_that_have_not_ended_count() -> None:
    index = LineIndex()
    assert index.lines == 0
    index.feed(b"one\ntwo")
    assert index.lines == 2
    index.feed(b"\n")
    assert index.lines == 2
    index.feed(b"")
    assert (index.lines, index.is_open) == (2, False)


@pytest.mark.parametrize("block", [b"x\n" * 32 * 1024, b"x" * 60 + b"\n" + b"x" * 65_475, b"x" * 65_536])
def test_dense_and_rare_newlines_are_counted_alike_whatever_came_before(block: bytes) -> None:
    for before in (b"\n" * 65_536, b"x" * 65_536):
        index = LineIndex()
        index.feed(before)
        index.feed(bytearray(block))
        assert index.newlines == before.count(b"\n") + block.count(b"\n")


def test_a_reader_beside_a_counting_thread_sees_one_moment() -> None:
    """A block that was not whole yet was told with the newlines of all of it, once more counts had been added."""
    index = LineIndex(4)
    index.feed(b"\n\n")
    seen = index._seen
    index.feed(b"\n\n\n\n")
    assert index._block(seen, 0) == Block(0, 2, 0, 2)


def test_memory_is_less_than_a_byte_a_line_and_bounded_for_a_petabyte() -> None:
    index = LineIndex()
    index.feed(b"a line of a build log, as they are\n" * 30_000)
    assert len(index.counts) * index.counts.itemsize < index.lines / 50
    index.skip(1 << 50)
    assert len(index.counts) * index.counts.itemsize <= 8 << 20
    assert index.block_at(1 << 49) is not None


def test_an_index_goes_on_where_it_was_restored() -> None:
    data = b"one\ntwo\nthree\nfour\n"
    index = LineIndex.restored(stride=4, before=array("Q", [0, 1, 2]), end=9, newlines=2, is_open=True)
    index.feed(data[9:])
    assert index.counts == fed(data, [3], LineIndex(4)).counts
    assert (index.lines, index.counted) == (4, len(data))
