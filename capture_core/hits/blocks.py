"""Committed bytes of one open stream, read into the same buffer again and again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture_core.reader import StreamReader


class Blocks:
    """Blocks of at most ``size`` bytes of a reader's stream.  One for each thread; the reader is shared."""

    def __init__(self, reader: StreamReader, size: int) -> None:
        self._reader = reader
        self.data = bytearray(size)
        """The block that was read last."""

    def read(self, start: int, end: int) -> int:
        """Read from ``start`` on; how many bytes, at most those up to ``end``.

        Raises :class:`StreamGone` where they are not there any more.
        """
        size = min(len(self.data), end - start)
        try:
            read = os.preadv(self._reader.fileno(), [memoryview(self.data)[:size]], start)
        except OSError:
            read = 0
        if read < size:
            # It goes on from there, or says what is wrong.
            self.data[:size] = self._reader.read(start, start + size)
        return size

    def hole(self, start: int, end: int) -> int:
        """How many bytes from ``start`` on need not be read, since they are zeros, but for the last of those."""
        return max(0, min(self._reader.data_from(start), end) - start - 1)
