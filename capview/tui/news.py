"""What a screen says when it comes into sight: the app then gives it the newest snapshot."""

from __future__ import annotations

from textual.message import Message


class NewsWanted(Message):
    """The screen shows nothing new while it is covered, and wants to know what happened meanwhile."""
