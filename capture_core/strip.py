"""Terminal control out of UTF-8 text, whatever the cuts, in memory that does not grow.

What is text is told by :mod:`capture_core.escapes` and :mod:`capture_core.overstrike`.  Styles stay behind: where in
the text that is given out which one begins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from capture_core.escapes import Escapes
from capture_core.marks import Marks
from capture_core.overstrike import BACKSPACE, Overstrikes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CONTROL = rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]"
"""Every character that is no text: C0 but for TAB, LF and CR, DEL, and C1 as UTF-8.  A pattern for any engine."""

NOT_PLAIN = rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]"
"""Every byte that is control, or may be a part of one: what has none of these is ASCII text as it is."""


class Stripper:
    """Takes whole code points; gives back what of them is text.

    ``has_control`` tells whether a block holds anything that :data:`CONTROL` matches.  Most blocks do not, so its
    speed is the stage's: give it a faster one than ``re`` where there is one.
    """

    def __init__(self, has_control: Callable[[bytes], object] = re.compile(CONTROL).search) -> None:
        self._has_control = has_control
        self._escapes = Escapes(has_control)
        self._overstrikes = Overstrikes()
        self._length = 0
        """Bytes given out."""
        self._styles = Marks()
        self._waiting: int | None = None
        """The style behind a held underscore."""

    @property
    def held(self) -> int:
        """Raw bytes that an overstrike may still change, at most 2, and those of which it is in doubt what they are."""
        return self._overstrikes.held + self._escapes.held

    @property
    def accepted(self) -> int:
        """Raw bytes stripped."""
        return self._escapes.accepted + self._overstrikes.accepted

    def take_styles(self) -> Marks:
        """Return the styles that begin in the text so far, each with its offset in all text given out, in order.

        Each is told once; of several at one offset the last counts.  Where a style begins is known when the text
        before it is given out.  See :mod:`capture_core.styles`.
        """
        styles, self._styles = self._styles, Marks()
        return styles

    def feed(self, text: bytes, *, is_plain: bool = False) -> bytes:
        """Return what of the block is text and can no longer be struck over; ``is_plain``: it holds no control."""
        if not self._escapes.open and (is_plain or not self._has_control(text)):
            return self._given(self._overstrikes.feed(self._escapes.feed_plain(text), plain=True))
        begin = self._length + self._overstrikes.held
        return self._kept(begin, *self._escapes.feed(text, begin))

    def finish(self) -> bytes:
        """Return the held underscore, if any; an unfinished sequence is gone already."""
        return self._given(self._overstrikes.finish())

    def release(self) -> bytes:
        """Return what was in doubt, behind :meth:`finish`: it was no part of what came before it."""
        return self._kept(self._length, *self._escapes.release(self._length)) + self.finish()

    def _kept(self, begin: int, kept: bytes, styles: Marks) -> bytes:
        if not styles:
            return self._given(self._overstrikes.feed(kept, plain=False))
        if not self._overstrikes.held and BACKSPACE not in kept:
            return self._feed_unstruck(kept, styles)
        return self._feed_pieces(kept, ((at - begin, style) for at, style in styles))

    def _feed_unstruck(self, kept: bytes, styles: Marks) -> bytes:
        """Take what nothing strikes over, and its styles by offset in all text: every one is where it is."""
        if self._styles:
            self._styles.extend(styles.offsets, styles.values)
        else:
            self._styles = styles
        out = self._given(self._overstrikes.feed(kept, plain=True))
        if self._overstrikes.held:
            while self._styles and self._styles.offsets[-1] > self._length:
                _, style = self._styles.pop()
                self._waiting = style if self._waiting is None else self._waiting
        return out

    def _feed_pieces(self, kept: bytes, styles: Iterable[tuple[int, int]]) -> bytes:
        """Take what may be struck over piece by piece: that moves what comes behind it."""
        out, done = [], 0
        for at, style in styles:
            out.append(self._given(self._overstrikes.feed(kept[done:at], plain=False)))
            self._begin(style)
            done = at
        out.append(self._given(self._overstrikes.feed(kept[done:], plain=False)))
        return b"".join(out)

    def _begin(self, style: int) -> None:
        """Let a style begin where the text has come to, or behind an underscore that is held."""
        if self._overstrikes.waits:
            self._waiting = style
        else:
            self._styles.append(self._length, style)

    def _given(self, text: bytes) -> bytes:
        if text and self._waiting is not None:
            self._styles.append(self._length + (not self._overstrikes.struck), self._waiting)
            self._waiting = None
        self._length += len(text)
        return text
