"""What one view of a log shows and has shown: its place, its size, whether it follows, and what it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capview.tui.layout import Layout, Window

if TYPE_CHECKING:
    from capview.pager.document import Document
    from capview.pager.pages import Reading, Replaced

_USUAL_LINE_BYTES = 20
"""Lines of logs are longer: with it the gutter is wide enough before the lines are counted."""
_FEWEST_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How long the stream is now: ``committed`` bytes.

    ``trailer`` is what to say after its last byte; the first ``marked`` bytes of that tell of a loss.
    """

    committed: int = 0
    trailer: bytes = b""
    marked: int = 0
    live: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a view is, for its status line.  ``None``: not counted yet.

    ``unread`` new lines came that this view has not shown; ``counting``: there are at least as many.
    """

    line: int | None
    lines: int | None
    byte: int
    percent: int
    following: bool
    live: bool
    unread: int | None
    counting: bool
    left: int


class LogModel:
    """The state behind a log view.  It reads nothing: it makes readings, and takes the windows they lead to.

    Its cursor, how far this view has shown the stream, is its own: nothing else moves it, and it moves nothing.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.window = Window()
        self.anchor = 0
        self.following = False
        self.wrap = False
        self.fold = True
        self.height = 0
        self.width = 0
        self.left = 0
        self.live = False
        self._seen: int | None = None
        self._seen_newlines: int | None = None
        self._digits = _FEWEST_DIGITS
        self._row_bytes = 0.0

    @property
    def opened(self) -> bool:
        """Whether the length of the stream is known."""
        return self._seen is not None

    def take_extent(self, extent: Extent) -> bool:
        """Take a later length; tell whether what is on screen is concerned.  Raises ``Replaced``."""
        before = self.document.length
        self.live = extent.live
        self.document.take(extent.committed, extent.trailer)
        if self._seen is None:
            self._seen = extent.committed
            self.following = extent.live
        return self.document.length != before and (self.following or self.window.at_end)

    def start_over(self, replaced: Replaced) -> None:
        """The file is another: nothing of it was shown yet."""
        self.document.start_over(replaced)
        self.window = Window()
        self.anchor, self._seen, self._seen_newlines = 0, 0, None

    def layout(self) -> Layout:
        """Lays out the document as it is now, on the size that the view has now."""
        return Layout(self.document.rows(fold=self.fold), height=self.height, width=self.width if self.wrap else None)

    def here(self, down: int = 0) -> Reading[Window]:
        """The window at the anchor, moved by ``down`` lines; at the end when following."""
        if self.following and not down:
            return self.layout().at_end()
        return self.layout().at(self.anchor, down=down)

    def take_window(self, window: Window, *, moved: bool) -> None:
        """Show ``window``; unless the view ``moved``, the anchor stays though a line may start before it."""
        self.window = window
        if moved or self.following or not window.start <= self.anchor < window.end:
            self.anchor = window.start
        if not self._row_bytes and window.lines:
            self._row_bytes = max((window.end - window.start) / len(window.lines), 1.0)
        shown = min(window.end, self.document.committed)
        if self._seen is not None and shown > self._seen:
            self._seen, self._seen_newlines = shown, None

    def counted(self) -> None:
        """More lines were counted: with all of them known the size of a row is."""
        index = self.document.index
        if self.document.indexed and index.newlines:
            self._row_bytes = index.counted / index.newlines

    @property
    def digits(self) -> int:
        """Digits of the gutter; it never becomes narrower, and rarely wider, so that the text stays where it is."""
        guess = max(self.document.committed // _USUAL_LINE_BYTES, self.document.index.newlines + 1)
        self._digits = max(self._digits, len(str(guess)))
        return self._digits

    @property
    def virtual_height(self) -> int:
        """Height of the document in rows, for the scroll bar: estimated, which costs nothing but its exactness."""
        if self.window.start == 0 and self.window.at_end:
            return self.height
        return max(self.height + 1, round(self.document.length / (self._row_bytes or 1.0)))

    @property
    def virtual_top(self) -> int:
        """Row at which the window starts, for the scroll bar; 0 and the last one only at the very ends."""
        last = self.virtual_height - self.height
        if self.window.at_end:
            return last
        place = round(self.window.start / self.document.length * self.virtual_height)
        return 0 if self.window.start == 0 else min(max(place, 1), max(last - 1, 0))

    def byte_at(self, top: float) -> int:
        """The byte that the scroll bar means by row ``top``."""
        last = max(self.virtual_height - self.height, 1)
        return int(self.document.length * min(max(top / last, 0.0), 1.0))

    def numbers(self) -> list[int | None]:
        """Line number of each line on screen, 1-based; ``None`` where it is not counted yet."""
        numbers: list[int | None] = []
        row, number = None, None
        for line in self.window.lines:
            if line.row is not row:
                number = self._number(line.row.start) if row is None else _next(number, newline=row.newline)
                row = line.row
            numbers.append(number)
        return numbers

    def position(self) -> Position:
        """Where this view is."""
        index, document = self.document.index, self.document
        return Position(
            line=self._number(min(self.window.start, document.committed)),
            lines=index.lines if document.indexed else None,
            byte=self.anchor,
            percent=100 if self.window.at_end else int(100 * self.window.end / max(document.length, 1)),
            following=self.following,
            live=self.live,
            unread=self.unread(),
            counting=not document.indexed,
            left=self.left,
        )

    def unread(self) -> int | None:
        """Lines that came and that this view has not shown; ``None``: some, not counted yet."""
        seen = self._seen or 0
        if seen >= self.document.committed:
            return 0
        if self._seen_newlines is None:
            self._seen_newlines = self.document.newlines_before(seen)
        if self._seen_newlines is None:
            return None
        return max(1, self.document.index.newlines - self._seen_newlines)

    def _number(self, start: int) -> int | None:
        newlines = self.document.newlines_before(start)
        return None if newlines is None else newlines + 1


def _next(number: int | None, *, newline: bool) -> int | None:
    return None if number is None else number + newline
