"""One stream's part of an inline text: all of it, or its head and a larger tail around a gap, within a room.  Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core import inline_frame as frame
from capture_core.cursor import ceil_edge, floor_edge
from capture_core.inline_frame import shown
from capture_core.limits import LARGEST_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.inline_frame import Way
    from capture_core.preview import Excerpt

_HEAD_SHARE: Final = 3
"""One part in so many of what is shown is head, as in a preview; the rest is tail, where the errors are."""

_AFTER_CUT_SHARE: Final = 2
"""One part in so many is kept for what came after a cut."""

_SNAP_SHARE: Final = 4
"""A cut is moved to the edge of a line where that costs no more than one part in so many."""


class Piece(NamedTuple):
    """Output: ``start:end`` of a stream's committed bytes, or of the text that its receipt keeps from after a cut."""

    stream: str
    start: int
    end: int
    is_after_cut: bool = False


class Item(NamedTuple):
    """A part of the text, and its bytes there."""

    part: str | Piece
    data: bytes

    @classmethod
    def ours(cls, text: str) -> Item:
        """A line of the frame."""
        return cls(text, text.encode())


class Body(NamedTuple):
    """What there is of one stream, and what there is to say below it."""

    stream: str
    text: Excerpt
    after_cut: bytes
    loss: str | None
    grows: bool
    way: Way

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show and nothing to say."""
        return not self.has_text and self.loss is None

    @property
    def has_text(self) -> bool:
        """Whether there is any output to show."""
        return bool(self.text.length or self.after_cut)

    @property
    def cost(self) -> int:
        """What all of it takes at least, in bytes."""
        return self._kept_cost() + len(self.after_cut)

    def whole(self) -> list[Item]:
        """All of it."""
        return [*self._piece(0, self.text.length), *self._end(0)]

    def within(self, room: int) -> list[Item] | None:
        """As much of it as ``room`` bytes hold, lines of ours and the newlines before them included.

        ``None``: not even those fit.
        """
        room -= len(self._closing(len(self.after_cut)).encode()) + 1
        after = shown(self.after_cut)
        kept = self._kept_cost()
        if room < 0:
            return None
        if kept + len(after) <= room:
            return self.whole()
        after_room = min(len(after), max(room // _AFTER_CUT_SHARE, room - kept))
        start = tail_start(self.after_cut, after_room)
        items = self._kept_within(room - after_room)
        return None if items is None else [*items, *self._end(start)]

    def pointer(self) -> str:
        """The line that stands for all of it."""
        return frame.pointer(self.way, self.stream, self.text.length)

    def _kept_cost(self) -> int:
        # What is not all at hand cannot be shown whole.
        return LARGEST_BYTES if self.text.omitted else len(shown(self.text.head + self.text.tail))

    def _kept_within(self, room: int) -> list[Item] | None:
        length = self.text.length
        if self._kept_cost() <= room:
            return self._piece(0, length)
        # No number in it will be longer than these; two newlines may have to be put around it.
        room -= len(frame.gap(self.way, self.stream, length, length).encode()) + len(str(length)) + 1
        if room < 0:
            return None
        at_hand = self.text.head if self.text.omitted else self.text.head + self.text.tail
        head = head_end(at_hand, room // _HEAD_SHARE)
        first = self._piece(0, head)
        last = self.text.tail if self.text.omitted else at_hand[head:]
        tail = length - len(last) + tail_start(last, room - sum(len(item.data) for item in first))
        return [*first, Item.ours(frame.gap(self.way, self.stream, head, tail)), *self._piece(tail, length)]

    def _piece(self, start: int, end: int) -> list[Item]:
        if start == end:
            return []
        head, tail, length = self.text
        data = (head + tail)[start:end] if not self.text.omitted else head[start:end]
        if self.text.omitted and start >= length - len(tail):
            data = tail[start - (length - len(tail)) :]
        return [Item(Piece(self.stream, start, end), shown(data))]

    def _end(self, start: int) -> list[Item]:
        """What stands below the committed text: what came after a cut, from ``start`` on, or where it goes on."""
        last = self.after_cut[start:]
        closing = self._closing(len(last))
        items = [Item.ours(closing)] if closing else []
        if last:
            items.append(Item(Piece(self.stream, start, len(self.after_cut), is_after_cut=True), shown(last)))
        return items

    def _closing(self, after: int) -> str:
        if after:
            lost = self.loss or f"{self.stream} cut"
            return frame.line(f"{lost}; outside what was kept, the last {frame.counted(after, 'byte', 'bytes')}:")
        if self.loss is not None:
            return frame.line(self.loss)
        return frame.so_far(self.way, self.stream, self.text.length) if self.grows and self.way.is_kept else ""


def head_end(text: bytes, room: int) -> int:
    """How much of the beginning of ``text`` takes at most ``room`` bytes when shown: to the end of a line if cheap."""
    end = floor_edge(text, min(len(text), max(0, room)))
    if (over := len(shown(text[:end])) - room) > 0:
        end = floor_edge(text, max(0, end - over))
    if end < len(text) and (newline := text.rfind(b"\n", end - end // _SNAP_SHARE, end)) >= 0:
        end = newline + 1
    return end


def tail_start(text: bytes, room: int) -> int:
    """Where the end of ``text`` begins that takes at most ``room`` bytes when shown: with a line if cheap."""
    start = ceil_edge(text, max(0, len(text) - max(0, room)))
    if (over := len(shown(text[start:])) - room) > 0:
        start = ceil_edge(text, min(len(text), start + over))
    if start == 0 or text[start - 1 : start] == b"\n":
        return start
    newline = text.find(b"\n", start, start + (len(text) - start) // _SNAP_SHARE)
    return start if newline < 0 else newline + 1
