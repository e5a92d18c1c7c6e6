"""Text of which values are known by where they are without line breaks."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from capture_core.limits import SHORTEST_KNOWN_BYTES

_BREAKS: Final = re.compile(rb"[\r\n]++")
_ANY_BREAKS: Final = re.compile(rb"[\r\n]*+")
HARMLESS_BYTES: Final = SHORTEST_KNOWN_BYTES - 1
"""So much of a value may be given out."""


class Place(NamedTuple):
    """A place in the text, counted from where the stream began: without breaks, and with them."""

    joined: int
    offset: int


class Window:
    """The held end of a text, with a mark in it: what is before the mark is settled, if not given out."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.begin = 0
        """Where the held text begins."""
        self.end = Place(0, 0)
        self.mark = Place(0, 0)
        self._last_break = 0
        """Where the last break before the mark is, without breaks; one at the mark counts."""

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
        begin = Place(self.end.joined + joined_bytes - kept, self.end.offset + cut)
        last = max(text.rfind(b"\n", 0, cut), text.rfind(b"\r", 0, cut))
        if last >= 0:
            self._last_break = begin.joined - (cut - last - 1)
        self.begin, self.mark, self.end = begin.offset, begin, begin
        self.append(text[cut:], kept)
        return text[:cut]

    def move(self, place: Place) -> None:
        """Move the mark forward."""
        before, after = self.mark.offset - self.begin, place.offset - self.begin
        last = max(self.text.rfind(b"\n", before, after), self.text.rfind(b"\r", before, after))
        if last >= 0:
            self._last_break = place.joined - (after - last - 1)
        self.mark = place

    def take(self, length: int) -> bytes:
        """Give out the first bytes of what is held, at most up to the mark."""
        with memoryview(self.text) as view:
            taken = bytes(view[:length])
        del self.text[:length]
        self.begin += length
        return taken

    def end_of(self, joined: int) -> Place:
        """Return the place right behind a value that ends, without breaks, at ``joined``, behind the mark."""
        return Place(joined, self._offset_of(joined - 1) + 1)

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
        begin, offset = start, mark.offset
        if start < mark.joined:
            begin = max(start, self._last_break)
        else:
            offset = self._offset_of(start)
        position = max(start, mark.joined)
        reach = start + HARMLESS_BYTES
        offset -= self.begin
        while position <= reach and (found := _BREAKS.search(self.text, offset, offset + reach - position + 1)):
            begin = position = position + found.start() - offset
            offset = found.end()
        return Place(begin, self.begin + offset)

    def breaks_between(self, place: Place, end: Place) -> int:
        """Return how many bytes of breaks are there."""
        return (end.offset - place.offset) - (end.joined - max(place.joined, self.mark.joined))

    def _offset_of(self, joined: int) -> int:
        """Return where a character is: searched from the mark or from the end, whichever is nearer."""
        behind = joined - self.mark.joined
        if behind <= self.end.joined - joined:
            return self.begin + self._forward(behind + 1) - 1
        return self.begin + _backward(self.text, self.end.joined - joined)

    def _forward(self, count: int) -> int:
        text, index = self.text, self.mark.offset - self.begin
        while count:
            index = self._behind_breaks(index)
            piece = text[index : index + count]
            index += count
            count = breaks_in(piece)
        return index

    def _behind_breaks(self, index: int) -> int:
        found = _ANY_BREAKS.match(self.text, index)
        return found.end() if found else index


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
