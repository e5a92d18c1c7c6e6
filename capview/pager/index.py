"""Line numbers from one count a block: sparse, built in order behind the reader, exact as far as it has come."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capview.pager.pages import Reading


class LineIndex:
    """Newlines before every block of ``block`` bytes, for the ``counted`` bytes fed so far.

    1 GiB takes 128 KiB at 64 KiB a block.  Line numbers are 1-based.
    """

    def __init__(self, block: int) -> None:
        self._block = block
        self._before = array("Q", [0])
        self.counted = 0
        self.newlines = 0
        self._open_line = False

    @property
    def lines(self) -> int:
        """Lines counted so far, one that has not ended among them."""
        return self.newlines + self._open_line

    def feed(self, data: bytes) -> None:
        """Count the bytes that follow those counted so far."""
        self._open_line = data[-1:] not in (b"", b"\n")
        start = 0
        while start < len(data):
            room = self._block - self.counted % self._block
            end = min(start + room, len(data))
            self.newlines += data.count(b"\n", start, end)
            self.counted += end - start
            if self.counted % self._block == 0:
                self._before.append(self.newlines)
            start = end

    def newlines_before(self, offset: int, block: bytes) -> int | None:
        """Newlines before byte ``offset``; ``None`` where the count has not come yet, or ``block`` is too short.

        ``block`` is what is at hand of the block that holds ``offset``, from its start on.
        """
        if offset >= self.counted:
            return self.newlines if offset == self.counted else None
        number, within = divmod(offset, self._block)
        return self._before[number] + block.count(b"\n", 0, within) if within <= len(block) else None

    def start_of(self, line: int) -> Reading[int | None]:
        """Byte at which ``line`` starts, as far as counted; ``None`` when it is not among the lines counted."""
        newline = line - 1
        if newline <= 0 or newline > self.newlines:
            return 0 if newline == 0 else None
        number = bisect_left(self._before, newline) - 1
        page = yield number
        at = -1
        for _ in range(newline - self._before[number]):
            at = page.find(b"\n", at + 1)
        return number * self._block + at + 1
