"""One line of text: a heading, a status, the keys.  What stands in it is never markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from capview.tui.commands import COMMANDS, Command, Where, key_name

if TYPE_CHECKING:
    from textual import events


class Line(Widget):
    """``left`` and, at the other end, ``right``; where both do not fit, the end of ``left`` is left out."""

    DEFAULT_CSS = """
    Line { height: 1; background: $surface; color: $text-muted; padding: 0 1; }
    """

    left: reactive[Content] = reactive(Content(""))
    right: reactive[Content] = reactive(Content(""))

    def render(self) -> Content:
        """Put both into one line."""
        room = max(self.size.width - self.right.cell_length - 1, 0)
        left = self.left.truncate(room, ellipsis=True, pad=True) if room else Content("")
        return Content.assemble(left, " ", self.right)


class KeyBar(Widget):
    """The keys that one can press here, each of which can be clicked."""

    DEFAULT_CSS = """
    KeyBar { height: 1; background: $surface; color: $text-muted; padding: 0 1; }
    """

    class Pressed(Message):
        """A command was clicked."""

        def __init__(self, command: Command) -> None:
            super().__init__()
            self.command = command

    def __init__(self, *places: Where) -> None:
        """Shows the footer commands of ``places``, in their order."""
        super().__init__()
        self._commands = [c for place in places for c in COMMANDS if c.where is place and c.footer]

    def render(self) -> Content:
        """Keys and titles, as many as fit."""
        parts = [
            Content.assemble((key_name(command.keys[0]), "bold $text-primary"), f" {command.title}  ")
            for command in self.fitting()
        ]
        return Content("").join(parts)

    def fitting(self) -> list[Command]:
        """The commands there is room for: those that work everywhere stay, of the others the first."""
        shown = list(self._commands)
        while shown and sum(map(_cells, shown)) > self.size.width:
            here = [command for command in shown if command.where is not Where.EVERYWHERE]
            shown.remove((here or shown)[-1])
        return shown

    def on_click(self, event: events.Click) -> None:
        """Find the command under the pointer."""
        at = event.x - self.styles.padding.left
        for command in self.fitting():
            if 0 <= at < _cells(command):
                self.post_message(self.Pressed(command))
            at -= _cells(command)


def _cells(command: Command) -> int:
    return len(f"{key_name(command.keys[0])} {command.title}  ")
