"""A log as its command coloured it; of the colours, only those of what is on screen and a margin are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from textual import work

from capture_core.errors import CaptureError
from capview.limits import VIEW_COLOURS_AGAIN_SECONDS, VIEW_PAGE_BYTES
from capview.tui.colours import Colours
from capview.tui.widgets.log_view import LogView

if TYPE_CHECKING:
    from capture_core.sidecar import Mark
    from capture_core.source import Marks
    from capview.pager.document import Lines
    from capview.pager.pages import Fetch, Replaced

FetchMarks: TypeAlias = Callable[[int, int], Awaitable["Marks"]]


class ColouredLog(LogView):
    """A log view with the styles that ``fetch_marks`` gives for a range of bytes."""

    def __init__(self, fetch: Fetch, fetch_marks: FetchMarks, *, paint_seconds: float, lines: Lines) -> None:
        super().__init__(fetch, paint_seconds=paint_seconds, lines=lines)
        self._fetch_marks = fetch_marks
        self._colours = Colours()
        self._asked = (0, 0)
        """The bytes whose colours are being read."""
        self._coloured = True
        self._read_colours_at = -1
        """The length of a growing stream whose last colours are read once more, or were."""

    def action_colours(self) -> None:
        """Show colours as the command printed them, or none."""
        self._coloured = not self._coloured
        self.redraw()

    def redraw(self) -> None:
        """Draw anew, in the colours that are known; ask for those that are not."""
        window = self.model.window
        end = min(window.end, self.model.document.committed)
        self.runs = self._colours.between(window.start, end) if self._coloured else ()
        super().redraw()
        is_asked = self._asked[0] <= window.start and end <= self._asked[1]
        if self._coloured and not is_asked and not self._colours.cover(window.start, end):
            self._read_colours(window.start, end)

    def start_over(self, replaced: Replaced) -> None:
        """Show another file: its colours are others."""
        self._colours = Colours()
        super().start_over(replaced)

    def _read_colours(self, start: int, end: int) -> None:
        """Read the colours around ``start:end``."""
        committed = self.model.document.committed
        self._asked = max(0, start - VIEW_PAGE_BYTES), min(committed, end + VIEW_PAGE_BYTES)
        self._take_colours(*self._asked, committed)

    @work(group="colours", exclusive=True)
    async def _take_colours(self, start: int, end: int, committed: int) -> None:
        """Read those of a growing end once more, for they are written after it."""
        try:
            self._colours = Colours(start, end, await self._marks_of(start, end))
        except CaptureError:
            self._colours = Colours(start, end)  # the text says what happened to the capture, and needs no colours
        self._asked = (0, 0)
        if end == committed != self._read_colours_at and self.model.live:
            self._read_colours_at = committed
            self.set_timer(VIEW_COLOURS_AGAIN_SECONDS, self._read_end_again)
        self.redraw()

    async def _marks_of(self, start: int, end: int) -> list[Mark]:
        marks: list[Mark] = []
        while start < end:
            answer = await self._fetch_marks(start, end)
            marks += answer.marks
            start = max(answer.end, start + 1)
        return marks

    def _read_end_again(self) -> None:
        window = self.model.window
        if self._coloured and window.end >= self._read_colours_at == self.model.document.committed:
            self._read_colours(window.start, window.end)
