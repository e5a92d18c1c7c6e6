"""The numbers of lines that are hits: counted as far as they need it, in steps between which it can be stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits.reading import SEARCH_BLOCK_BYTES
from capture_core.limits.searching import SEARCH_NUMBERING_BYTES
from capture_core.line_places import LinePlaces
from capture_core.lines import count_newlines

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.line_places import KeptIndexes
    from capture_core.reader import StreamReader


class Numbers:
    """Line numbers, from 1, in ``reader``'s stream; cheap for offsets that follow each other."""

    def __init__(self, reader: StreamReader, cache: KeptIndexes | None, stop: Callable[[], bool]) -> None:
        self._reader = reader
        self._places = LinePlaces(reader, cache)
        self._stop = stop
        self._known = (0, 1)
        self._counted = 0

    def of(self, offset: int) -> int | None:
        """The number of the line that begins at ``offset``; ``None``: it was stopped."""
        at, number = self._known
        if 0 <= offset - at <= SEARCH_BLOCK_BYTES:
            number += count_newlines(self._reader.read, at, offset)
        elif (asked := self._ask(offset)) is None:
            return None
        else:
            number = asked
        self._known = offset, number
        return number

    def _ask(self, offset: int) -> int | None:
        while self._counted + SEARCH_NUMBERING_BYTES < offset:
            if self._stop():
                return None
            self._counted += SEARCH_NUMBERING_BYTES
            self._places.line_of(self._counted)
        self._counted = max(self._counted, offset)
        return self._places.line_of(offset)
