"""What the UI knows of all captures: kept by the app, given to screens as frozen snapshots."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from capture_core.facts import Liveness
from capview import present
from capview.limits import VIEW_RATE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.activity import Activity
    from capture_core.source import Address, Changes, Entry, Listing, Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All captures at ``now`` (seconds since the epoch), newest first.

    ``watching``: changes come by events; not: by polling; ``None``: nothing was learnt yet.  ``rates`` are bytes a
    second of those that grow; ``activities``, what the running ones seem to be doing.
    """

    now: float = 0.0
    entries: tuple[Entry, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    rates: Mapping[Address, float] = field(default_factory=dict)
    activities: Mapping[Address, Activity] = field(default_factory=dict)
    running: int = 0
    watching: bool | None = None


class Board:
    """Takes a listing and the changes after it; ``started`` is when this UI began to look."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._entries: dict[Address, Entry] = {}
        self._unreadable: dict[Address, Unreadable] = {}
        self._growth: dict[Address, _Growth] = {}
        self._order: list[Address] | None = None
        self._sorted: tuple[Entry, ...] | None = None
        self._running = 0
        self._watching: bool | None = None

    def load(self, listing: Listing, now: float) -> tuple[Entry, ...]:
        """Take all captures there are; return those that ended since this UI looked first."""
        ended = [entry for entry in listing.entries if self._ended_now(entry)]
        self._entries = {entry.address: entry for entry in listing.entries}
        self._unreadable = {item.address: item for item in listing.unreadable}
        self._order = self._sorted = None
        for entry in listing.entries:
            self._grow(entry, now)
        return tuple(ended)

    def apply(self, changes: Changes, now: float) -> tuple[Entry, ...]:
        """Take a batch; return the captures that ended in it."""
        self._watching = changes.watching
        ended = []
        for change in changes.changes:
            self._sorted = None
            if (change.address in self._entries) is not (change.entry is not None):
                self._order = None
            self._unreadable.pop(change.address, None)
            if change.unreadable is not None:
                self._unreadable[change.address] = change.unreadable
            if change.entry is None:
                self._entries.pop(change.address, None)
                self._growth.pop(change.address, None)
                continue
            if self._ended_now(change.entry):
                ended.append(change.entry)
            self._entries[change.address] = change.entry
            self._grow(change.entry, now)
        return tuple(ended)

    def live(self) -> tuple[Entry, ...]:
        """Those of which more may come."""
        return tuple(self._entries[address] for address in self._growth)

    def snapshot(self, now: float, activities: Mapping[Address, Activity] | None = None) -> Snapshot:
        """Everything as it is now."""
        if self._order is None:
            newest_first = sorted(self._entries.values(), key=_age, reverse=True)
            self._order = [entry.address for entry in newest_first]
        if self._sorted is None:
            self._sorted = tuple(self._entries[address] for address in self._order)
            self._running = sum(not is_over(entry) for entry in self._sorted)
        rates = {address: growth.rate(now) for address, growth in self._growth.items()}
        return Snapshot(
            now=now,
            entries=self._sorted,
            unreadable=tuple(self._unreadable.values()),
            rates=rates,
            activities=activities or {},
            running=self._running,
            watching=self._watching,
        )

    def _ended_now(self, entry: Entry) -> bool:
        """Whether it ended while this UI looked: not what had ended before, and each once."""
        if not is_over(entry):
            return False
        before = self._entries.get(entry.address)
        if before is not None:
            return not is_over(before)
        ended = present.moment(entry.receipt.times.ended)
        return ended is not None and ended >= self._started

    def _grow(self, entry: Entry, now: float) -> None:
        if is_over(entry):
            self._growth.pop(entry.address, None)
        else:
            self._growth.setdefault(entry.address, _Growth()).take(present.committed(entry) or 0, now)


class _Growth:
    """Lengths of one capture lately."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def take(self, committed: int, now: float) -> None:
        self._samples.append((now, committed))
        while len(self._samples) > 2 and self._samples[1][0] <= now - VIEW_RATE_SECONDS:  # noqa: PLR2004
            self._samples.popleft()

    def rate(self, now: float) -> float:
        """Bytes a second over the last seconds; 0 when nothing came in them."""
        first, last = self._samples[0], self._samples[-1]
        if last[0] <= now - VIEW_RATE_SECONDS or last[1] <= first[1]:
            return 0.0
        return (last[1] - first[1]) / max(now - max(first[0], now - VIEW_RATE_SECONDS), 1.0)


def is_over(entry: Entry) -> bool:
    """Whether nothing more will come."""
    return entry.liveness in (Liveness.FINAL, Liveness.OWNER_DIED)


def _age(entry: Entry) -> tuple[str, str]:
    return entry.receipt.times.started, entry.receipt.capture_id
