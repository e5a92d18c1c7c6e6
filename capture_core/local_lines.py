"""Line counts of captures on this machine: shared, taken from the cache where they are kept, and left there."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING

from capture_core.desk import fresh
from capture_core.errors import CaptureError
from capture_core.line_counts import LineCounts, SharedCount, StreamCount
from capture_core.reader import StreamReader

if TYPE_CHECKING:
    from capture_core.line_cache import LineCache
    from capture_core.line_index import LineIndex
    from capture_core.shelf import Shelf
    from capture_core.source import Address, Entry


class LocalLines:
    """Gives shares of counts.  Safe for several threads."""

    def __init__(self, shelf: Shelf, cache: LineCache) -> None:
        self._shelf = shelf
        self._cache = cache
        self._counts = LineCounts()

    def share(self, address: Address, stream: str) -> SharedCount:
        """A share; raises :class:`UnknownRef`, :class:`ReceiptError` or :class:`StreamGone`."""
        path, entry = fresh(self._shelf, address)
        facts = entry.receipt.streams.get(stream)
        key = address, stream, 0 if facts is None else facts.generation
        return self._counts.share(key, lambda: self._begin(path, entry, stream))

    def _begin(self, path: str, entry: Entry, stream: str) -> StreamCount:
        with StreamReader(path, entry, stream) as reader:
            mark = reader.mark()
            # An ended capture's file stays held against removal, by the copy too.
            fd = os.dup(reader.fileno())
        if mark is None:
            return StreamCount(fd, reader.generation, closing=partial(self._keep, entry.address, stream))
        return StreamCount(fd, reader.generation, self._cache.load(mark), whole=partial(self._cache.keep, mark))

    def _keep(self, address: Address, stream: str, index: LineIndex) -> None:
        """Keep the count of a capture that has ended since it was opened."""
        with contextlib.suppress(CaptureError):
            path, entry = fresh(self._shelf, address)
            with StreamReader(path, entry, stream) as reader:
                if (mark := reader.mark()) is not None:
                    self._cache.keep(mark, index)
