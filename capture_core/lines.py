"""Lines of a stream found in bounded blocks, from either end, whatever the stream's or a line's length.

A line ends with its newline; the last one may lack it.  Everything takes ``read(start, end)``, which gives
exactly the bytes of that range, so that a file, a remote stream and a test's bytes are the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from capture_core.cursor import CODE_POINT_BYTES, ceil_edge, floor_edge
from capture_core.limits.reading import LINE_BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    Read: TypeAlias = Callable[[int, int], bytes]


def after_lines(read: Read, start: int, end: int, count: int) -> int:
    """The offset behind the ``count``-th line of ``start:end``, or ``end`` when there are fewer."""
    position = start
    while count > 0 and position < end:
        block = read(position, min(position + LINE_BLOCK_BYTES, end))
        if not block:
            break
        found = block.count(b"\n")
        if found >= count:
            return position + _nth(block, count)
        count -= found
        position += len(block)
    return end if count > 0 else position


def before_lines(read: Read, start: int, end: int, count: int) -> int:
    """The offset where the last ``count`` lines of ``start:end`` begin, or ``start`` if there are fewer."""
    if count <= 0 or start >= end:
        return end
    # The newline that ends the last line does not begin another one.
    position = end - 1 if read(end - 1, end) == b"\n" else end
    while position > start:
        low = max(start, position - LINE_BLOCK_BYTES)
        block = read(low, position)
        found = block.count(b"\n")
        if found >= count:
            return low + _nth_back(block, count) + 1
        count -= found
        position = low
    return start


def line_range(read: Read, end: int, first: int, last: int | None) -> tuple[int, int]:
    """The byte range of the lines ``first`` to ``last``, from 1, both included; ``None``: to the end."""
    start = after_lines(read, 0, end, first - 1)
    return start, end if last is None else after_lines(read, start, end, last - first + 1)


def around(read: Read, end: int, offset: int, size: int) -> tuple[int, int]:
    """At most ``size`` bytes with ``offset`` near their middle, shrunk to whole lines if they hold some."""
    offset = max(0, min(offset, end))
    low = max(0, min(offset - size // 2, end - size))
    high = min(end, low + size)
    if low > 0 and (newline := read(low, offset).find(b"\n")) >= 0:
        low += newline + 1
    if high < end and (newline := read(offset, high).rfind(b"\n")) >= 0:
        high = offset + newline + 1
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
