"""The byte-bounded queue between the one pipe reader and the one writer, and the counters of its side.

The reader waits for room only while the disk keeps moving: before a full queue has fallen to half, the writer may
spend ``stall_seconds`` at the disk.  When it spends more, the hand-off stops for good, what comes later is counted as
refused, and the child runs at full speed whatever the disk does.  What the writer takes to think does not count: text
that is slow to sanitise slows the child, as a slow reader of its pipe would.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from capture_core.limits.capturing import SIDECAR_TIME_NANOSECONDS, THINKING_SECONDS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from capture_core.limits import Limits


class Chunk(NamedTuple):
    """Bytes as one read gave them, and when, in nanoseconds since the epoch; ``None`` where nobody looked."""

    stream: str
    data: bytes
    arrived: int | None = None


class StreamEnd(NamedTuple):
    """No more bytes of this stream will be handed over.  ``eof``: because there are no more."""

    stream: str
    eof: bool


class Wake(NamedTuple):
    """Nothing to write: facts outside the streams changed, look at them."""


class Adopt(NamedTuple):
    """Nothing to write: the job goes to the background, and the capture has to say from where."""


class Quiet(NamedTuple):
    """Nothing came within the time."""


Item = Chunk | StreamEnd | Wake | Adopt | Quiet


class ReaderCounts(NamedTuple):
    """Raw bytes of one stream as the reader's side counts them, each on its own."""

    observed: int = 0
    queued: int = 0
    refused: int = 0


class Intake(Protocol):
    """Where a capture's raw bytes come in, and where its writer goes to the disk."""

    def counts(self, stream: str) -> ReaderCounts:
        """What came of one stream, at this moment."""

    def at_disk(self) -> AbstractContextManager[None]:
        """Within it the writer waits for the disk."""


class Handoff:
    """Thread-safe; one reader offers, one writer takes."""

    def __init__(self, streams: tuple[str, ...], limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._filled = threading.Condition(self._lock)
        self._emptied = threading.Condition(self._lock)
        self._items: deque[Item] = deque()
        self._weight = 0
        self._closed = False
        self._stalled = False
        self._disk_seconds = 0.0
        self._taken_at = monotonic()
        self._at_disk = 0
        self._at_disk_since: float | None = None
        self._observed = dict.fromkeys(streams, 0)
        self._queued = dict.fromkeys(streams, 0)
        self._refused = dict.fromkeys(streams, 0)

    @property
    def stalled(self) -> bool:
        """Whether the hand-off has stopped because the writer did not keep moving."""
        return self._stalled

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits to be taken, at this moment."""
        return not self._items

    def offer(self, stream: str, data: bytes, arrived: int | None = None) -> bool:
        """Hand over one read; ``False`` when it was refused (and counted)."""
        with self._lock:
            self._observed[stream] += len(data)
            if not self._has_room():
                self._refused[stream] += len(data)
                return False
            self._queued[stream] += len(data)
            self._weight += len(data) + self._limits.queue_item_bytes
            self._put(Chunk(stream, data, arrived))
            return True

    def refuse(self, stream: str, size: int) -> None:
        """Count bytes that were read after the stream's end was told, and dropped."""
        with self._lock:
            self._observed[stream] += size
            self._refused[stream] += size

    def end(self, stream: str, *, eof: bool) -> None:
        """Tell that a stream is over."""
        with self._lock:
            self._put(StreamEnd(stream, eof))

    def wake(self) -> None:
        """Let the writer look at facts that changed elsewhere."""
        with self._lock:
            self._put(Wake())

    def adopt(self) -> None:
        """Tell that the job goes to the background, before all that waits to be taken.  Before :meth:`close` only."""
        with self._lock:
            self._items.appendleft(Adopt())
            self._filled.notify()

    def close(self) -> None:
        """Nothing more will be offered; ``take`` gives what is left, then ends."""
        with self._lock:
            self._closed = True
            self._filled.notify()

    def take(self, timeout: float | None = None) -> Item | None:
        """The next item, waiting for one; ``Quiet`` after ``timeout`` seconds; ``None`` when closed and empty."""
        with self._lock:
            while not self._items:
                if self._closed:
                    return None
                if not self._filled.wait(timeout):
                    return Quiet()
            item = self._items.popleft()
            self._taken_at = monotonic()
            return self._taken(item) if isinstance(item, Chunk) else item

    @contextlib.contextmanager
    def at_disk(self) -> Iterator[None]:
        """The writer waits for the disk within this, or a thread of its for it: such times are counted once."""
        with self._lock:
            self._at_disk += 1
            if self._at_disk == 1:
                self._at_disk_since = monotonic()
            self._emptied.notify()
        try:
            yield
        finally:
            with self._lock:
                self._at_disk -= 1
                if not self._at_disk:
                    self._disk_seconds = self._seconds_at_disk()
                    self._at_disk_since = None

    def counts(self, stream: str) -> ReaderCounts:
        """The reader's counters of one stream, all of one moment."""
        with self._lock:
            return ReaderCounts(
                observed=self._observed[stream], queued=self._queued[stream], refused=self._refused[stream]
            )

    def _put(self, item: Item) -> None:
        self._items.append(item)
        self._filled.notify()

    def _taken(self, first: Chunk) -> Chunk:
        """Take with it what came right behind it: the work on each chunk costs as much as that on its bytes."""
        self._release(first)
        parts, room = [first.data], self._limits.read_bytes - len(first.data)
        while self._items and isinstance(item := self._items[0], Chunk) and _goes_with(first, item, room):
            self._items.popleft()
            self._release(item)
            parts.append(item.data)
            room -= len(item.data)
        return first if len(parts) == 1 else first._replace(data=b"".join(parts))

    def _release(self, chunk: Chunk) -> None:
        self._queued[chunk.stream] -= len(chunk.data)
        self._weight -= len(chunk.data) + self._limits.queue_item_bytes
        if self._weight <= self._limits.queue_bytes // 2:
            self._emptied.notify()

    def _has_room(self) -> bool:
        if self._stalled:
            return False
        if self._weight < self._limits.queue_bytes:
            return True
        allowed = self._seconds_at_disk() + self._limits.stall_seconds
        while self._weight > self._limits.queue_bytes // 2:
            left = allowed - self._seconds_at_disk()
            if left <= 0:
                self._stalled = True
                return False
            if monotonic() - self._taken_at > THINKING_SECONDS:
                self._stalled = True
                return False
            # Nobody says when the disk has taken too long; who thinks for long says when he goes to the disk.
            self._emptied.wait(left if self._at_disk_since is not None else THINKING_SECONDS)
        return True

    def _seconds_at_disk(self) -> float:
        since = self._at_disk_since
        return self._disk_seconds + (0.0 if since is None else monotonic() - since)


def _goes_with(first: Chunk, chunk: Chunk, room: int) -> bool:
    """Whether it fits, is of the same stream, and came before a time of its own would be told."""
    if chunk.stream != first.stream or len(chunk.data) > room:
        return False
    if first.arrived is None or chunk.arrived is None:
        return first.arrived is chunk.arrived
    return chunk.arrived - first.arrived < SIDECAR_TIME_NANOSECONDS
