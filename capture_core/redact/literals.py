"""Finds known values in a stream of text without line breaks, whatever the cuts between its blocks."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Final

from capture_core.limits.sanitising import KNOWN_HEAD_BYTES, SHORTEST_KNOWN_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.veils import Match

if TYPE_CHECKING:
    from capture_core.redact.heads import Heads, HeadScanner


_LOOK_BACK_BYTES: Final = KNOWN_HEAD_BYTES - 1


class _Candidate(NamedTuple):
    """A value whose head was found."""

    start: int
    length: int
    name: int
    text: bytes


class LiteralFinder:
    """Finds the known values of one stream: every one, also within and over others.

    What a block does not hold whole is settled one after another in the order of its beginning.  Each value that may
    be there takes one comparison of bounded length: whatever repeats itself, time stays linear.
    """

    def __init__(self, heads: Heads, scan: HeadScanner) -> None:
        self._heads = heads
        self._scan = scan
        self._text = bytearray()
        """The end of the stream, from where the first candidate begins, or a head may have begun."""
        self._from = 0
        self._candidates: list[_Candidate] = []
        """A heap of what is not settled."""
        self._compared = 0
        """How much of the first candidate is known to be there."""

    @property
    def _end(self) -> int:
        return self._from + len(self._text)

    def feed(self, text: bytes) -> list[Match]:
        """Return the values that are whole now."""
        found = self._look_for_heads(text)
        if not self._candidates:
            self._keep_end(text)
            return found
        self._text += text
        while self._candidates and (settled := self._settle(self._candidates[0])):
            heappop(self._candidates)
            self._compared = 0
            if isinstance(settled, Match):
                found.append(settled)
        self._forget()
        return found

    def unfinished(self) -> int:
        """Return the length of the longest end of the text that is a beginning of a value, and not all of it."""
        if self._candidates:
            return self._end - self._candidates[0].start  # longer than any beginning of a head
        return len(self._begun())

    def finish(self) -> list[Match]:
        """Return what is unfinished as if it were whole, when it is long enough to tell anything."""
        if self._candidates:
            return [Match(self._candidates[0].start, self._end, self._candidates[0].name)]
        begun = self._begun()
        if len(begun) < SHORTEST_KNOWN_BYTES:
            return []
        return [Match(self._end - len(begun), self._end, self._heads.begun[begun])]

    def cut(self, kept: int) -> list[Match]:
        """Give up what began before the last ``kept`` bytes; return what of it is whole all the same."""
        start = self._end - kept
        given_up = [candidate for candidate in self._candidates if candidate.start < start]
        self._candidates = [candidate for candidate in self._candidates if candidate.start >= start]
        heapify(self._candidates)
        self._compared = 0
        whole = [match for candidate in given_up if (match := self._whole(candidate))]
        self._forget_before(max(start, self._from))
        return whole

    def _look_for_heads(self, text: bytes) -> list[Match]:
        """Settle what begins and ends in the text, and note what is there in part."""
        found: list[Match] = []
        before = bytes(self._text[-_LOOK_BACK_BYTES:])
        known, offset = len(before), self._end
        for head, end in self._scan(before, text):
            if end <= known:
                continue
            for value, name in self._heads.literals[head]:
                start = end - known - min(len(value), KNOWN_HEAD_BYTES)
                if len(value) <= KNOWN_HEAD_BYTES:
                    found.append(Match(offset + start, offset + end - known, name))
                elif start < 0 or start + len(value) > len(text):
                    self._add(_Candidate(offset + start, len(value), name, value))
                elif text.startswith(value, start):
                    found.append(Match(offset + start, offset + start + len(value), name))
        return found

    def _add(self, candidate: _Candidate) -> None:
        if self._candidates and candidate < self._candidates[0]:
            self._compared = 0
        heappush(self._candidates, candidate)

    def _settle(self, candidate: _Candidate) -> Match | bool:
        """Return the match, ``True`` when it is none, and ``False`` while more must come to tell."""
        at = candidate.start - self._from
        if len(self._text) - at >= len(candidate.text):
            return self._whole(candidate) or True
        here = self._text[at + self._compared :]
        if not candidate.text.startswith(here, self._compared):
            return True
        self._compared += len(here)
        return False

    def _whole(self, candidate: _Candidate) -> Match | None:
        if not self._text.startswith(candidate.text, candidate.start - self._from):
            return None
        return Match(candidate.start, candidate.start + len(candidate.text), candidate.name)

    def _begun(self) -> bytes:
        end = bytes(self._text[-_LOOK_BACK_BYTES:])
        return next((end[start:] for start in range(len(end)) if end[start:] in self._heads.begun), b"")

    def _keep_end(self, text: bytes) -> None:
        """Forget all but where a head may have begun."""
        end = self._end + len(text)
        self._text = bytearray((self._text + text[-_LOOK_BACK_BYTES:])[-_LOOK_BACK_BYTES:])
        self._from = end - len(self._text)

    def _forget(self) -> None:
        kept = self._end - _LOOK_BACK_BYTES
        if self._candidates:
            kept = min(kept, self._candidates[0].start)
        self._forget_before(max(kept, self._from))

    def _forget_before(self, place: int) -> None:
        del self._text[: place - self._from]
        self._from = place
