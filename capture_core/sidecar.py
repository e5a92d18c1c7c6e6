"""What sidecars hold: where styles begin in the committed text, and when the text arrived; records of 16 bytes each.

A record is two unsigned 64-bit numbers, little endian: an offset in the text, and what is true from there on, up to
the next record's offset.  Offsets only grow.  What it is depends on the sidecar: a style (:mod:`capture_core.styles`),
or nanoseconds since 1970-01-01 UTC.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections import deque
from typing import TYPE_CHECKING, Final

from capture_core.limits.capturing import SIDECAR_TIME_NANOSECONDS
from capture_core.marks import Marks
from capture_core.record import NamedTuple
from capture_core.styles import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Mark(NamedTuple):
    """One record: from ``offset`` in the text on, ``value`` is so."""

    offset: int
    value: int


RECORD_BYTES: Final = struct.calcsize("<QQ")


def encode(marks: Marks | Iterable[tuple[int, int]]) -> bytes:
    """Return the records, one behind the other."""
    marks = marks if isinstance(marks, Marks) else Marks(marks)
    records = array("Q", bytes(RECORD_BYTES * len(marks)))
    records[::2], records[1::2] = marks.offsets, marks.values
    if sys.byteorder == "big":
        records.byteswap()
    return records.tobytes()


def decode(records: bytes) -> tuple[Mark, ...]:
    """Return what whole records say; a part of one at the end says nothing."""
    return tuple(map(Mark._make, struct.iter_unpack("<QQ", records[: len(records) // RECORD_BYTES * RECORD_BYTES])))


class Places:
    """Where styles stand in the text that a redactor gives out, when their offsets are those of what it was fed.

    Each edit has a start in what was fed, the length removed there, and the length put instead; it must be told no
    later than the text behind it is given out.  A style that begins within what was removed begins behind what was
    put.  A style is told when text behind it was given out: one that no text has is never told.
    """

    def __init__(self) -> None:
        self._waiting = Marks()
        self._edits: deque[tuple[int, int, int]] = deque()
        """Edits that no waiting style is known to stand behind."""
        self._given = 0
        self._shift = 0
        """By how much the edits that were gone through moved what comes behind them."""
        self._shift_of_all = 0
        self._ready = Marks()
        """Styles that an insertion settled."""
        self._edge = 0
        """Where in what was fed the last edit that was gone through ends."""

    def give(self, length: int, styles: Marks, edits: Sequence[tuple[int, int, int]]) -> None:
        """Note that so many bytes were given out, after ``styles`` began and ``edits`` were made in what was fed."""
        self._given += length
        if edits and not styles and not self._waiting and not self._edits:
            # Whatever comes begins behind all of them.
            moved = sum(put - removed for _, removed, put in edits)
            self._shift += moved
            self._shift_of_all += moved
            self._edge = edits[-1][0] + edits[-1][1]
            return
        if self._waiting:
            self._waiting.extend(styles.offsets, styles.values)
        else:
            self._waiting = styles  # nobody else has it any more
        for edit in edits:
            _, removed, put = edit
            self._edits.append(edit)
            self._shift_of_all += put - removed

    def insert(self, length: int) -> None:
        """Note that so many bytes were given out which stand for nothing that was fed; all that was is decided.

        A style that was told before begins before them, one that is told later behind them.
        """
        self.give(length, Marks(), [(self._given - self._shift_of_all, 0, length)])
        self._ready = self.take()

    def take(self) -> Marks:
        """Return the styles whose place is known now, each with its offset in what was given out, in order.

        Each is told once; of several at one offset, which are told together, the last counts.
        """
        waiting = self._waiting
        if (
            waiting
            and not self._edits
            and not self._ready
            and self._edge <= waiting.offsets[0]
            and waiting.offsets[-1] + self._shift < self._given
        ):
            # Nearly always, so that it should take no time.
            self._waiting = Marks()
            waiting.shift(self._shift)
            return waiting
        if not (waiting or self._edits or self._ready):
            return Marks()
        placed = list(self._places())
        self._waiting = waiting.part(len(placed))
        if not self._waiting:
            # Whatever comes begins behind all of them.
            while self._edits:
                self._pass_edit()
        self._merge_omitted()
        taken, self._ready = Marks([*self._ready, *placed]), Marks()
        return taken

    def _merge_omitted(self) -> None:
        """Of styles within what is omitted keep the last: all of them would begin behind it, and it may not end."""
        at, edits = self._waiting.offsets, self._edits
        while at and edits and edits[0][0] == self._edge >= at[0] and not edits[0][2]:
            self._pass_edit()
        within = bisect_right(at, self._edge)
        self._waiting = self._waiting.part(max(0, within - 1))

    def _places(self) -> Iterator[tuple[int, int]]:
        """The styles whose place is known, going through the edits before each."""
        for at, style in self._waiting:
            while self._edits and self._edits[0][0] < at:
                self._pass_edit()
            place = max(at, self._edge) + self._shift
            if place >= self._given:
                return
            yield place, style

    def _pass_edit(self) -> None:
        start, removed, put = self._edits.popleft()
        self._shift += put - removed
        self._edge = start + removed


class StyleRuns:
    """Merges equal neighbours, and changes at one offset."""

    def __init__(self) -> None:
        self._last = PLAIN

    def marks(self, styles: Marks, end: int) -> Marks:
        """Return the records of styles before ``end``, as :meth:`Places.take` tells them."""
        if styles and styles.is_merged and styles.offsets[-1] < end:
            # Nearly always, so that it should take no time.
            goes_on = styles.values[0] == self._last
            self._last = styles.values[-1]
            return styles.part(1) if goes_on else styles
        return Marks(self._merged(styles, end))

    def _merged(self, styles: Marks, end: int) -> list[tuple[int, int]]:
        marks: list[tuple[int, int]] = []
        last, before, place = self._last, self._last, -1
        for mark in styles:
            at, style = mark
            if at == place:
                # It takes the place of the one before it.
                last = before
                if marks and marks[-1][0] == at:
                    marks.pop()
            if style != last and at < end:
                marks.append(mark)
                before, last, place = last, style, at
        self._last = last
        return marks


class ArrivalTimes:
    """Says when text arrived, at most once in so many nanoseconds."""

    def __init__(self) -> None:
        self._last: int | None = None

    def marks(self, start: int, arrived: int) -> Marks:
        """Return the record of text from ``start`` on, which ``arrived`` then; none so soon after the last one."""
        if self._last is not None and arrived - self._last < SIDECAR_TIME_NANOSECONDS:
            return Marks()
        self._last = arrived
        return Marks([(start, arrived)])
