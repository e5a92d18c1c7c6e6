"""One growing file as a view sees it: its pages, folds, line index, and what happens when it is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capview.limits import VIEW_INDEX_READ_BYTES
from capview.pager.folds import Folds
from capview.pager.index import LineIndex
from capview.pager.pages import Fetch, Pages, Replaced
from capview.pager.rows import Cuts, Rows

if TYPE_CHECKING:
    from capture_core.source import Page


class Document:
    """``committed`` bytes of a stream, grown by :meth:`take`, and a ``trailer`` shown after them.

    Line numbers and new-line counts concern the committed bytes only.
    """

    def __init__(self, fetch: Fetch, cuts: Cuts | None = None) -> None:
        self.cuts = cuts or Cuts()
        self.pages = Pages(fetch, page_bytes=self.cuts.page)
        self.folds = Folds(block=self.cuts.page, redraw=self.cuts.redraw)
        self.index = LineIndex(self.cuts.page)
        self._fetch = fetch

    @property
    def committed(self) -> int:
        """Bytes of the stream itself."""
        return self.pages.committed

    @property
    def length(self) -> int:
        """Bytes of the stream and of the trailer."""
        return self.pages.length

    def rows(self, *, fold: bool = True) -> Rows:
        """Rows of the document as long as it is now."""
        cuts = (
            self.cuts
            if fold
            else Cuts(
                page=self.cuts.page, piece=self.cuts.piece, redraw=self.cuts.redraw, scan=self.cuts.scan, fold=False
            )
        )
        return Rows(cuts, self.length, self.folds)

    def take(self, committed: int, trailer: bytes = b"") -> None:
        """Take a later state; raise :class:`Replaced` when the file became shorter."""
        self.pages.extend(committed, trailer)

    def append(self, page: Page) -> None:
        """Take bytes that were read to learn whether there are any: nobody needs to read them again."""
        if self.pages.generation in (None, page.generation):
            self.pages.generation = page.generation
            self.pages.add(page.start, page.data)
            if self.index.counted == page.start:
                self.index.feed(page.data)

    def start_over(self, replaced: Replaced) -> None:
        """Begin again on what the file is now."""
        self.pages.reset(replaced.committed, replaced.generation, self.pages.trailer)
        self.folds.clear()
        self.index = LineIndex(self.cuts.page)

    @property
    def indexed(self) -> bool:
        """Whether every committed line is counted."""
        return self.index.counted >= self.committed

    async def index_more(self) -> None:
        """Read and count the next block that is not counted yet."""
        index = self.index
        end = min(index.counted + VIEW_INDEX_READ_BYTES, self.committed)
        page = await self._fetch(index.counted, end)
        if self.pages.generation not in (None, page.generation) or not page.data:
            raise Replaced(page.committed, page.generation)
        # What was appended meanwhile may have counted this block already.
        if index.counted == page.start:
            index.feed(page.data)
