"""Blocks in, the lines out that may tell of a step: with number and place, however the text was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits.outline import OUTLINE_LINE_BYTES
from capture_core.outline.forms import heads
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Line(NamedTuple):
    """A line from ``start`` to ``end``, its newline included, and what to look at of it.

    ``texts``: what stands there after all redraws, and where there were any, what stood there first.
    """

    start: int
    end: int
    number: int
    texts: tuple[bytes, ...]


class Lines:
    """Passes over all lines but those that begin as some form does.

    Of a line that is longer than ``OUTLINE_LINE_BYTES`` no more than that is kept.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._dropped = 0
        """Bytes of the unfinished line that were not kept."""
        self._start = 0
        self._number = 1

    @property
    def end(self) -> int:
        """How many bytes were fed."""
        return self._start + len(self._rest) + self._dropped

    @property
    def last_number(self) -> int:
        """The number of the last line there is."""
        return self._number if self._rest else max(1, self._number - 1)

    def feed(self, block: bytes) -> Iterator[Line]:
        """Take a block; give the lines that are whole now."""
        if self._dropped:
            newline = block.find(b"\n") + 1
            if not newline:
                self._dropped += len(block)
                return
            yield from self._whole(self._rest + b"\n", len(self._rest) + self._dropped + newline)
            block, self._rest, self._dropped = block[newline:], b"", 0
        data = self._rest + block
        whole = data.rfind(b"\n") + 1
        yield from self._whole(data[:whole], whole)
        self._keep(data[whole:])

    def finish(self) -> Iterator[Line]:
        """Give the last line, if it lacks its newline."""
        if self._rest:
            yield from self._whole(self._rest + b"\n", len(self._rest) + self._dropped)
            self._rest, self._dropped = b"", 0

    def _keep(self, rest: bytes) -> None:
        # One more than is looked at tells that it was cut.
        self._rest = rest[: OUTLINE_LINE_BYTES + 1]
        self._dropped = len(rest) - len(self._rest)

    def _whole(self, data: bytes, size: int) -> Iterator[Line]:
        """Lines that are whole, in one piece; ``size``: their bytes in the stream, if more than there are here."""
        counted, behind = 0, 0
        for found in heads().finditer(b"\n" + data.replace(b"\r", b"\n")):
            at = found.start()
            if at < behind:
                continue  # a line of redraws, which was given
            start, behind = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) + 1
            self._number += data.count(b"\n", counted, start)
            counted = start
            end = behind if behind < len(data) else size
            yield Line(self._start + start, self._start + end, self._number, _looked_at(data[start : behind - 1]))
        self._number += data.count(b"\n", counted)
        self._start += size


def _looked_at(text: bytes) -> tuple[bytes, ...]:
    text = text[:OUTLINE_LINE_BYTES].rstrip(b"\r")
    if b"\r" not in text:
        return (text,)
    return text.rpartition(b"\r")[2], text.partition(b"\r")[0]
