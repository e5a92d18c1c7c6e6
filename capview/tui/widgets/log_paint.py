"""Draws one screen line of a log: gutter, safe text cropped to what is visible, matches, folds, what lies outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from capview.tui.text import crop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.style import Style

    from capview.tui.colours import Run
    from capview.tui.layout import ScreenLine

PARTS = ("text", "gutter", "changed", "match", "current", "outside", "marker")
"""Names of the styles that :class:`Painter` uses, as component classes ``log--<name>``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is marked in the bytes of a window: matches, the one gone to, styles, where the stream's own bytes end."""

    matches: Sequence[tuple[int, int]] = ()
    runs: Sequence[Run] = ()
    """Styles that the text had on its terminal."""
    current: tuple[int, int] | None = None
    committed: int = 0
    marker_end: int = 0


@dataclass(frozen=True, slots=True)
class Painter:
    """``styles`` by the names of :data:`PARTS`; ``width`` cells a line, ``gutter`` of them for line numbers."""

    styles: dict[str, Style]
    width: int
    gutter: int

    def paint(self, line: ScreenLine, number: int | None, *, left: int, marks: Marks) -> Strip:
        """The strip of ``line``; ``left`` cells are scrolled out of sight."""
        outside = line.row.start >= marks.committed
        base = self._base(line, marks, outside=outside)
        segments = [Segment(self._gutter(line, number, outside=outside), self.styles["gutter"])] if self.gutter else []
        text, first, last, lead = self._visible(line, left)
        segments.append(Segment(" " * lead, base))
        segments += self._styled(line, text, first, last, base, marks)
        segments.append(Segment(self._badge(line), self.styles["gutter"]))
        return Strip(segments).adjust_cell_length(self.width, base)

    def blank(self) -> Strip:
        """A line below the end."""
        return Strip.blank(self.width, self.styles["text"])

    def placeholder(self) -> Strip:
        """A line that is still being read."""
        text = "·".rjust(self.gutter) if self.gutter else "·"
        return Strip([Segment(text, self.styles["gutter"])]).adjust_cell_length(self.width, self.styles["text"])

    def _base(self, line: ScreenLine, marks: Marks, *, outside: bool) -> Style:
        if not outside:
            return self.styles["text"]
        return self.styles["marker" if line.row.start < marks.marker_end else "outside"]

    def _gutter(self, line: ScreenLine, number: int | None, *, outside: bool) -> str:
        first = line.first == 0 and not line.row.continues
        label = "" if outside or not first else "·" if number is None else str(number)
        mark = "┆" if outside else "↻" if first and line.row.redraws != 0 else " " if first else "⤷"
        return label.rjust(self.gutter - 2) + mark + " "

    def _visible(self, line: ScreenLine, left: int) -> tuple[str, int, int, int]:
        """The text, which of its characters are visible, and how many cells are blank before them."""
        text, room = line.shown.text, max(self.width - self.gutter, 0)
        if line.first or line.last < len(text):
            return text, line.first, line.last, 0
        first, last, cell = crop(text, left, room)
        return text, first, last, cell - left

    def _styled(self, line: ScreenLine, text: str, first: int, last: int, base: Style, marks: Marks) -> list[Segment]:
        stretches = [(a, b, base + self.styles["changed"]) for a, b in line.shown.changed()]
        for match in marks.matches:
            style = self.styles["current" if match == marks.current else "match"]
            a, b = (line.shown.index_of(max(0, byte - line.row.start)) for byte in match)
            stretches.append((a, b, style))
        segments: list[Segment] = []
        at = first
        for a, b, style in sorted(stretches, key=lambda stretch: stretch[:2]):
            start, end = max(a, at), min(b, last)
            if start < end:
                segments += *self._coloured(line, (at, start), base, marks), Segment(text[start:end], style)
                at = end
        return [*segments, *self._coloured(line, (at, last), base, marks)]

    def _coloured(self, line: ScreenLine, part: tuple[int, int], base: Style, marks: Marks) -> Iterator[Segment]:
        """The characters ``part`` in the styles that they had."""
        text, (at, last) = line.shown.text, part
        for run in marks.runs:
            if run.start >= line.row.next or at >= last:
                break
            if run.end > line.row.start:
                start, end = (line.shown.index_of(max(0, byte - line.row.start)) for byte in (run.start, run.end))
                start, end = max(start, at), min(end, last)
                if start < end:
                    yield Segment(text[at:start], base)
                    yield Segment(text[start:end], base + run.style)
                    at = end
        yield Segment(text[at:last], base)

    @staticmethod
    def _badge(line: ScreenLine) -> str:
        if line.row.redraws == 0 or line.last < len(line.shown.text):
            return ""
        if line.row.redraws is None:
            return "  ↻ many redraws"
        return f"  ↻ {line.row.redraws:,} redraw{'' if line.row.redraws == 1 else 's'}"
