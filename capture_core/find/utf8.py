"""Sets of code points as sequences of sets of bytes; pure.

Source: RFC 3629, section 4: which bytes may follow which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capture_core.find.tree import Ranges

ByteRanges: TypeAlias = "tuple[tuple[int, int], ...]"
"""A range of bytes for each place."""

_LENGTHS: Final = ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF))
_TAIL_BITS: Final = 6


def sequences(ranges: Ranges) -> Iterator[ByteRanges]:
    """Give the sequences whose bytes are exactly the characters' in UTF-8."""
    for low, high in ranges:
        for first, last in _LENGTHS:
            if low <= last and high >= first:
                yield from _split(max(low, first), min(high, last))


def _split(low: int, high: int) -> Iterator[ByteRanges]:
    """Cut where bytes behind the first do not range over all that they may be."""
    if high <= _LENGTHS[0][1]:
        yield ((low, high),)
        return
    for bits in (_TAIL_BITS, 2 * _TAIL_BITS, 3 * _TAIL_BITS):
        mask = (1 << bits) - 1
        if low & ~mask == high & ~mask:
            break
        if low & mask:
            yield from _split(low, low | mask)
            yield from _split((low | mask) + 1, high)
            return
        if high & mask != mask:
            yield from _split(low, (high & ~mask) - 1)
            yield from _split(high & ~mask, high)
            return
    yield tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))


def single_bytes(found: Iterable[ByteRanges]) -> tuple[list[tuple[int, int]], list[ByteRanges]]:
    """Part the sequences of one byte from longer ones."""
    ones, longer = [], []
    for sequence in found:
        if len(sequence) == 1:
            ones.append(sequence[0])
        else:
            longer.append(sequence)
    return ones, longer
