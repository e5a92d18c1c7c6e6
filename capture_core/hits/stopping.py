"""A text that is read no further once somebody says so: however long a line is, a search through it can be left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.hits.pieces import Text


class Stopped(Exception):
    """Nobody wants to know any more."""


class StoppableText:
    """``text``, until ``stop`` says so; it is asked before each read, in any thread."""

    def __init__(self, text: Text, stop: Callable[[], bool]) -> None:
        self._text = text
        self._stop = stop

    def read(self, start: int, end: int) -> bytes:
        """Exactly these bytes; raises :class:`Stopped`."""
        if self._stop():
            raise Stopped
        return self._text.read(start, end)

    def data_from(self, offset: int) -> int:
        """The first offset from there on that may hold anything but zeros."""
        return self._text.data_from(offset)
