"""Where a line begins and which line a byte is in, asked of one open stream: counted as far as the question needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from capture_core.line_index import LineIndex
from capture_core.lines import after_lines, count_newlines

if TYPE_CHECKING:
    from capture_core.line_index import Block
    from capture_core.reader import FileMark, StreamReader


class KeptIndexes(Protocol):
    """Where indexes of ended captures are kept; see :class:`capture_core.line_cache.LineCache`."""

    def load(self, mark: FileMark) -> LineIndex | None:
        """The index of the text that ``mark`` tells, if there is one."""

    def keep(self, mark: FileMark, index: LineIndex) -> None:
        """Keep the index of a whole text."""


class LinePlaces:
    """The lines of ``reader``'s stream by number, from 1.

    With a ``cache``, the index of an ended capture is taken from there, and left there once it is whole.  What comes
    from there is checked where it is used: a block that does not hold the newlines that it should makes the whole
    index count for nothing.
    """

    def __init__(self, reader: StreamReader, cache: KeptIndexes | None = None) -> None:
        self._reader = reader
        self._cache = cache
        self._mark = reader.mark() if cache is not None else None
        self._index = LineIndex()
        self._is_checked = True
        if cache is not None and self._mark is not None and (kept := cache.load(self._mark)) is not None:
            self._index, self._is_checked = kept, False

    def start_of(self, line: int) -> int:
        """The byte at which ``line`` begins; the committed end when the stream has fewer lines."""
        if line <= 1:
            return 0
        end = self._reader.committed
        block = self._index.block_of(line) or self._count_to(line - 1, end)
        if not self._holds(block or self._index.block_at(end - 1)):
            return self.start_of(line)
        if block is None:
            return end
        nth = line - 1 - block.before
        return after_lines(self._reader.read, block.start, block.end, nth, data_from=self._reader.data_from)

    def line_of(self, offset: int) -> int:
        """The line that byte ``offset`` is in; of the committed end: that which begins, or goes on, there."""
        end = self._reader.committed
        offset = max(0, min(offset, end))
        if offset > self._index.counted:
            self._catch_up(offset, end)
        block = self._index.block_at(min(offset, self._index.counted - 1))
        if not self._holds(block):
            return self.line_of(offset)
        if block is None:
            return 1
        return block.before + count_newlines(self._reader.read, block.start, offset) + 1

    def known_line_of(self, offset: int, *, within_bytes: int) -> int | None:
        """The same, unless more than so many bytes would have to be counted for it."""
        return self.line_of(offset) if offset - self._index.counted <= within_bytes else None

    def range(self, first: int, last: int | None) -> tuple[int, int]:
        """The byte range of the lines ``first`` to ``last``, both included; ``None``: to the end."""
        start = self.start_of(first)
        return start, self._reader.committed if last is None else self.start_of(last + 1)

    def _count_to(self, newlines: int, end: int) -> Block | None:
        self._reader.catch_up(self._index, end, stop=lambda: self._index.newlines >= newlines)
        self._keep(end)
        return self._index.block_of(newlines + 1)

    def _catch_up(self, offset: int, end: int) -> None:
        self._reader.catch_up(self._index, offset)
        self._keep(end)

    def _keep(self, end: int) -> None:
        if self._cache is not None and self._mark is not None and self._index.counted == end:
            self._cache.keep(self._mark, self._index)

    def _holds(self, block: Block | None) -> bool:
        """Whether the block holds the newlines that the index says; if not, the index is made anew."""
        if self._is_checked or block is None:
            return True
        found = count_newlines(self._reader.read, block.start, block.end, data_from=self._reader.data_from)
        if found == block.newlines:
            return True
        self._index, self._is_checked = LineIndex(), True
        return False
