"""Blocks in, the lines out that may tell of a step: with number and place, however the text was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits.outline import OUTLINE_LINE_BYTES
from capture_core.outline.forms import heads
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Line(NamedTuple):
    """What is printed from ``start`` on, to the newline or carriage return before ``end``; ``text`` is its beginning.

    ``is_redraw``: it overwrites what was printed before it in the line of that ``number``.
    """

    start: int
    end: int
    number: int
    text: bytes
    is_redraw: bool

    @property
    def number_before(self) -> int:
        """The number of the line that ends where it begins."""
        return self.number if self.is_redraw else self.number - 1


class Lines:
    """Passes over all lines but those that begin as some form does; each redraw within a line is one.

    Of one that is longer than ``OUTLINE_LINE_BYTES`` no more than that is kept.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._dropped = 0
        """Bytes of the unfinished line that were not kept."""
        self._start = 0
        self._number = 1
        self._is_redraw = False

    @property
    def end(self) -> int:
        """How many bytes were fed."""
        return self._start + len(self._rest) + self._dropped

    @property
    def last_number(self) -> int:
        """The number of the last line there is."""
        return self._number if self._rest or self._is_redraw else max(1, self._number - 1)

    def feed(self, block: bytes) -> Iterator[Line]:
        """Take a block; give the lines that are whole now."""
        flat = block.replace(b"\r", b"\n")
        if self._dropped:
            behind = flat.find(b"\n") + 1
            if not behind:
                self._dropped += len(block)
                return
            yield from self._whole(self._rest + block[behind - 1 : behind], len(self._rest) + self._dropped + behind)
            block, self._rest, self._dropped = block[behind:], b"", 0
            flat = flat[behind:]
        whole = flat.rfind(b"\n") + 1
        if whole:
            yield from self._whole(self._rest + block[:whole], len(self._rest) + whole)
            self._rest = b""
        self._keep(self._rest + block[whole:])

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
        """Lines that are whole, in one piece; ``size``: their bytes in the stream, if not as many as there are here."""
        flat, counted = b"\n" + data.replace(b"\r", b"\n"), 0
        for found in heads().finditer(flat):
            at = found.start()
            behind = flat.find(b"\n", at + 1)
            self._number += data.count(b"\n", counted, at)
            counted = at
            end = behind if behind < len(data) else size
            is_redraw = data[at - 1 : at] == b"\r" if at else self._is_redraw
            text = data[at : behind - 1][:OUTLINE_LINE_BYTES]
            yield Line(self._start + at, self._start + end, self._number, text, is_redraw)
        self._number += data.count(b"\n", counted)
        self._start += size
        self._is_redraw = data.endswith(b"\r")
