r"""Hides values that others than the built-in rules know of, in place, before those rules look at the text.

A value is found whatever ``\r`` and ``\n`` stand in it.  What comes before a break among its first characters is
harmless and is given out: nothing of fewer than :data:`~capture_core.limits.sanitising.SHORTEST_KNOWN_BYTES` bytes
is ever held over a line's end.  A run of more than :data:`~capture_core.limits.sanitising.KNOWN_BREAK_BYTES` breaks
later in it ends it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol

from capture_core.decode import weight
from capture_core.limits.sanitising import HARMLESS_BYTES, KNOWN_BREAK_BYTES, VEIL_BYTES_AT_MOST
from capture_core.record import NamedTuple
from capture_core.redact.veil import SHORTEST_VEIL, veiled
from capture_core.redact.window import Place, Window, breaks_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_GAP: Final = re.compile(rb"[\r\n]{%d,}+" % (KNOWN_BREAK_BYTES + 1))
_TOO_SHORT: Final = b"*"
"""For each byte of what has no room for a veil."""


class Match(NamedTuple):
    """What is secret: its range in the text without breaks, counted from where the stream began, and its name.

    Where several overlap, they are hidden as one, by the name of the first in this order.
    """

    start: int
    end: int
    name: int
    """Index into the names that veils bear."""


class Finder(Protocol):
    """Finds values in a stream of text without breaks."""

    def feed(self, text: bytes) -> Iterable[Match]:
        """Return the values that are whole now."""

    def unfinished(self) -> int:
        """Return the length of the longest end of the text that may yet become a value."""

    def finish(self) -> Iterable[Match]:
        """Return what is unfinished and must be hidden all the same, now that nothing more comes."""

    def cut(self, kept: int) -> Iterable[Match]:
        """Give up what began before the last ``kept`` bytes; return what of it is whole all the same."""


class Veils:
    """Takes text without terminal control; gives back the same length of text, with veils in place of values.

    A veil is always given out whole.
    """

    def __init__(self, finders: Sequence[Finder], names: Sequence[str]) -> None:
        self.accepted = 0
        """Raw bytes of hidden values less those of their veils, for which later stages account: 0 or less."""
        self.discarded = 0
        """Raw bytes of omitted fragments."""
        self.omitted = 0
        """Omitted fragments: none but at an end, and without a mark in the text."""
        self.redactions: Counter[str] = Counter()
        """Hidden values for which there was no room for a veil."""
        self.names = names
        """What stands in the text for a hidden value, by the index that its veil bears."""
        self._finders = finders
        self._found: list[Match] = []
        """Values that are whole, and wait for one that begins before them."""
        self._window = Window()
        self._veil: int | None = None
        """The name of the run, from the window's beginning to its mark, that waits for a value that overlaps it."""

    @property
    def held(self) -> int:
        """Raw bytes that are not decided."""
        return weight(self._window.held())

    def feed(self, text: bytes) -> bytes:
        """Return the text that is decided now."""
        if not self._finders:
            return text
        joined = text.replace(b"\n", b"")
        if b"\r" in joined:
            joined = joined.replace(b"\r", b"")
        unfinished = self._find(joined)
        if not self._found and self._window.is_empty():
            passed = self._window.passed(text, len(joined), unfinished)
            return passed if self._window.is_empty() else passed + self._decided(unfinished, len(text))
        self._window.append(text, len(joined))
        return self._decided(unfinished, len(text))

    def finish(self, *, eof: bool) -> bytes:
        """Settle what is held: a beginning that is long enough to tell anything is hidden as if it were whole.

        A shorter one is given out when the stream truly ended (``eof``), and omitted when more was to come.
        """
        undecided = 0
        for finder in self._finders:
            matches = tuple(finder.finish())
            self._found += matches
            undecided = max(undecided, 0 if eof or matches else finder.unfinished())
            finder.cut(0)
        end = self._window.end.joined
        text = b"".join([*self._hidden(end, self._window.hiding(end - undecided)), self._closed()])
        self._omit()
        return text

    def _decided(self, unfinished: int, fed: int) -> bytes:
        if unfinished and self._is_torn(unfinished, fed):
            unfinished = self._find(b"")
        start = self._window.end.joined - unfinished
        text = b"".join(self._hidden(start, self._window.hiding(start)))
        self._window.forget()
        return text

    def _find(self, joined: bytes) -> int:
        """Look for values; return the length of the longest unfinished one."""
        for finder in self._finders:
            self._found += finder.feed(joined)
        return max(finder.unfinished() for finder in self._finders)

    def _is_torn(self, unfinished: int, fed: int) -> bool:
        """Give up what is unfinished and divided by a gap; tell whether there was any."""
        window = self._window
        begin = window.hiding(window.end.joined - unfinished)
        if window.breaks_between(begin, window.end) <= KNOWN_BREAK_BYTES:
            return False
        new = max(begin.offset - window.base, len(window.text) - fed - KNOWN_BREAK_BYTES)
        gaps = list(_GAP.finditer(window.text, new))
        if not gaps:
            return False
        rest = window.text[gaps[-1].end() :]
        kept = len(rest) - breaks_in(rest)
        for finder in self._finders:
            # What began shortly before the gap is hidden behind it only.
            self._found += finder.cut(kept + HARMLESS_BYTES)
        return True

    def _hidden(self, limit: int, undecided: Place) -> Iterator[bytes]:
        """Give out what is decided: values that begin at ``limit`` at the latest, and text before ``undecided``."""
        due = sorted(match for match in self._found if match.start <= limit)
        self._found = [match for match in self._found if match.start > limit]
        mark, end = self._window.mark, self._window.end
        for match in due if self._window.breaks_between(mark, end) else _merged(due):
            yield from self._hide(match)
        if undecided.joined >= self._window.mark.joined:
            yield self._closed()
        if self._veil is None:
            yield self._passed(undecided)
        else:
            yield from self._pieces(self._veil)

    def _hide(self, match: Match) -> Iterator[bytes]:
        window = self._window
        if match.end <= window.mark.joined:
            return
        begin = window.hiding(match.start)
        end = window.behind(begin, match.end)
        if self._has_gap(begin, end):
            return
        if begin.joined >= window.mark.joined:
            yield self._closed()
            yield self._passed(begin)
            self._veil = match.name
        window.mark = end

    def _has_gap(self, begin: Place, end: Place) -> bool:
        window = self._window
        if window.breaks_between(begin, end) <= KNOWN_BREAK_BYTES:
            return False
        return bool(_GAP.search(window.text, begin.offset - window.base, end.offset - window.base))

    def _passed(self, place: Place) -> bytes:
        """Give out text as it is."""
        window = self._window
        window.mark = Place(max(place.joined, window.mark.joined), place.offset)
        return window.take(place.offset - window.begin)

    def _closed(self) -> bytes:
        """Give out the run that nothing overlaps any more."""
        if self._veil is None:
            return b""
        name = self._veil
        pieces = b"".join(self._pieces(name))
        self._veil = None
        return pieces + self._veiled(name, self._run_bytes())

    def _pieces(self, name: int) -> Iterator[bytes]:
        """Give out as much of a run as is too long to wait for what overlaps its end."""
        while self._run_bytes() >= VEIL_BYTES_AT_MOST + SHORTEST_VEIL:
            yield self._veiled(name, VEIL_BYTES_AT_MOST)

    def _run_bytes(self) -> int:
        return self._window.mark.offset - self._window.begin

    def _veiled(self, name: int, length: int) -> bytes:
        hidden = self._window.take(length)
        self.accepted += weight(hidden) - length
        if length >= SHORTEST_VEIL:
            return veiled(name, length)
        self.redactions[self.names[name]] += 1
        return _TOO_SHORT * length

    def _omit(self) -> None:
        """Drop what is left at the end."""
        window = self._window
        if rest := window.held():
            self.discarded += weight(rest)
            self.omitted += 1
        window.mark = window.end
        window.take(len(rest))
        window.forget()


def _merged(matches: Iterable[Match]) -> list[Match]:
    """Put together what overlaps, in a text without breaks: many do where values and text repeat themselves."""
    merged: list[Match] = []
    start, end, name = -1, -1, 0
    for match in matches:
        if match.start < end:
            end = max(end, match.end)
            continue
        if end >= 0:
            merged.append(Match(start, end, name))
        start, end, name = match
    return [*merged, Match(start, end, name)] if end >= 0 else merged
