"""Blocks of a stream cut into whole lines, each cut to what is looked at, however long it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.limits.failures import FAILURE_LINE_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

_MORE: Final = b"\xff"
"""Stands for the rest of a line that was cut: no expression for an end matches before it."""


class Line(NamedTuple):
    """A line at ``start:end`` of the stream, its newline left out; ``text`` is what is looked at.

    ``number`` counts from 1; ``None``: not counted.
    """

    start: int
    end: int
    number: int | None
    text: bytes


class Run(NamedTuple):
    """Whole lines in one piece, from ``start`` on; ``size``: their bytes in the stream, if more than there are here."""

    start: int
    data: bytes
    size: int


class Cutter:
    """Cuts blocks into runs of whole lines; a line that is too long to keep comes alone, without its end."""

    def __init__(self, start: int) -> None:
        """``start``: the offset of the first byte that will be fed, at the start of a line."""
        self._rest = b""
        self._dropped = 0
        self._start = start

    def feed(self, block: bytes) -> Iterator[Run]:
        """Take a block; give the lines that are whole now."""
        if self._dropped:
            block = yield from self._end_of_long(block)
        data = self._rest + block
        whole = data.rfind(b"\n") + 1
        if whole:
            yield Run(self._start, data[:whole], whole)
            self._start += whole
        self._rest = data[whole:]
        self._shorten()

    def finish(self) -> Iterator[Run]:
        """Give the last line, if it lacks its newline."""
        if self._rest:
            yield Run(self._start, self._rest + b"\n", len(self._rest) + self._dropped + 1)
            self._rest, self._dropped = b"", 0

    def _shorten(self) -> None:
        kept = FAILURE_LINE_BYTES + 1
        if len(self._rest) > kept:
            self._dropped += len(self._rest) - kept
            self._rest = self._rest[:kept]

    def _end_of_long(self, block: bytes) -> Generator[Run, None, bytes]:
        end = block.find(b"\n") + 1
        if not end:
            self._dropped += len(block)
            return b""
        size = len(self._rest) + self._dropped + end
        yield Run(self._start, self._rest + b"\n", size)
        self._start, self._rest, self._dropped = self._start + size, b"", 0
        return block[end:]


def looked_at(line: bytes) -> bytes:
    """What of a line, without its newline, is looked at: its beginning, without what was overwritten."""
    if len(line) > FAILURE_LINE_BYTES:
        line = line[:FAILURE_LINE_BYTES] + _MORE
    return line.rstrip(b"\r").rpartition(b"\r")[2]
