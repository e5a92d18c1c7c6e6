"""Lines counted by ranges of a source, where the source has no count of its own; and line numbers as views ask them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.line_index import LineIndex
from capview.limits import VIEW_INDEX_READ_BYTES
from capview.pager.pages import Replaced

if TYPE_CHECKING:
    from capture_core.source import Page
    from capview.pager.pages import Fetch, Pages, Reading


class RangeCount:
    """One view's own count, a :class:`capture_core.source.LineCount`: ``fetch`` gives the bytes."""

    def __init__(self, fetch: Fetch, generation: int | None) -> None:
        self.index = LineIndex()
        self._fetch = fetch
        self._generation = generation

    @property
    def generation(self) -> int:
        """As the pages say that came."""
        return self._generation or 1

    async def more(self, committed: int) -> None:
        """Read and count the next block; raises :class:`Replaced`."""
        index = self.index
        page = await self._fetch(index.counted, min(index.counted + VIEW_INDEX_READ_BYTES, committed))
        if self._generation not in (None, page.generation) or not page.data:
            raise Replaced(page.committed, page.generation)
        self.take(page)

    def take(self, page: Page) -> None:
        """Count bytes, unless they were counted while they were read."""
        if page.start == self.index.counted and self._generation in (None, page.generation):
            self._generation = page.generation
            self.index.feed(page.data)

    def distrust(self, index: LineIndex) -> None:
        """Count anew."""
        if self.index is index:
            self.index = LineIndex()

    async def aclose(self) -> None:
        """Nothing is held."""


def newlines_before(index: LineIndex, pages: Pages, offset: int) -> int | None:
    """Newlines before byte ``offset``; ``None`` where the count has not come yet, or a page is not at hand."""
    known = index.before(offset)
    if known is None:
        return None
    at, found = known
    while at < offset:
        number, within = divmod(at, pages.page_bytes)
        end = min(offset - at + within, pages.page_bytes)
        page = pages.held(number)
        if len(page) < end:
            return None
        found += page.count(b"\n", within, end)
        at += end - within
    return found


def start_of(index: LineIndex, pages: Pages, line: int) -> Reading[int | None]:
    """Byte at which ``line`` starts, or the end where it is not there (yet); ``None``: the count is wrong.

    Its block is counted again for that, when all of it is here.
    """
    if line <= 1:
        return 0
    block = index.block_of(line)
    if block is None:
        return pages.committed
    wanted, found, start = line - 1 - block.before, 0, None
    end = min(block.end, pages.committed)
    for number in range(block.start // pages.page_bytes, -(-end // pages.page_bytes)):
        first = number * pages.page_bytes
        page = (yield number)[max(block.start - first, 0) : end - first]
        newlines = page.count(b"\n")
        if start is None and found + newlines >= wanted:
            start = max(first, block.start) + _behind(page, wanted - found)
        found += newlines
    if end == block.end and found != block.newlines:
        return None
    return pages.committed if start is None else start


def _behind(page: bytes, count: int) -> int:
    at = -1
    for _ in range(count):
        at = page.find(b"\n", at + 1)
    return at + 1
