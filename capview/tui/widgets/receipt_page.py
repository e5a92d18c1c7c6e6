"""A receipt to read, scrolled by the same keys as a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widgets import Static

from capview.tui.commands import Where, commands
from capview.tui.facts import page

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from capture_core.source import Entry

_ACTIONS = {
    "down": "scroll_down",
    "up": "scroll_up",
    "page_down": "page_down",
    "page_up": "page_up",
    "top": "scroll_home",
    "end": "scroll_end",
}


class ReceiptPage(VerticalScroll, can_focus=True, inherit_bindings=False):
    """All that is known of one capture."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(command.keys), _ACTIONS[command.name], command.title, show=False)
        for command in commands(Where.LOG)
        if command.name in _ACTIONS
    ]
    DEFAULT_CSS = """
    ReceiptPage { padding: 0 1; height: 1fr; scrollbar-size-vertical: 1; }
    """

    entry: reactive[Entry | None] = reactive(None, init=False)
    now: reactive[float] = reactive(0.0, init=False)

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(markup=False)

    def watch_entry(self) -> None:
        """Write the page anew."""
        # An update lays the screen out, and the page is out of sight most of the time.
        if self.entry is not None and self.is_mounted and self.display:
            self.query_one(Static).update(page(self.entry, self.now))

    def watch_now(self) -> None:
        """Time went on."""
        self.watch_entry()

    def on_show(self) -> None:
        """Write what happened while it was out of sight."""
        self.watch_entry()
