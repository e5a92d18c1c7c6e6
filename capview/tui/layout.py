"""Rows as screen lines: wrapping, and which lines are on screen from an anchor, an end, or a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capview.tui.text import Shown, show, wrap

if TYPE_CHECKING:
    from capview.pager.pages import Reading
    from capview.pager.rows import Row, Rows


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """Characters ``first:last`` of a row's text, on one line of the screen."""

    row: Row
    shown: Shown
    first: int
    last: int

    @property
    def start(self) -> int:
        """Byte address of the first character."""
        return self.row.start + self.shown.byte_of(self.first)

    @property
    def end(self) -> int:
        """Byte after the last character, or where the next row starts after the row's last screen line."""
        ends = self.last == len(self.shown.text)
        return self.row.next if ends else self.row.start + self.shown.byte_of(self.last)

    @property
    def text(self) -> str:
        """What is drawn."""
        return self.shown.text[self.first : self.last]


@dataclass(frozen=True, slots=True)
class Window:
    """What is on screen: at most ``height`` lines of a document of ``length`` bytes."""

    lines: tuple[ScreenLine, ...] = ()
    length: int = 0

    @property
    def start(self) -> int:
        """Byte address of the first line."""
        return self.lines[0].start if self.lines else 0

    @property
    def end(self) -> int:
        """Byte after the last line."""
        return self.lines[-1].end if self.lines else 0

    @property
    def at_end(self) -> bool:
        """Whether the end of the document is on screen."""
        return self.end >= self.length


class Layout:
    """Lays out ``rows`` on ``height`` lines; ``width`` cells to wrap at, ``None``: no wrapping."""

    def __init__(self, rows: Rows, *, height: int, width: int | None) -> None:
        self._rows = rows
        self._height = max(height, 1)
        self._width = width
        self._length = rows.length

    def at(self, anchor: int, *, down: int = 0) -> Reading[Window]:
        """The window whose first line holds byte ``anchor``, moved by ``down`` lines; full where it can be."""
        if not self._length:
            return Window()
        anchor = min(max(anchor, 0), self._length - 1)
        around = self._lines((yield from self._rows.containing(anchor)))
        index = max((i for i, line in enumerate(around) if line.start <= anchor), default=0)
        if down < 0:
            around, index = yield from self._above(around, index, -down)
        first = max(index + down, 0)
        yield from self._below(around, first + self._height)
        first = min(first, max(0, len(around) - self._height))
        if len(around) < self._height:
            around, first = yield from self._above(around, 0, self._height - len(around))
            first = max(0, len(around) - self._height)
        return Window(tuple(around[first : first + self._height]), self._length)

    def at_end(self) -> Reading[Window]:
        """The window that ends with the document."""
        return (yield from self.at(self._length, down=self._height))

    def _below(self, around: list[ScreenLine], count: int) -> Reading[None]:
        """Add lines to ``around`` until it has ``count`` or the document ends."""
        while len(around) < count and around[-1].row.next < self._length:
            around += self._lines((yield from self._rows.row(around[-1].row.next)))

    def _above(self, around: list[ScreenLine], index: int, wanted: int) -> Reading[tuple[list[ScreenLine], int]]:
        """Put lines before ``around`` until ``wanted`` are before the one at ``index``, or it begins with the first."""
        while index < wanted:
            if around[0].row.redraws is None:
                around, index = yield from self._exactly(around, index)
            row = yield from self._rows.before(around[0].row.covers)
            if row is None:
                break
            lines = self._lines(row)
            around, index = lines + around, index + len(lines)
        return around, index

    def _exactly(self, around: list[ScreenLine], index: int) -> Reading[tuple[list[ScreenLine], int]]:
        """The same lines, with all known of what is folded into their first row."""
        known = self._lines((yield from self._rows.containing(around[0].row.start, exact=True)))
        of_row = sum(line.row is around[0].row for line in around)
        return known + around[of_row:], index

    def _lines(self, row: Row) -> list[ScreenLine]:
        shown = show(row.data)
        if self._width is None:
            return [ScreenLine(row, shown, 0, len(shown.text))]
        starts = wrap(shown.text, self._width)
        ends = [*starts[1:], len(shown.text)]
        return [ScreenLine(row, shown, first, last) for first, last in zip(starts, ends, strict=True)]
