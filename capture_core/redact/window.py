"""Text of which values are known by where they are without line breaks."""

from __future__ import annotations

import re
from typing import Final

from capture_core.limits.sanitising import HARMLESS_BYTES
from capture_core.record import NamedTuple

_BREAKS: Final = re.compile(rb"[\r\n]++")


class Place(NamedTuple):
    """A place in the text, counted from where the stream began: without breaks, and with them."""

    joined: int
    offset: int


class Window:
    """The held end of a text, with a mark in it: what is before the mark is settled, if not given out."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.base = 0
        """Where ``text`` begins."""
        self.begin = 0
        """Up to where it is given out."""
        self.end = Place(0, 0)
        self.mark = Place(0, 0)
        self._last_break = 0
        """Where the last break at or before the mark is, without breaks; if not in ``text``."""

    def is_empty(self) -> bool:
        """Whether all is given out."""
        return self.begin == self.end.offset

    def held(self) -> bytes:
        """Return what is not given out."""
        return bytes(self.text[self.begin - self.base :])

    def append(self, text: bytes, joined_bytes: int) -> None:
        """Hold more text, and how long it is without breaks."""
        self.text += text
        self.end = Place(self.end.joined + joined_bytes, self.end.offset + len(text))

    def passed(self, text: bytes, joined_bytes: int, unfinished: int) -> bytes:
        """Hold the end of a text that begins with the last ``unfinished`` of its characters; give out the rest.

        As :meth:`append` and :meth:`take` would, when nothing is held; without copying the text.
        """
        kept = min(unfinished, joined_bytes)
        cut = _backward(text, kept)
        mark = Place(self.end.joined + joined_bytes - kept, self.end.offset + cut)
        last = max(text.rfind(b"\n", 0, cut), text.rfind(b"\r", 0, cut))
        if last >= 0:
            self._last_break = mark.joined - (cut - last - 1)
        self.mark = self.end = mark
        self.base = self.begin = mark.offset
        self.text.clear()
        self.append(text[cut:], kept)
        return text[:cut]

    def take(self, length: int) -> bytes:
        """Give out the next bytes, at most up to the mark."""
        index = self.begin - self.base
        self.begin += length
        return bytes(self.text[index : index + length])

    def forget(self) -> None:
        """Let go of what is given out."""
        if self.begin > self.base:
            self._last_break = self._break_at_or_before_mark()
            del self.text[: self.begin - self.base]
            self.base = self.begin

    def behind(self, place: Place, joined: int) -> Place:
        """Return the place right behind a value that ends, without breaks, at ``joined``, behind ``place``."""
        place = max(place, self.mark)
        return Place(joined, self.base + self._forward(place.offset - self.base, joined - place.joined))

    def hiding(self, start: int) -> Place:
        """Return where the hiding of a value begins that begins, without breaks, at ``start``.

        Behind the last break among its first characters: what is before that is harmless, and given out already.
        The place is the mark's when that is in the midst of the value.
        """
        mark = self.mark
        if start >= self.end.joined:
            return self.end
        if mark.joined - start > HARMLESS_BYTES:
            return Place(start, mark.offset)
        if start < mark.joined:
            return self._behind_breaks(max(start, self._break_at_or_before_mark()), mark.offset - self.base, start)
        return self._behind_breaks(start, self._index_of(start), start)

    def breaks_between(self, place: Place, end: Place) -> int:
        """Return how many bytes of breaks are there."""
        return (end.offset - place.offset) - (end.joined - max(place.joined, self.mark.joined))

    def _behind_breaks(self, begin: int, index: int, start: int) -> Place:
        position = max(start, self.mark.joined)
        reach = start + HARMLESS_BYTES
        while position <= reach and (found := _BREAKS.search(self.text, index, index + reach - position + 1)):
            begin = position = position + found.start() - index
            index = found.end()
        return Place(begin, self.base + index)

    def _break_at_or_before_mark(self) -> int:
        index = self.mark.offset - self.base
        last = max(self.text.rfind(b"\n", 0, index), self.text.rfind(b"\r", 0, index))
        if last < 0:
            return self._last_break
        return self.mark.joined - (index - last - 1)

    def _index_of(self, joined: int) -> int:
        """Return where a character is: searched from the mark or from the end, whichever is nearer."""
        behind = joined - self.mark.joined
        if behind <= self.end.joined - joined:
            return self._forward(self.mark.offset - self.base, behind + 1) - 1
        return _backward(self.text, self.end.joined - joined)

    def _forward(self, index: int, count: int) -> int:
        """Return where ``count`` characters end, breaks not counted."""
        text = self.text
        while count:
            end = index + count
            breaks = text.count(b"\n", index, end) + text.count(b"\r", index, end)
            if breaks == count and (found := _BREAKS.match(text, end)):
                end = found.end()
            index, count = end, breaks
        return index


def _backward(text: bytes | bytearray, count: int) -> int:
    """Return where the last ``count`` characters of a text begin, breaks not counted."""
    index = len(text)
    while count:
        piece = text[index - count : index]
        index -= count
        count = breaks_in(piece)
    return index


def breaks_in(text: bytes | bytearray) -> int:
    """Return how many bytes of line breaks are there."""
    return text.count(b"\n") + text.count(b"\r")
