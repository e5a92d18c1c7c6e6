"""The lines of streams, counted behind those who look: one count a stream, in one thread at a time, shared by all."""

from __future__ import annotations

import os
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread

from capture_core.errors import StreamUnreadable, system_words
from capture_core.limits.reading import LINE_INDEX_SLICE_SECONDS
from capture_core.line_count import catch_up
from capture_core.line_index import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from capture_core.source import Page


def _nothing(_index: LineIndex) -> None:
    """Nobody is told."""


class StreamCount:
    """One stream's index, and the only one who counts for it.

    It owns ``fd``, an open file of its own: whoever shows the stream may close theirs meanwhile.
    """

    def __init__(
        self,
        fd: int,
        generation: int,
        index: LineIndex | None = None,
        *,
        whole: Callable[[LineIndex], None] = _nothing,
        closing: Callable[[LineIndex], None] = _nothing,
    ) -> None:
        """``whole`` is told of the index when all that was asked for is counted, ``closing`` when nobody looks on."""
        self.index = LineIndex() if index is None else index
        self.generation = generation
        self._fd = fd
        self._whole = whole
        self._closing = closing
        self._turn = threading.Lock()
        self._is_closed = False

    async def more(self, committed: int) -> None:
        """See :class:`capture_core.source.LineCount`."""
        await to_thread.run_sync(self._count, committed, abandon_on_cancel=True)

    def take(self, page: Page) -> None:
        """See :class:`capture_core.source.LineCount`."""
        # Whoever counts just now comes to these bytes by itself.
        if page.generation == self.generation and self._turn.acquire(blocking=False):
            try:
                if page.start == self.index.counted:
                    self.index.feed(page.data)
            finally:
                self._turn.release()

    def distrust(self, index: LineIndex) -> None:
        """See :class:`capture_core.source.LineCount`."""
        if self.index is index:
            self.index = LineIndex()

    async def aclose(self) -> None:
        """End the counting, within the read that it is at, and close the file."""
        self._is_closed = True
        await to_thread.run_sync(self._close, abandon_on_cancel=True)

    def _count(self, committed: int) -> None:
        before, until = self.index.counted, time.monotonic() + LINE_INDEX_SLICE_SECONDS
        with self._turn:
            index = self.index
            if self._is_closed or index.counted > before:
                return
            try:
                catch_up(self._fd, index, committed, stop=lambda: self._is_closed or time.monotonic() > until)
            except OSError as error:
                raise StreamUnreadable(f"its lines cannot be counted ({system_words(error)})") from error
            if index.counted == committed:
                self._whole(index)

    def _close(self) -> None:
        with self._turn:
            if self._fd >= 0:
                self._closing(self.index)
                os.close(self._fd)
                self._fd = -1


class SharedCount:
    """One view's share of a count, a :class:`capture_core.source.LineCount`."""

    def __init__(self, count: StreamCount, release: Callable[[], StreamCount | None]) -> None:
        self._count = count
        self._release = release
        self.generation = count.generation
        self.more = count.more
        self.take = count.take
        self.distrust = count.distrust

    @property
    def index(self) -> LineIndex:
        """What is counted, by whomever."""
        return self._count.index

    async def aclose(self) -> None:
        """Give it back; with the last share the counting ends."""
        if (last := self._release()) is not None:
            await last.aclose()


class LineCounts:
    """The counts that are shared now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Hashable, tuple[StreamCount, int]] = {}

    def share(self, key: Hashable, begin: Callable[[], StreamCount]) -> SharedCount:
        """A share of the count of the stream that ``key`` names; the first one makes it ``begin``."""
        with self._lock:
            count, users = self._counts.get(key) or (begin(), 0)
            self._counts[key] = count, users + 1
        releases = [partial(self._give_back, key)]
        return SharedCount(count, lambda: releases.pop()() if releases else None)

    def _give_back(self, key: Hashable) -> StreamCount | None:
        with self._lock:
            count, users = self._counts[key]
            if users > 1:
                self._counts[key] = count, users - 1
                return None
            del self._counts[key]
            return count
