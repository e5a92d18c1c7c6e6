"""One stream searched: its hits in order, from either end, or their number."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from capture_core.hits import matches, pieces
from capture_core.hits.blocks import Blocks
from capture_core.hits.scan import LineScan
from capture_core.hits.stopping import StoppableText, Stopped
from capture_core.hits.threads import in_order
from capture_core.limits.reading import SEARCH_BLOCK_BYTES
from capture_core.limits.searching import (
    SEARCH_BACK_BYTES,
    SEARCH_BATCH_HITS,
    SEARCH_PARALLEL_BYTES,
    SEARCH_PIECE_BYTES,
    SEARCH_THREADS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.find.matcher import Matcher
    from capture_core.hits.matches import Found
    from capture_core.hits.pieces import Piece
    from capture_core.hits.scan import Line
    from capture_core.reader import StreamReader

_T = TypeVar("_T")
Batch = tuple["Found", ...]


class Sizes(NamedTuple):
    """How a stream is cut into work; no answer depends on it."""

    block: int = SEARCH_BLOCK_BYTES
    piece: int = SEARCH_PIECE_BYTES
    parallel: int = SEARCH_PARALLEL_BYTES
    back: int = SEARCH_BACK_BYTES


def _never() -> bool:
    return False


class StreamSearch:
    """A search through the first ``end`` committed bytes of a reader's stream.

    ``stop`` is asked at each block, in any thread; when it says so what was asked for ends, as if there were no more.
    ``skips_zeros``: no match holds a zero, so that holes of a file are not read.
    """

    def __init__(
        self,
        reader: StreamReader,
        matcher: Matcher,
        end: int,
        *,
        invert: bool = False,
        every_match: bool = False,
        skips_zeros: bool = False,
        stop: Callable[[], bool] = _never,
        sizes: Sizes = Sizes(),  # noqa: B008 — frozen
    ) -> None:
        self._reader = reader
        self._text = StoppableText(reader, stop)
        self._read = self._text.read
        self._matcher = matcher
        self._end = end
        self._invert = invert
        self._skips_zeros = skips_zeros
        self._most = matches.most_of(every_match=every_match)
        self._stop = stop
        self._sizes = sizes

    def hits(self, start: int = 0) -> Iterator[Batch]:
        """The hits whose match begins at ``start`` or later, or, of lines without one, that themselves do."""
        with suppress(Stopped):
            yield from self._from(start)

    def hits_before(self, start: int | None = None) -> Iterator[Batch]:
        """The hits whose match begins before ``start``, the last one first."""
        with suppress(Stopped):
            yield from self._before(self._end if start is None else min(start, self._end))

    def count(self) -> int:
        """How many lines are hits."""
        return self._sum(self._count)

    def count_matches(self) -> int:
        """How many matches there are; of lines without one: how many of those."""
        return self._sum(self._count if self._invert else self._count_matches)

    def _sum(self, work: Callable[[Piece], Iterator[int]]) -> int:
        total = 0
        with suppress(Stopped):
            for number in self._each(0, work):
                total += number
        return total

    def _from(self, start: int) -> Iterator[Batch]:
        if start >= self._end:
            return
        line = pieces.line_of(self._text, start)
        if line < start:
            stop = pieces.line_end(self._text, start, self._end)
            if (first := self._in_part(line, stop, start)) is not None:
                yield (first,)
            line = min(stop + 1, self._end)
        yield from self._each(line, self._batches)

    def _before(self, start: int) -> Iterator[Batch]:
        end = start
        if start < self._end and pieces.line_of(self._text, start) < start:
            end = min(pieces.line_end(self._text, start, self._end) + 1, self._end)
        for piece in pieces.backward(self._text, 0, end, self._sizes.back):
            for batch in self._backwards(piece):
                yield tuple(hit for hit in batch if hit.start < start)

    def _each(self, start: int, work: Callable[[Piece], Iterator[_T]]) -> Iterator[_T]:
        cut = pieces.forward(self._text, start, self._end, self._sizes.piece)
        if self._end - start < self._sizes.parallel:
            for piece in cut:
                yield from work(piece)
        else:
            yield from in_order(cut, work, SEARCH_THREADS)

    def _in_part(self, line: int, stop: int, start: int) -> Found | None:
        if self._invert:
            return None
        return matches.found_from(start, line, stop, self._read, self._matcher, most=self._most)

    def _batches(self, piece: Piece) -> Iterator[Batch]:
        found = self._found(piece)
        while batch := tuple(islice(found, SEARCH_BATCH_HITS)):
            yield batch

    def _backwards(self, piece: Piece) -> Iterator[Batch]:
        found = list(self._lines(piece))
        while found and not self._stop():
            last, found = found[-SEARCH_BATCH_HITS:], found[:-SEARCH_BATCH_HITS]
            yield tuple(self._told(line, None) for line, _ in reversed(last))

    def _found(self, piece: Piece) -> Iterator[Found]:
        for line, text in self._lines(piece):
            yield self._told(line, text)

    def _told(self, line: Line, text: bytes | None) -> Found:
        return matches.found(line, text, self._read, None if self._invert else self._matcher, most=self._most)

    def _lines(self, piece: Piece, *, once_a_line: bool = False) -> Iterator[tuple[Line, bytes | None]]:
        """The lines that are hits, with their text where it lies in one block."""
        scan, blocks = self._begin(piece, once_a_line=once_a_line)
        for size in self._blocks(scan, blocks, piece[1]):
            base = scan.base
            for line in scan.feed(blocks.data, size):
                yield line, bytes(blocks.data[line.start - base : line.end - base]) if line.start >= base else None
        if scan.base == piece[1] and (last := scan.finish()) is not None:
            yield last, None

    def _count(self, piece: Piece) -> Iterator[int]:
        scan, blocks = self._begin(piece, once_a_line=True)
        found = sum(scan.count(blocks.data, size) for size in self._blocks(scan, blocks, piece[1]))
        yield found + (scan.base == piece[1] and scan.finish() is not None)

    def _count_matches(self, piece: Piece) -> Iterator[int]:
        lines = self._lines(piece, once_a_line=True)
        yield sum(matches.count_spans(line, text, self._read, self._matcher) for line, text in lines)

    def _begin(self, piece: Piece, *, once_a_line: bool) -> tuple[LineScan, Blocks]:
        scan = LineScan(self._matcher, piece[0], invert=self._invert, once_a_line=once_a_line)
        return scan, Blocks(self._reader, min(self._sizes.block, piece[1] - piece[0]))

    def _blocks(self, scan: LineScan, blocks: Blocks, end: int) -> Iterator[int]:
        while scan.base < end and not self._stop():
            if self._skips_zeros and (hole := blocks.hole(scan.base, end)):
                scan.skip(hole)
            yield blocks.read(scan.base, end)
