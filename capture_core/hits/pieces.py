"""A stream in pieces of whole lines, from either end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from capture_core.limits import KIB
from capture_core.limits.reading import SEARCH_BLOCK_BYTES
from capture_core.lines import before_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST_LOOK_BYTES: Final = 4 * KIB
"""Most lines end within this."""

Piece = tuple[int, int]
"""Offsets ``start:end``, each where a line begins, or the text ends."""


class Text(Protocol):
    """Committed bytes, as :class:`capture_core.reader.StreamReader` gives them."""

    def read(self, start: int, end: int) -> bytes:
        """Exactly these bytes."""

    def data_from(self, offset: int) -> int:
        """The first offset from there on that may hold anything but zeros."""


def forward(text: Text, start: int, end: int, size: int) -> Iterator[Piece]:
    """``start:end`` in pieces of about ``size`` bytes, more where a line is longer; ``start`` is where one begins."""
    while start < end:
        stop = end if end - start <= size else min(line_end(text, start + size - 1, end) + 1, end)
        yield start, stop
        start = stop


def backward(text: Text, start: int, end: int, size: int) -> Iterator[Piece]:
    """The same from the end on; ``end`` is where a line begins, or the text ends."""
    while start < end:
        low = start if end - start <= size else line_of(text, end - size, start)
        yield low, end
        end = low


def line_end(text: Text, offset: int, end: int) -> int:
    """Where the line ends in which ``offset`` lies: at its newline, or at ``end``."""
    position, size = offset, _FIRST_LOOK_BYTES
    while (position := text.data_from(position)) < end:
        block = text.read(position, min(position + size, end))
        if (newline := block.find(b"\n")) >= 0:
            return position + newline
        position, size = position + len(block), SEARCH_BLOCK_BYTES
    return end


def line_of(text: Text, offset: int, start: int = 0) -> int:
    """Where the line begins in which ``offset`` lies, or ``start``, when it begins before."""
    low = max(start, offset - _FIRST_LOOK_BYTES)
    if (newline := text.read(low, offset).rfind(b"\n")) >= 0:
        return low + newline + 1
    # There is no newline in what was looked at, so that the last line of all before is the one.
    return before_lines(text.read, start, offset, 1, data_from=text.data_from) if start < low else start
