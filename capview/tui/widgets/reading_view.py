"""A scroll view over a growing file: what is on screen comes from cached pages at once, or from a worker soon."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from textual import work
from textual.message import Message
from textual.reactive import reactive

from capture_core.errors import CaptureError
from capview.pager.document import Document, Lines
from capview.pager.pages import Fetch, Miss, Reading, Replaced
from capview.tui.layout import Window
from capview.tui.log_model import Extent, LogModel, Position
from capview.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from textual import events
    from textual.scrollbar import ScrollTo

Step: TypeAlias = Callable[[], Reading[Window]]

_WHEEL_LINES = 3
_QUEUED_STEPS = 32
"""Moves kept while a page is being read; a key held down for longer asks for nothing more."""
PROGRESS_SECONDS = 0.2
"""How often what works in the background (line count, search) shows how far it is."""


class ReadingView(LineView, inherit_bindings=False):
    """Shows one stream: ``fetch`` gives its bytes, ``extent`` says how long it is now.

    Positions are byte addresses.  The scroll bar is in estimated rows and serves no other purpose, so nothing that
    is learnt later (line counts, more output) moves what is on screen.
    """

    extent: reactive[Extent | None] = reactive(None, init=False, repaint=False)

    class Moved(Message):
        """The view shows another place, or knows more about the one it shows."""

        def __init__(self, view: ReadingView) -> None:
            super().__init__()
            self.view = view

        def can_replace(self, message: Message) -> bool:
            """The newest of one view is enough: the view itself says where it is."""
            return isinstance(message, ReadingView.Moved) and message.view is self.view

    def __init__(
        self,
        fetch: Fetch,
        *,
        paint_seconds: float,
        lines: Lines | None = None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """Paint growth at most every ``paint_seconds``; 0: at once, each time.  ``lines``: see :class:`Document`."""
        super().__init__(id=id)
        self.note = ""
        """What happened to the file, in words; empty: nothing."""
        self.model = LogModel(Document(fetch, lines=lines))
        self.reading = False
        """Whether a page that is to be shown is being read."""
        self._paint_seconds = paint_seconds
        self._steps: deque[tuple[Step, bool]] = deque()
        self._counting = False
        self._next_paint = 0.0
        self._paint_planned = False
        self._line_wanted: int | None = None

    def watch_extent(self, extent: Extent | None) -> None:
        """Take a later length of the stream; the first one opens the view, at the end when it is live."""
        if extent is None:
            return
        first = not self.model.opened
        try:
            concerned = self.model.take_extent(extent)
        except Replaced as replaced:
            self.start_over(replaced)
            return
        if first or concerned:
            self._plan_paint()
        else:
            self.tell()
        self._count_on()

    def position(self) -> Position:
        """Where this view is."""
        return self.model.position()

    def go(self, step: Step, *, moved: bool = True) -> None:
        """Show the window that ``step`` leads to: at once when its pages are here, else when they are."""
        if not self._measure():
            return
        if not self.reading:
            self._take(self.model.document.pages.advance(step()), moved=moved)
        elif len(self._steps) < _QUEUED_STEPS and (moved or not self._steps or self._steps[-1][1]):
            self._steps.append((step, moved))

    def go_to_line(self, line: int) -> None:
        """Go to a line by its number, as soon as lines are counted that far; beyond the last one: to the last."""
        self._line_wanted = max(line, 1)
        self.model.following = False
        self._line_found()

    def start_over(self, replaced: Replaced) -> None:
        """Show another file from its start: the one shown so far was cut or replaced."""
        self.note = "the file was cut or replaced: shown anew"
        self._steps.clear()
        self.reading = False
        self.model.start_over(replaced)
        self.go(self.model.here)
        self._count_on()

    def redraw(self) -> None:
        """Draw what is in memory anew."""
        self.refresh()
        self.tell()

    def tell(self) -> None:
        """Say where the view is."""
        self.post_message(self.Moved(self))

    def say(self, words: str) -> None:
        """Say what happened to the file."""
        self.note = words
        self.tell()

    def text_cells(self) -> int:
        """Cells that a line of text has."""
        return self.scrollable_content_region.width

    async def on_unmount(self) -> None:
        """Give back what is shared with other views."""
        await self.model.document.aclose()

    def on_resize(self) -> None:
        """Lay out anew: the byte at the top stays at the top."""
        self.go(self.model.here, moved=False)
        self._count_on()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down by some lines."""
        event.prevent_default().stop()
        self.move(_WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up by some lines."""
        event.prevent_default().stop()
        self.move(-_WHEEL_LINES)

    def on_scroll_to(self, event: ScrollTo) -> None:
        """Go where the scroll bar was dragged to."""
        event.prevent_default().stop()
        if event.y is not None:
            byte = self.model.byte_at(event.y)
            self.model.following = False
            self.go(lambda: self.model.layout().at(byte))

    def move(self, lines: int) -> None:
        """Go ``lines`` down, or up when negative, which stops following."""
        if lines < 0:
            self.model.following = False
        if lines < 0 or not self.model.following:
            self.go(lambda: self.model.here(lines))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:  # noqa: ARG002 - Textual passes both
        """Move the bar only: what is on screen does not depend on it."""
        self.vertical_scrollbar.position = new_value

    def _measure(self) -> bool:
        """Take the size that there is now; tell whether anything can be shown on it."""
        self.model.height = self.scrollable_content_region.height
        self.model.width = self.text_cells()
        return self.model.height > 0 and self.model.opened

    def _take(self, outcome: Window | Miss[Window], *, moved: bool) -> None:
        if isinstance(outcome, Miss):
            self.reading = True
            self._read(outcome, moved=moved)
        else:
            self._show(outcome, moved=moved)

    @work(group="read", exclusive=True)
    async def _read(self, miss: Miss[Window], *, moved: bool) -> None:
        try:
            window = await self.model.document.pages.finish(miss)
        except Replaced as replaced:
            self.start_over(replaced)
        except CaptureError as error:
            self.reading = False
            self._steps.clear()
            self.say(str(error))
        else:
            self.reading = False
            self._show(window, moved=moved)
            if self._steps:
                step, moved = self._steps.popleft()
                self.go(step, moved=moved)

    def _show(self, window: Window, *, moved: bool) -> None:
        self.model.take_window(window, moved=moved)
        self.set_rows(self.model.virtual_height)
        self.scroll_y = self.model.virtual_top
        self.redraw()
        self._fetch_margin(window)

    def _fetch_margin(self, window: Window) -> None:
        """Read the pages above and below the screen before they are asked for."""
        pages = self.model.document.pages
        last = max(pages.length - 1, 0) // pages.page_bytes
        around = {max(0, window.start // pages.page_bytes - 1), min(last, window.end // pages.page_bytes + 1)}
        missing = [number for number in sorted(around) if not pages.held(number)]
        if missing and pages.length:
            self._load(missing)

    @work(group="margin", exclusive=True)
    async def _load(self, numbers: list[int]) -> None:
        for number in numbers:
            try:
                await self.model.document.pages.load(number)
            except (CaptureError, Replaced):
                return  # whoever comes to need that page will be told

    def _plan_paint(self) -> None:
        """Paint what was appended: the first at once, then not more often than agreed."""
        wait = self._next_paint - monotonic()
        if self._paint_planned:
            return
        if wait <= 0:
            self._paint_growth()
        else:
            self._paint_planned = True
            self.set_timer(wait, self._paint_growth)

    def _paint_growth(self) -> None:
        self._paint_planned = False
        self._next_paint = monotonic() + self._paint_seconds
        self.go(self.model.here, moved=False)

    def _count_on(self) -> None:
        """Count the lines that are not counted yet, behind everything else."""
        if self.model.height and not self._counting and not self.model.document.indexed:
            self._counting = True
            self._count()

    @work(group="count")
    async def _count(self) -> None:
        due = monotonic() + PROGRESS_SECONDS
        document = self.model.document
        try:
            while not document.indexed:
                await document.index_more()
                if monotonic() >= due:
                    due = monotonic() + PROGRESS_SECONDS
                    self._counted()
        except Replaced as replaced:
            self._counting = False
            self.start_over(replaced)
        except CaptureError as error:
            self.say(str(error))
        finally:
            self._counting = False
        self._counted()

    def _counted(self) -> None:
        self.model.counted()
        self._line_found()
        self.redraw()

    def _line_found(self) -> None:
        """Go to the wanted line when lines are counted that far."""
        if self._line_wanted is None:
            return
        index = self.model.document.index
        line = min(self._line_wanted, index.lines) if self.model.document.indexed else self._line_wanted
        if line <= index.newlines + 1:
            self._line_wanted = None
            self.go(lambda: self._at_line(line))

    def _at_line(self, line: int) -> Reading[Window]:
        start = yield from self.model.document.start_of(line)
        if start is None:  # what was kept of an earlier count was wrong: counted anew, then gone to
            self._line_wanted = line
            self._count_on()
        return (yield from self.model.layout().at(self.model.anchor if start is None else start))
