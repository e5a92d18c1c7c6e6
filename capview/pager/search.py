"""A text searched for in one growing document: from where the reader is to the end, then what comes before."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from capview.limits import VIEW_PAGE_BYTES, VIEW_SEARCH_READ_BYTES
from capview.pager.find import Finder, Places

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from capview.pager.pages import Fetch

_MANY = 100


class Search:
    """Matches of ``text`` in a document, found block by block by :meth:`step`, nearest below ``origin`` first.

    ``origin`` is the start of a row.  Matches are byte ranges.
    """

    def __init__(self, text: str, origin: int) -> None:
        self.text = text
        self._origin = origin
        self._below = Places()
        self._above = Places()
        self._down = Finder(text, origin)
        self._up = Finder(text, 0)

    @property
    def count(self) -> int:
        """Matches found so far."""
        return self._above.count + self._below.count

    def complete(self, committed: int) -> bool:
        """Whether all ``committed`` bytes have been searched."""
        return self._down.at >= committed and self._up.at >= self._origin

    async def step(self, fetch: Fetch, committed: int) -> None:
        """Search one more block; whoever else waits for the loop gets a turn within it, too."""
        if self._down.at < committed:
            async for found in self._found(fetch, self._down, committed):
                self._below.add(found)
        elif self._up.at < self._origin:
            async for found in self._found(fetch, self._up, self._origin):
                self._above.add([place for place in found if place[0] < self._origin])

    def after(self, offset: int) -> tuple[int, int] | None:
        """The first match found that starts at ``offset`` or after it; ``None``: none so far."""
        for places in (self._above, self._below):
            index = places.first_from(offset)
            if index < len(places):
                return places[index]
        return None

    def before(self, offset: int) -> tuple[int, int] | None:
        """The last match found that starts before ``offset``; ``None``: none so far."""
        for places in (self._below, self._above):
            index = places.last_before(offset)
            if index >= 0:
                return places[index]
        return None

    def between(self, start: int, end: int) -> list[tuple[int, int]]:
        """Matches found that touch ``start:end``, in order."""
        return self._above.between(start, end) + self._below.between(start, end)

    def ordinal(self, start: int) -> int | None:
        """Which match, from 1 on, starts at ``start``; ``None`` while those before it are not all found."""
        if start < self._origin:
            return self._above.first_from(start) + 1
        if self._up.at < self._origin:
            return None
        return self._above.count + self._below.first_from(start) + 1

    @staticmethod
    async def _found(fetch: Fetch, finder: Finder, limit: int) -> AsyncGenerator[list[tuple[int, int]]]:
        page = await fetch(finder.at, min(finder.at + VIEW_SEARCH_READ_BYTES, limit))
        if not page.data:
            finder.at = limit
        for start in range(0, len(page.data), VIEW_PAGE_BYTES):
            found = finder.feed(page.data[start : start + VIEW_PAGE_BYTES])
            yield found
            # Where every other byte matches, what takes time is the matches.
            if len(found) > _MANY:
                await asyncio.sleep(0)
