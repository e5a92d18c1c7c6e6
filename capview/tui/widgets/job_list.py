"""The list of jobs: sorted, filtered, updated in place; the selection stays on its job, the rows where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from capview.present import Tone
from capview.tui.board import Snapshot
from capview.tui.commands import Where, bindings
from capview.tui.job_columns import Cell, Column, Filter, fitted, sortable, visible, widths
from capview.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from textual import events

    from capture_core.source import Address, Entry

_PARTS = ("text", "head", "cursor", "hint", *(f"tone-{tone}" for tone in Tone))
_NOTHING_YET = (
    "Nothing was captured here yet.",
    "",
    "Start a job, here or in another terminal:",
    "    capview run -- make -j8",
    "and it appears here by itself.",
)


class JobList(LineView, can_focus=True, inherit_bindings=False):
    """Draws the rows on screen and no others, however many jobs there are."""

    BINDINGS = bindings(Where.JOBS)
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"jobs--{part}" for part in _PARTS}
    DEFAULT_CSS = """
    JobList {
        .jobs--text { color: $foreground; background: $background; }
        .jobs--head { color: $text-muted; background: $surface; text-style: bold; }
        .jobs--cursor { color: $foreground; background: $primary-muted; }
        .jobs--hint { color: $text-muted; background: $background; }
        .jobs--tone-busy { color: $text-primary; }
        .jobs--tone-good { color: $text-success; }
        .jobs--tone-bad { color: $text-error; text-style: bold; }
        .jobs--tone-doubtful { color: $text-warning; }
        .jobs--tone-quiet { color: $text-muted; }
        &:focus .jobs--cursor { text-style: bold; }
    }
    """

    snapshot: reactive[Snapshot] = reactive(Snapshot, init=False, repaint=False)
    wanted: reactive[str] = reactive("", init=False, repaint=False)
    """Words that a job must match to be shown."""

    class Highlighted(Message):
        """Another job is selected, or there is news of it; ``None``: there is none."""

        def __init__(self, entry: Entry | None) -> None:
            super().__init__()
            self.entry = entry

        def can_replace(self, message: Message) -> bool:
            """Only where the cursor came to rest matters."""
            return isinstance(message, JobList.Highlighted)

    class Opened(Message):
        """The user wants to see a job's output."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        """Empty, until a snapshot comes."""
        super().__init__(id=id)
        self._shown: list[Entry] = []
        self._cursor: Address | None = None
        self._index = 0
        self._sorts = sortable()
        self._sort = 0
        self._reversed = False
        self._styles: dict[str, Style] | None = None
        self._filter = Filter()
        self._drawn: list[tuple[bool, list[Cell]]] = []

    @property
    def selected(self) -> Entry | None:
        """The job under the cursor."""
        return self._shown[self._index] if self._index < len(self._shown) else None

    @property
    def shown(self) -> tuple[Entry, ...]:
        """The jobs that match, in their order."""
        return tuple(self._shown)

    @property
    def sorted_by(self) -> Column:
        """The column that the list is sorted by."""
        return self._sorts[self._sort]

    def watch_snapshot(self, before: Snapshot, after: Snapshot) -> None:
        """Take news.  Only what is drawn changes when only the time went on."""
        if before.entries is not after.entries or self.sorted_by.title in ("Now", "Took", "Rate"):
            self._arrange()
        if before.watching is not after.watching:
            self.refresh()
        self._refresh_changed()

    def watch_wanted(self) -> None:
        """Show other jobs."""
        self._arrange()
        self._refresh_changed()

    def select(self, address: Address) -> None:
        """Put the cursor on a job, if it is shown."""
        for index, entry in enumerate(self._shown):
            if entry.address == address:
                self._move_to(index)

    def action_cursor_down(self) -> None:
        """Go to the next job."""
        self._move_to(self._index + 1)

    def action_cursor_up(self) -> None:
        """Go to the previous job."""
        self._move_to(self._index - 1)

    def action_page_down(self) -> None:
        """Go a screen down."""
        self._move_to(self._index + self._rows_on_screen)

    def action_page_up(self) -> None:
        """Go a screen up."""
        self._move_to(self._index - self._rows_on_screen)

    def action_first(self) -> None:
        """Go to the first job."""
        self._move_to(0)

    def action_last(self) -> None:
        """Go to the last job."""
        self._move_to(len(self._shown) - 1)

    def action_open(self) -> None:
        """Open the job under the cursor."""
        if self.selected is not None:
            self.post_message(self.Opened(self.selected))

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._sort = (self._sort + 1) % len(self._sorts)
        self._reversed = False
        self._arrange()
        self.refresh()

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._reversed = not self._reversed
        self._arrange()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Select a job; a second click on it opens it."""
        index = round(self.scroll_y) + event.y - 1
        if event.y > 0 and index < len(self._shown):
            self._move_to(index)
            if event.chain > 1:
                self.action_open()

    def on_resize(self) -> None:
        """Have as many rows as fit."""
        self.set_rows(len(self._shown) + 1)
        self._bring_into_view()

    @property
    def _rows_on_screen(self) -> int:
        return max(self.scrollable_content_region.height - 1, 1)

    def _arrange(self) -> None:
        """Filter and sort anew; the cursor stays on its job, and the job at the top at the top, but at the very top."""
        top = round(self.scroll_y)
        above = self._shown[top].address if 0 < top < len(self._shown) else None
        column = self.sorted_by
        self._shown = self._filter.matching(self.snapshot.entries, self.wanted)
        self._shown.sort(
            key=lambda entry: column.key(entry, self.snapshot), reverse=column.falling is not self._reversed
        )
        places: dict[Address | None, int] = {entry.address: index for index, entry in enumerate(self._shown)}
        self._index = places.get(self._cursor, min(self._index, max(len(self._shown) - 1, 0)))
        self.set_rows(len(self._shown) + 1)
        self.scroll_to(y=places.get(above, top), animate=False, immediate=True)
        self._settle()

    def _move_to(self, index: int) -> None:
        self._index = max(0, min(index, len(self._shown) - 1))
        self._settle()
        self._bring_into_view()
        self.refresh()

    def _settle(self) -> None:
        self._cursor = self.selected.address if self.selected else None
        self.post_message(self.Highlighted(self.selected))

    def _bring_into_view(self) -> None:
        top, rows = round(self.scroll_y), self._rows_on_screen
        wanted = min(max(top, self._index - rows + 1), self._index)
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, immediate=True)

    def notify_style_update(self) -> None:
        """Colours changed with the theme or the focus."""
        super().notify_style_update()
        self._styles = None

    def render_line(self, y: int) -> Strip:
        """Draw the head, a job, or what to do when there is none."""
        styles = self._styles = self._styles or {part: self._style(part) for part in _PARTS}
        width = self.scrollable_content_region.width
        if y == 0:
            return Strip([Segment(self._head(width), styles["head"])])
        index = round(self.scroll_y) + y - 1
        if index < len(self._shown):
            return self._row(index, width, styles)
        hint = self._hint()
        text = hint[y - 2] if not self._shown and 2 <= y < len(hint) + 2 else ""  # noqa: PLR2004
        return Strip([Segment(fitted(f"  {text}", width, right=False), styles["hint"])])

    def _style(self, part: str) -> Style:
        style = self.get_component_rich_style(f"jobs--{part}")
        # A tone colours the text of a row, whose background says whether the cursor is on it.
        return Style(color=style.color, bold=style.bold) if part.startswith("tone-") else style

    def _refresh_changed(self) -> None:
        """Have drawn again the rows that look another way: most of the time nothing but the age of a new job does."""
        width = self.scrollable_content_region.width
        columns, top = visible(width), round(self.scroll_y)
        rows = self._shown[top : top + self._rows_on_screen]
        before = self._drawn
        self._drawn = [
            (top + y == self._index, [column.cell(entry, self.snapshot) for column in columns])
            for y, entry in enumerate(rows)
        ]
        if not rows or len(before) != len(rows):
            self.refresh()
            return
        changed = [y for y, (old, new) in enumerate(zip(before, self._drawn, strict=True)) if old != new]
        if changed:
            self.refresh(*(Region(0, y + 1, width, 1) for y in changed))

    def _head(self, width: int) -> str:
        columns = visible(width)
        cells = []
        for column, cell_width in zip(columns, widths(columns, width), strict=True):
            title = column.title
            if title == self.sorted_by.title:
                title += "▾" if column.falling is not self._reversed else "▴"
            cells.append(fitted(title if cell_width > 1 else "", cell_width, right=column.right))
        return " ".join(cells)

    def _row(self, index: int, width: int, styles: dict[str, Style]) -> Strip:
        entry = self._shown[index]
        base = styles["cursor" if index == self._index else "text"]
        columns = visible(width)
        segments: list[Segment] = []
        for column, cell_width in zip(columns, widths(columns, width), strict=True):
            cell = column.cell(entry, self.snapshot)
            style = base if cell.tone is None else base + styles[f"tone-{cell.tone}"]
            segments += Segment(fitted(cell.text, cell_width, right=column.right), style), Segment(" ", base)
        return Strip(segments[:-1]).adjust_cell_length(width, base)

    def _hint(self) -> tuple[str, ...]:
        if self.snapshot.watching is None and not self.snapshot.entries:
            return ("Looking for captures …",)
        if self.snapshot.entries:
            return ("No job matches what you typed.", "", "Esc shows all again.")
        return _NOTHING_YET
