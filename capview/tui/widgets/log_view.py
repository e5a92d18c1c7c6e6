"""A log of any size: follows, wraps, numbers, folds redraws, marks matches, and says what lies beyond its end."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import work
from textual.geometry import Region
from textual.reactive import reactive

from capture_core.errors import CaptureError
from capview.tui.commands import Where, bindings
from capview.tui.log_search import Finding, LogSearch
from capview.tui.widgets.log_paint import PARTS, Marks, Painter
from capview.tui.widgets.reading_view import PROGRESS_SECONDS, ReadingView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

    from capview.pager.document import Lines
    from capview.pager.pages import Fetch, Replaced
    from capview.tui.colours import Run
    from capview.tui.layout import ScreenLine
    from capview.tui.log_model import Extent

_SIDE_CELLS = 8
_MARK_CELLS = 2
"""Of the gutter, beside the digits: a mark (fold, piece, outside) and a space."""


class LogView(ReadingView, can_focus=True, inherit_bindings=False):
    """The keys, the search and the looks of a log."""

    BINDINGS = bindings(Where.LOG)
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"log--{part}" for part in PARTS}
    DEFAULT_CSS = """
    LogView {
        .log--text { color: $foreground; background: $background; }
        .log--gutter { color: $text-muted; background: $background; }
        .log--changed { color: $text-warning; }
        .log--match { background: $warning-muted; color: $text-warning; }
        .log--current { background: $warning; color: $background; text-style: bold; }
        .log--outside { color: $text-muted; background: $surface; }
        .log--marker { color: $text-error; background: $surface; text-style: bold; }
    }
    """

    numbered: reactive[bool] = reactive(True, init=False)

    def __init__(
        self,
        fetch: Fetch,
        *,
        paint_seconds: float,
        lines: Lines | None = None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """See :class:`ReadingView`."""
        super().__init__(fetch, paint_seconds=paint_seconds, lines=lines, id=id)
        self.search = LogSearch()
        self._fetch = fetch
        self._searching = False
        self._painter: Painter | None = None
        self._numbers: list[int | None] = []
        self._marks = Marks()
        self.runs: Sequence[Run] = ()
        self._looks: tuple[object, ...] = ()
        self._drawn: list[tuple[ScreenLine, int | None]] = []

    # ---- movement ----------------------------------------------------------------------------------------------

    def action_end(self) -> None:
        """Go to the end and stay there."""
        self.model.following = True
        self.go(self.model.here)

    def action_top(self) -> None:
        """Go to the start."""
        self.go_to_byte(0)

    def action_down(self) -> None:
        """Go one line down."""
        self.move(1)

    def action_up(self) -> None:
        """Go one line up."""
        self.move(-1)

    def action_half_down(self) -> None:
        """Go half a screen down."""
        self.move(max(1, self.model.height // 2))

    def action_half_up(self) -> None:
        """Go half a screen up."""
        self.move(-max(1, self.model.height // 2))

    def action_page_down(self) -> None:
        """Go a screen down, keeping one line for the eye."""
        self.move(max(1, self.model.height - 1))

    def action_page_up(self) -> None:
        """Go a screen up, keeping one line for the eye."""
        self.move(-max(1, self.model.height - 1))

    def action_follow(self) -> None:
        """Stop following, or go to the end and follow."""
        if self.model.following:
            self.model.following = False
            self.tell()
        else:
            self.action_end()

    def go_to_byte(self, byte: int) -> None:
        """Show the row that holds ``byte`` at the top."""
        self.model.following = False
        self.go(lambda: self.model.layout().at(byte))

    def return_to(self, byte: int, following: bool) -> None:  # noqa: FBT001 - a place as it was kept
        """Go back to a place."""
        if following:
            self.action_end()
        else:
            self.go_to_byte(byte)

    def go_to_percent(self, percent: float) -> None:
        """Go to a part of the bytes."""
        self.go_to_byte(int(self.model.document.length * percent / 100))

    def action_left(self) -> None:
        """Scroll left."""
        self._go_sideways(self.model.left - _SIDE_CELLS)

    def action_right(self) -> None:
        """Scroll right, as far as there is text on screen."""
        self._go_sideways(self.model.left + _SIDE_CELLS)

    def action_line_start(self) -> None:
        """Scroll back to the start of lines."""
        self._go_sideways(0)

    def _go_sideways(self, left: int) -> None:
        widest = max((cell_len(line.text) for line in self.model.window.lines), default=0)
        self.model.left = 0 if self.model.wrap else max(0, min(left, widest - _SIDE_CELLS))
        self.redraw()

    # ---- looks -------------------------------------------------------------------------------------------------

    def action_wrap(self) -> None:
        """Wrap long lines, or scroll them."""
        self.model.wrap = not self.model.wrap
        self.model.left = 0
        self.go(self.model.here, moved=False)

    def action_numbers(self) -> None:
        """Show or hide line numbers."""
        self.numbered = not self.numbered
        self.go(self.model.here, moved=False)

    def action_redraws(self) -> None:
        """Show every redraw, or only the last."""
        self.model.fold = not self.model.fold
        self.go(self.model.here, moved=False)

    def text_cells(self) -> int:
        """Cells beside the gutter."""
        return max(self.scrollable_content_region.width - self._gutter, 1)

    @property
    def _gutter(self) -> int:
        return self.model.digits + _MARK_CELLS if self.numbered else 0

    def redraw(self) -> None:
        """Draw anew: numbers and matches that are known by now, too."""
        window, committed = self.model.window, self.model.document.committed
        self._numbers = self.model.numbers()
        self._marks = Marks(
            matches=self.search.running.between(window.start, window.end) if self.search.running else (),
            current=self.search.current,
            runs=self.runs,
            committed=committed,
            marker_end=committed + (self.extent.marked if self.extent else 0),
        )
        self._refresh_changed(committed if window.end > committed else -1)
        self.tell()

    def _refresh_changed(self, outside: int) -> None:
        """Have drawn again what looks another way than before: a line that has its number now, but not all others."""
        size = self.scrollable_content_region.size
        marks = self._marks
        looks = (size, self._gutter, self.model.left, marks.matches, marks.current, marks.runs, outside, self.reading)
        lines = list(zip(self.model.window.lines, self._numbers, strict=True))
        before, same = self._drawn, looks == self._looks
        self._looks, self._drawn = looks, lines
        if not same:
            self._painter = None
            self.refresh()
        elif changed := [y for y in range(size.height) if before[y : y + 1] != lines[y : y + 1]]:
            self.refresh(*(Region(0, y, size.width, 1) for y in changed))

    def notify_style_update(self) -> None:
        """Colours changed with the theme or the focus."""
        super().notify_style_update()
        self._painter = None

    def render_line(self, y: int) -> Strip:
        """Draw line ``y`` of the screen from what is in memory."""
        painter = self._painter = self._painter or self._new_painter()
        lines = self.model.window.lines
        if y < len(lines):
            return painter.paint(lines[y], self._numbers[y], left=self.model.left, marks=self._marks)
        return painter.placeholder() if self.reading and not lines else painter.blank()

    def _new_painter(self) -> Painter:
        styles = {part: self.get_component_rich_style(f"log--{part}") for part in PARTS}
        return Painter(styles, self.scrollable_content_region.width, self._gutter)

    def watch_extent(self, extent: Extent | None) -> None:
        """Search what was appended, too."""
        super().watch_extent(extent)
        if self.search.running and not self._searching:
            self._start_search()

    # ---- search ------------------------------------------------------------------------------------------------

    def finding(self) -> Finding | None:
        """What its search has found; ``None``: nothing is searched for."""
        return self.search.finding(self.model.document.committed)

    def search_for(self, text: str, origin: int) -> None:
        """Search for ``text`` from the byte ``origin`` on; no text: for nothing."""
        self.search.look_for(text, origin)
        self.workers.cancel_group(self, "search")
        self._searching = False
        if text:
            self._start_search()
        self.redraw()

    def _start_search(self) -> None:
        self._searching = True
        self._search_on()

    def action_next_match(self) -> None:
        """Go to the next match."""
        self.search.want(forward=True, place=self.model.window.start)
        self._match_found()

    def action_previous_match(self) -> None:
        """Go to the previous match."""
        self.search.want(forward=False, place=self.model.window.start)
        self._match_found()

    def start_over(self, replaced: Replaced) -> None:
        """Show another file from its start, and search for nothing in it."""
        self.search_for("", 0)
        super().start_over(replaced)

    @work(group="search")
    async def _search_on(self) -> None:
        """Search to the end, and on as the log grows; a match that is wanted is shown as soon as it is found."""
        search, document = self.search.running, self.model.document
        due = 0.0
        while search is not None and search is self.search.running:
            if search.complete(document.committed):
                self._searching = False
                self._match_found()
                return
            try:
                await search.step(self._fetch, document.committed)
            except CaptureError as error:
                self._searching = False
                self.say(str(error))
                return
            self._go_to_wanted_match()
            if monotonic() >= due:
                due = monotonic() + PROGRESS_SECONDS
                self.redraw()

    def _match_found(self) -> None:
        self._go_to_wanted_match()
        self.redraw()

    def _go_to_wanted_match(self) -> None:
        """Show the match that is wanted, when it is found by now."""
        match = self.search.found(self.model.document.committed)
        if match is not None:
            self._show_match(match)

    def _show_match(self, match: tuple[int, int]) -> None:
        window = self.model.window
        self.model.following = False
        self._reveal(match)
        if not window.start <= match[0] < window.end:
            self.go(lambda: self.model.layout().at(match[0], down=-(self.model.height // 3)))

    def _reveal(self, match: tuple[int, int]) -> None:
        """Scroll sideways until the match is in sight."""
        if self.model.wrap:
            return
        for line in self.model.window.lines:
            if line.row.start <= match[0] < line.row.next:
                start = cell_len(line.shown.text[: line.shown.index_of(match[0] - line.row.start)])
                room = self.model.width
                if not self.model.left <= start <= self.model.left + room - (match[1] - match[0]):
                    self.model.left = max(0, start - room // 3) if start > room // 2 else 0
