"""Line numbers from one count a block: sparse, grown in order with its stream, exact as far as it has come; pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import repeat
from typing import Final

from capture_core.limits.reading import LINE_INDEX_BLOCK_BYTES, LINE_INDEX_COUNTS
from capture_core.record import NamedTuple

_NEWLINE: Final = ord(b"\n")
_LONG_LINE_BYTES: Final = 24
"""Where lines are longer, jumping from newline to newline is faster than a look at every byte; at 65, twice as fast."""


class Block(NamedTuple):
    """A stretch of a stream and its newlines, as they were counted, and how many lie before it."""

    start: int
    end: int
    before: int
    newlines: int


class _Counted(NamedTuple):
    """All that is known.  Replaced as a whole, so that who reads it beside a thread that counts sees one moment.

    ``before[n]``: newlines before byte ``n * stride``; counts are appended to it, never changed.
    """

    end: int
    newlines: int
    is_open: bool
    stride: int
    before: array[int]


class LineIndex:
    """Newlines before every ``stride`` bytes, for the ``counted`` bytes fed so far.

    1 GiB takes 128 KiB.  At most ``most`` counts are kept, 8 bytes each: beyond, every second one is forgotten and
    the stride doubles, so that there is a bound for any file.  One feeds it at a time; anybody may ask meanwhile.
    """

    def __init__(self, block: int = LINE_INDEX_BLOCK_BYTES, *, most: int = LINE_INDEX_COUNTS) -> None:
        self._most = most
        self._has_long_lines = False
        self._seen = _Counted(0, 0, is_open=False, stride=block, before=array("Q", [0]))

    @classmethod
    def restored(cls, *, stride: int, before: array[int], end: int, newlines: int, is_open: bool) -> LineIndex:
        """The index whose parts these are, unchecked."""
        index = cls()
        index._seen = _Counted(end, newlines, is_open, stride, before)
        return index

    @property
    def counted(self) -> int:
        """Bytes counted so far."""
        return self._seen.end

    @property
    def newlines(self) -> int:
        """Newlines counted so far."""
        return self._seen.newlines

    @property
    def lines(self) -> int:
        """Lines counted so far, one that has not ended among them."""
        seen = self._seen
        return seen.newlines + seen.is_open

    @property
    def is_open(self) -> bool:
        """Whether the last line counted has not ended."""
        return self._seen.is_open

    @property
    def stride(self) -> int:
        """Bytes between two counts."""
        return self._seen.stride

    @property
    def counts(self) -> array[int]:
        """Newlines before each multiple of :attr:`stride`, from 0 on; not to be changed."""
        return self._seen.before

    def feed(self, data: bytes | bytearray) -> None:
        """Count the bytes that follow those counted so far."""
        if not data:
            return
        start = 0
        while start < len(data):
            room = self._seen.stride - self._seen.end % self._seen.stride
            part = data[start : start + room] if start or room < len(data) else data
            self._take(len(part), self._newlines_in(part), is_open=part[-1] != _NEWLINE)
            start += len(part)

    def skip(self, end: int) -> None:
        """Take what lies before byte ``end`` for a hole of the file: it reads as zeros, no newline among them."""
        while (size := end - self.counted) > 0:
            # Up to the last count that there is room for.
            room = self.stride * (self._most - len(self._seen.before) + 1) - self.counted % self.stride
            self._take(min(size, room), 0, is_open=True)

    def before(self, offset: int) -> tuple[int, int] | None:
        """A byte at or before ``offset``, and how many newlines are before it: to count on from there.

        ``None``: not counted that far yet.
        """
        seen = self._seen
        if offset >= seen.end:
            return (seen.end, seen.newlines) if offset == seen.end else None
        number = offset // seen.stride
        return number * seen.stride, seen.before[number]

    def block_of(self, line: int) -> Block | None:
        """Where the newline is that ``line`` follows; ``None`` when it is not among those counted.

        Lines are numbered from 1; the first one follows none.
        """
        seen, newline = self._seen, line - 1
        if not 0 < newline <= seen.newlines:
            return None
        return self._block(seen, bisect_left(seen.before, newline) - 1)

    def block_at(self, offset: int) -> Block | None:
        """The block that holds byte ``offset``; ``None`` when it is not counted."""
        seen = self._seen
        return self._block(seen, offset // seen.stride) if 0 <= offset < seen.end else None

    @staticmethod
    def _block(seen: _Counted, number: int) -> Block:
        start, end = number * seen.stride, (number + 1) * seen.stride
        # Not by the number of counts: to those may have been added since.
        end, after = (end, seen.before[number + 1]) if end <= seen.end else (seen.end, seen.newlines)
        return Block(start, end, seen.before[number], after - seen.before[number])

    def _take(self, size: int, newlines: int, *, is_open: bool) -> None:
        seen = self._seen
        end, total = seen.end + size, seen.newlines + newlines
        crossed = end // seen.stride - seen.end // seen.stride
        if crossed == 1:  # as nearly always
            seen.before.append(total)
        else:
            seen.before.extend(repeat(total, crossed))
        stride, before = seen.stride, seen.before
        if len(before) > self._most:
            stride, before = stride * 2, before[::2]
        self._seen = _Counted(end, total, is_open, stride, before)

    def _newlines_in(self, part: bytes | bytearray) -> int:
        # `count` looks at every byte; `replace` looks for the next newline as memchr does.
        found = len(part) - len(part.replace(b"\n", b"")) if self._has_long_lines else part.count(b"\n")
        self._has_long_lines = found * _LONG_LINE_BYTES < len(part)
        return found
