"""Lines with a match, or without one, in blocks of any size that follow each other; pure."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.find.matcher import Ends, Matcher

_NEWLINE = b"\n"


class Line(NamedTuple):
    """A line's bytes ``start:end`` without its newline, and where in it a match ends; where none does, its start."""

    start: int
    end: int
    match_end: int


class LineScan:
    """Finds lines in blocks of one stream; the first one begins at ``offset``, where a line begins.

    No line is held, so that its length does not matter: of one that goes on only its start and its first match's end
    are known.
    """

    def __init__(self, matcher: Matcher, offset: int = 0, *, invert: bool = False, once_a_line: bool = False) -> None:
        """``once_a_line``: where a match ends in a line is not wanted; cheaper where there are many."""
        self.base = offset
        """Where the next block begins."""
        self._line = offset
        """Where the line begins that goes on there."""
        self._matched: int | None = None
        """Where a match ends in that line."""
        self._ends = array("Q")
        self._shift = offset
        # Where every line matches there is nothing to look for: all are the lines without a match among no matches.
        self._takes_others = invert != matcher.every_line
        self._stream: Ends | None = (
            None if matcher.every_line else matcher.stream(self._ends.append, once_a_line=once_a_line)
        )

    def feed(self, data: bytearray, size: int) -> Iterator[Line]:
        """The wanted lines that end within the first ``size`` bytes of ``data``; to be exhausted before the next."""
        last = self._look(data, size)
        if last >= 0:
            yield from self._others(data, last) if self._takes_others else self._matching(data, last)
        self._go_on(last, size)

    def count(self, data: bytearray, size: int) -> int:
        """How many wanted lines end within it: :meth:`feed` without making them."""
        last = self._look(data, size)
        found = 0
        if last >= 0:
            found = self._count_closed(data, last)
            if self._takes_others:
                found = data.count(_NEWLINE, 0, last + 1) - found
        self._go_on(last, size)
        return found

    def skip(self, size: int) -> None:
        """Step over ``size`` bytes among which there is neither a newline nor any part of a match."""
        self.base += size
        self._shift += size

    def finish(self) -> Line | None:
        """The last line, when it is wanted and no newline ended it."""
        del self._ends[:]
        if self._stream is not None:
            self._stream.finish()
        if self._line == self.base:
            # Behind the last newline there is no line, whatever matches there.
            return None
        self._note_open(-1)
        if (self._matched is None) is not self._takes_others:
            return None
        return Line(self._line, self.base, self._line if self._matched is None else self._matched)

    def _look(self, data: bytearray, size: int) -> int:
        """Take the block's matches; the index of its last newline, or -1."""
        del self._ends[:]
        if self._stream is not None:
            self._stream.feed(memoryview(data)[:size])
        return data.rfind(_NEWLINE, 0, size)

    def _go_on(self, last: int, size: int) -> None:
        """Remember of the line that is not at its end what decides whether it is wanted."""
        if last >= 0:
            self._line, self._matched = self.base + last + 1, None
        self._note_open(last)
        self.base += size

    def _note_open(self, last: int) -> None:
        first = bisect_right(self._ends, self.base - self._shift + last)
        if self._matched is None and first < len(self._ends):
            self._matched = self._ends[first] + self._shift

    def _closed(self, data: bytearray, last: int) -> Iterator[tuple[int, int]]:
        """Of each line with a match that ends in the block: a match's end, and the newline's index."""
        closed, base = -1, self.base - self._shift
        if self._matched is not None:
            closed = data.find(_NEWLINE, 0, last + 1)
            yield self._matched, closed
        for end in self._ends:
            index = end - base
            if index > last:
                return
            if index > closed:
                closed = data.find(_NEWLINE, index)
                yield end + self._shift, closed

    def _count_closed(self, data: bytearray, last: int) -> int:
        """How many lines with a match end in the block."""
        indices = list(map((self._shift - self.base).__add__, self._ends))
        if self._matched is None and len(indices) > 1 and indices[-1] <= last:
            # Where all are told at their lines' ends, as is asked for, there is one for each line.
            at_ends = itemgetter(*indices)(data)
            if at_ends.count(_NEWLINE[0]) == len(indices):
                return len(indices)
        return sum(1 for _ in self._closed(data, last))

    def _matching(self, data: bytearray, last: int) -> Iterator[Line]:
        base = self.base
        for match_end, newline in self._closed(data, last):
            begin = data.rfind(_NEWLINE, 0, newline) + 1
            yield Line(base + begin if begin else self._line, base + newline, match_end)

    def _others(self, data: bytearray, last: int) -> Iterator[Line]:
        done = -1
        for _, newline in self._closed(data, last):
            yield from self._between(data, done, data.rfind(_NEWLINE, 0, newline))
            done = newline
        yield from self._between(data, done, last)

    def _between(self, data: bytearray, before: int, last: int) -> Iterator[Line]:
        """The lines behind the newline at ``before`` (-1: the line that goes on) to the one that ends at ``last``."""
        while before < last:
            newline = data.find(_NEWLINE, before + 1)
            start = self._line if before < 0 else self.base + before + 1
            yield Line(start, self.base + newline, start)
            before = newline
