"""Lines of a stream found in bounded blocks, from either end, whatever the stream's or a line's length.

A line ends with its newline; the last one may lack it.  Everything takes ``read(start, end)``, which gives
exactly the bytes of that range, so that a file, a remote stream and a test's bytes are the same here.  Where holes of
a file can be told, they are stepped over: ``data_from(offset)`` is the first offset from there on that may hold
anything but zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from capture_core.cursor import CODE_POINT_BYTES, ceil_edge, floor_edge
from capture_core.limits.reading import LINE_BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    Read: TypeAlias = Callable[[int, int], bytes]
    DataFrom: TypeAlias = Callable[[int], int]


def no_holes(offset: int) -> int:
    """Where nothing is known of holes."""
    return offset


def after_lines(read: Read, start: int, end: int, count: int, *, data_from: DataFrom = no_holes) -> int:
    """The offset behind the ``count``-th line of ``start:end``, or ``end`` when there are fewer."""
    position = start
    while count > 0 and (position := data_from(position)) < end:
        block = read(position, min(position + LINE_BLOCK_BYTES, end))
        if not block:
            break
        found = block.count(b"\n")
        if found >= count:
            return position + _nth(block, count)
        count -= found
        position += len(block)
    return end if count > 0 else position


def before_lines(read: Read, start: int, end: int, count: int, *, data_from: DataFrom = no_holes) -> int:
    """The offset where the last ``count`` lines of ``start:end`` begin, or ``start`` if there are fewer."""
    if count <= 0 or start >= end:
        return end
    # The newline that ends the last line does not begin another one.
    position = end - 1 if read(end - 1, end) == b"\n" else end
    while (position := _data_before(position, start, data_from)) > start:
        low = max(start, position - LINE_BLOCK_BYTES)
        block = read(low, position)
        found = block.count(b"\n")
        if found >= count:
            return low + _nth_back(block, count) + 1
        count -= found
        position = low
    return start


def count_newlines(read: Read, start: int, end: int, *, data_from: DataFrom = no_holes) -> int:
    """The newlines of ``start:end``."""
    found, position = 0, start
    while (position := data_from(position)) < end:
        block = read(position, min(position + LINE_BLOCK_BYTES, end))
        if not block:
            break
        found += block.count(b"\n")
        position += len(block)
    return found


def around(read: Read, end: int, offset: int, size: int) -> tuple[int, int]:
    """At most ``size`` bytes with ``offset`` near their middle, shrunk to whole lines if they hold some."""
    offset = max(0, min(offset, end))
    low = max(0, min(offset - size // 2, end - size))
    high = min(end, low + size)
    if low > 0 and (after := _after_newline(read, low, offset)) is not None:
        low = after
    if high < end and (after := _after_last_newline(read, offset, high)) is not None:
        high = after
    return low, high


def text_edges(read: Read, end: int, start: int, stop: int) -> tuple[int, int]:
    """``start:stop`` with both edges moved back to where a code point begins: adjacent ranges still meet.

    Never empty when ``start < stop``: a range inside one code point gives that code point.
    """
    low, high = _edge(read, end, start), _edge(read, end, stop)
    if low >= high and start < stop:
        high = _edge_after(read, end, low + 1)
    return low, high


def _edge(read: Read, end: int, at: int) -> int:
    low = max(0, at - CODE_POINT_BYTES)
    return low + floor_edge(read(low, min(at + 1, end)), at - low)


def _edge_after(read: Read, end: int, at: int) -> int:
    low = max(0, at - CODE_POINT_BYTES)
    return low + ceil_edge(read(low, min(at + CODE_POINT_BYTES, end)), at - low)


def _after_newline(read: Read, start: int, end: int) -> int | None:
    """The offset behind the first newline of ``start:end``."""
    while start < end:
        block = read(start, min(start + LINE_BLOCK_BYTES, end))
        if (newline := block.find(b"\n")) >= 0:
            return start + newline + 1
        start += len(block)
    return None


def _after_last_newline(read: Read, start: int, end: int) -> int | None:
    """The offset behind the last newline of ``start:end``."""
    while start < end:
        low = max(start, end - LINE_BLOCK_BYTES)
        if (newline := read(low, end).rfind(b"\n")) >= 0:
            return low + newline + 1
        end = low
    return None


def _data_before(end: int, start: int, data_from: DataFrom) -> int:
    """Where the hole begins that ends at ``end``, not before ``start``, or near that; ``end``: there is none.

    Files can be asked for the next data only, so the steps back double.
    """
    step = LINE_BLOCK_BYTES
    while end > start and data_from(low := max(start, end - step)) >= end:
        end, step = low, step * 2
    return end


def _nth(block: bytes, count: int) -> int:
    """The index behind the ``count``-th newline."""
    at = 0
    for _ in range(count):
        at = block.index(b"\n", at) + 1
    return at


def _nth_back(block: bytes, count: int) -> int:
    """The index of the ``count``-th newline from the end."""
    at = len(block)
    for _ in range(count):
        at = block.rindex(b"\n", 0, at)
    return at
