"""An app of one log view on a real file, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from capview.tui.log_model import Extent
from capview.tui.widgets.log_view import LogView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tests.view.files import File


class LogApp(App[None]):
    """Shows ``file`` as it is; ``live``: still being written."""

    def __init__(self, file: File, *, live: bool = False) -> None:
        super().__init__()
        self.file = file
        self.live = live

    def compose(self) -> ComposeResult:
        yield LogView(self.file.fetch, paint_seconds=0)

    def on_mount(self) -> None:
        self.grow()
        self.view.focus()

    @property
    def view(self) -> LogView:
        return self.query_one(LogView)

    def grow(self, data: bytes = b"", *, marker: bytes = b"", rest: bytes = b"") -> None:
        """Append ``data`` and tell the view, with a marker and a rest after it when it was cut there."""
        self.view.extent = Extent(
            committed=self.file.append(data), trailer=marker + rest, marked=len(marker), live=self.live
        )

    def screen_text(self) -> list[str]:
        """What is drawn, line by line, trailing blanks left out."""
        height = self.view.scrollable_content_region.height
        return [self.view.render_line(y).text.rstrip() for y in range(height)]
