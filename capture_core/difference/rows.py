"""One side of a comparison: its lines, a few ahead of where it is, each with its newline; long ones in pieces."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from capture_core.limits.difference import DIFFERENCE_BLOCK_BYTES, DIFFERENCE_LINE_BYTES, DIFFERENCE_WINDOW_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.difference.normal import Normal
    from capture_core.lines import Read


class Place(NamedTuple):
    """An offset in a stream, and the number of the line that it lies in, from 1 on."""

    offset: int
    line: int


class Rows:
    """Reads the first ``end`` bytes in order; memory grows with what is held ahead, in lines of bounded length."""

    def __init__(self, read: Read, end: int, normal: Normal) -> None:
        """``read(start, end)`` gives exactly those bytes; ``normal`` gives a line as it is compared."""
        self.normal = normal
        self._read = read
        self._end = end
        self._position = 0
        self._rest = b""
        self._rows: list[bytes] = []
        self._at = 0
        self._offset = 0
        self._line = 1

    @property
    def place(self) -> Place:
        """Where it is."""
        return Place(self._offset, self._line)

    def fill(self, count: int) -> int:
        """Hold that many rows ahead; how many there are.  Fewer: the text ends, or they hold too many bytes."""
        while len(self._rows) - self._at < count and not self._is_read and self._held < DIFFERENCE_WINDOW_BYTES:
            self._rows = self._rows[self._at :]
            self._at = 0
            self._more()
        return min(count, len(self._rows) - self._at)

    def ends_within(self, count: int) -> bool:
        """Whether no rows come behind so many."""
        return self._is_read and len(self._rows) - self._at <= count

    @property
    def _is_read(self) -> bool:
        return self._position >= self._end and not self._rest

    @property
    def _held(self) -> int:
        return self._position - len(self._rest) - self._offset

    def ahead(self, count: int) -> list[bytes]:
        """The next rows, as many as are held of so many."""
        return self._rows[self._at : self._at + count]

    def take(self, count: int) -> Iterator[tuple[Place, bytes]]:
        """Go on by so many rows that are held; each with its place."""
        for row in self.ahead(count):
            yield self.place, row
            self.skip((row,))

    def skip(self, rows: list[bytes] | tuple[bytes, ...]) -> None:
        """Go on behind these rows, which are the next ones."""
        self._at += len(rows)
        self._offset += sum(map(len, rows))
        self._line += sum(row.endswith(b"\n") for row in rows)

    def _more(self) -> None:
        block = self._read(self._position, min(self._position + DIFFERENCE_BLOCK_BYTES, self._end))
        self._position += len(block)
        if not block:
            self._position = self._end
        rows = BytesIO(self._rest + block).readlines()
        # What has no newline yet may go on, but for the end.
        is_open = self._position < self._end and rows and not rows[-1].endswith(b"\n")
        self._rest = rows.pop() if is_open else b""
        for row in rows:
            self._rows += _pieces(row)
        *whole, self._rest = _pieces(self._rest)
        self._rows += whole


def _pieces(row: bytes) -> list[bytes]:
    size = DIFFERENCE_LINE_BYTES
    return [row] if len(row) <= size else [row[at : at + size] for at in range(0, len(row), size)]
