"""One stream with its status line: where the view is, what came meanwhile, what the search found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content

from capview.tui.widgets.coloured_log import ColouredLog
from capview.tui.widgets.line import Line

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from capview.pager.document import Lines
    from capview.pager.pages import Fetch
    from capview.tui.log_model import Position
    from capview.tui.log_search import Finding
    from capview.tui.widgets.coloured_log import FetchMarks
    from capview.tui.widgets.reading_view import ReadingView


class LogPane(Vertical):
    """A log view, and one line below it."""

    DEFAULT_CSS = """
    LogPane { width: 1fr; height: 1fr; }
    LogPane LogView { height: 1fr; }
    LogPane:focus-within Line { color: $foreground; background: $panel; }
    """

    def __init__(
        self, stream: str, fetch: Fetch, fetch_marks: FetchMarks, *, paint_seconds: float, lines: Lines
    ) -> None:
        """Shows ``stream``, whose bytes ``fetch`` gives, ``fetch_marks`` their styles, and ``lines`` their count."""
        super().__init__(id=f"pane-{stream}")
        self.stream = stream
        self.view = ColouredLog(fetch, fetch_marks, paint_seconds=paint_seconds, lines=lines)
        self.status = Line()

    def compose(self) -> ComposeResult:
        """The view and its status."""
        yield self.view
        yield self.status

    def on_reading_view_moved(self, event: ReadingView.Moved) -> None:
        """Say where the view is now."""
        event.stop()
        self.status.left = Content.assemble((self.stream, "bold"), f"  {where(self.view.position())}")
        self.status.right = Content(self._right())

    def _right(self) -> str:
        finding = self.view.finding()
        return "  ".join(part for part in (self.view.note, finding and found(finding)) if part)


def where(position: Position) -> str:
    """``line 12 of 340  3%  ↓ 5 new lines (G)``."""
    parts = []
    line = "…" if position.line is None else f"{position.line:,}"
    parts.append(f"line {line}" if position.lines is None else f"line {line} of {position.lines:,}")
    parts.append(f"{position.percent}%")
    if position.left:
        parts.append(f"column {position.left + 1}")
    if position.following:
        parts.append("following" if position.live else "end")
    elif position.unread != 0:
        parts.append(_unread(position))
    return "  ".join(parts)


def found(finding: Finding) -> str:
    """``3 of 17 "error"``; while the search goes on, with dots."""
    which = f"{finding.ordinal:,} of " if finding.ordinal is not None else ""
    going_on = "" if finding.complete else " …"
    return f"{which}{finding.count:,}{going_on} “{finding.text}”"


def _unread(position: Position) -> str:
    if position.unread is None:
        return "↓ new lines (G)"
    more = " or more" if position.counting else ""
    return f"↓ {position.unread:,}{more} new line{'' if position.unread == 1 and not more else 's'} (G)"
