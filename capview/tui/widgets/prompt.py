"""One line to type in, at the foot of the screen: what to filter by, to search for, to go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.widgets import Input

from capview.tui.commands import Where, bindings

if TYPE_CHECKING:
    from textual.binding import BindingType


class Prompt(Input):
    """Says what is typed as it is typed (:class:`Input.Changed`), then taken (``Submitted``) or left."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.PROMPT)
    DEFAULT_CSS = """
    Prompt { height: 1; border: none; padding: 0 1; background: $boost; }
    Prompt:focus { border: none; }
    """

    class Left(Message):
        """The user wants everything as it was before typing."""

    def action_cancel(self) -> None:
        """Leave."""
        self.post_message(self.Left())
