"""The help: the keys of where you are, out of the command table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from capview.tui.commands import Where, help_rows

if TYPE_CHECKING:
    from textual.app import ComposeResult


class HelpScreen(ModalScreen[None]):
    """Lists the commands of ``places``; any of the keys that open and leave things closes it."""

    BINDINGS = [Binding("escape,question_mark,f1,enter,q", "dismiss", "Close", show=False)]  # noqa: RUF012
    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $primary; padding: 0 2; scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *places: Where) -> None:
        super().__init__()
        self._places = places

    def compose(self) -> ComposeResult:
        """One text."""
        with VerticalScroll():
            yield Static(help_text(*self._places))


def help_text(*places: Where) -> Content:
    """Keys on the left, what they do on the right, by place."""
    lines: list[Content] = []
    for heading, rows in help_rows(*places):
        lines.append(Content.styled(heading, "bold $text-primary"))
        lines += [Content.assemble((f"  {keys:<18}", "bold"), f" {words}") for keys, words in rows]
        lines.append(Content(""))
    return Content("\n").join([*lines, Content.styled("Esc closes this help.", "$foreground 60%")])
