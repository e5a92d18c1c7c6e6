"""One growing file as a view sees it: its pages, folds, line count, and what happens when it is replaced."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from capview.pager.counting import RangeCount, newlines_before, start_of
from capview.pager.folds import Folds
from capview.pager.pages import Fetch, Pages, Replaced
from capview.pager.rows import Cuts, Rows

if TYPE_CHECKING:
    from capture_core.line_index import LineIndex
    from capture_core.source import LineCount, Page
    from capview.pager.pages import Reading

Lines: TypeAlias = Callable[[], Awaitable["LineCount"]]


class Document:
    """``committed`` bytes of a stream, grown by :meth:`take`, and a ``trailer`` shown after them.

    Line numbers and new-line counts concern the committed bytes only.  ``lines`` gives a share of the stream's line
    count, which is asked for when lines are to be counted; without it they are counted here, by ranges.
    """

    def __init__(self, fetch: Fetch, cuts: Cuts | None = None, lines: Lines | None = None) -> None:
        self.cuts = cuts or Cuts()
        self.pages = Pages(fetch, page_bytes=self.cuts.page)
        self.folds = Folds(block=self.cuts.page, redraw=self.cuts.redraw)
        self._fetch = fetch
        self._lines = lines
        self._count: LineCount = RangeCount(fetch, None)
        self._has_share = False
        self._given_up: list[LineCount] = []
        """Shares of files that are not shown any more, to be given back."""

    @property
    def index(self) -> LineIndex:
        """The lines counted so far, perhaps of more than is shown here, when another view is ahead."""
        return self._count.index

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
            self._count.take(page)

    def start_over(self, replaced: Replaced) -> None:
        """Begin again on what the file is now."""
        self.pages.reset(replaced.committed, replaced.generation, self.pages.trailer)
        self.folds.clear()
        self._give_up()

    @property
    def indexed(self) -> bool:
        """Whether every committed line is counted."""
        return self.index.counted >= self.committed

    async def index_more(self) -> None:
        """Count some lines that are not counted yet; raises :class:`Replaced`."""
        await self._give_back()
        if self._lines is not None and not self._has_share:
            await self._share(self._lines)
        elif not self.indexed:
            await self._count.more(self.committed)

    def newlines_before(self, offset: int) -> int | None:
        """Newlines before byte ``offset``; ``None`` where they are not counted, or a page is not at hand."""
        return newlines_before(self.index, self.pages, offset)

    def start_of(self, line: int) -> Reading[int | None]:
        """Byte at which a counted line starts; ``None``: the count was wrong, and begins anew."""
        index = self.index
        start = yield from start_of(index, self.pages, line)
        if start is None:
            self._count.distrust(index)
        return start

    async def aclose(self) -> None:
        """Give the line count back."""
        self._give_up()
        await self._give_back()

    async def _share(self, lines: Lines) -> None:
        count = await lines()
        self._given_up.append(count)
        if self.pages.generation not in (None, count.generation):
            page = await self._fetch(0, 0)
            raise Replaced(page.committed, page.generation)
        self._given_up.remove(count)
        self._count, self._has_share = count, True

    def _give_up(self) -> None:
        self._given_up.append(self._count)
        self._count, self._has_share = RangeCount(self._fetch, None), False

    async def _give_back(self) -> None:
        while self._given_up:
            await self._given_up.pop().aclose()
