"""What running jobs seem to be doing, for the UI: read of the ends of those that grew, and of no other."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from capture_core.activity import (
    NOT_ASKED,
    NOTHING_SAID,
    Said,
    is_active,
    is_to_be_asked,
    judge,
    newest_first,
    read_end,
    together,
)
from capture_core.errors import CaptureError
from capview import doing
from capview.limits import PROGRESS_TAIL_BYTES, PULSE_ASK_SECONDS, PULSE_JOBS, PULSE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from capture_core.activity import Activity
    from capture_core.source import Address, Entry, Source, StreamStatus

_NEVER = float("-inf")
Lengths = tuple[int | None, ...]


class _Seen:
    """One job as it was last looked at."""

    def __init__(self) -> None:
        self.lengths: Lengths = ()
        self.said = NOTHING_SAID
        self.read_at = _NEVER
        self.asked = NOT_ASKED
        self.asked_at = _NEVER


class Pulse:
    """Remembers what the ends of running jobs' streams say; used in the app's loop alone."""

    def __init__(self, source: Source, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` says when it is time to look again, in seconds."""
        self._source = source
        self._clock = clock
        self._seen: dict[Address, _Seen] = {}

    def activities(self, entries: Iterable[Entry], now: float) -> dict[Address, Activity]:
        """What is known of running jobs, at ``now`` seconds since the epoch; asks no disk."""
        active = {entry.address: entry for entry in entries if is_active(entry)}
        self._seen = {address: self._seen.get(address) or _Seen() for address in active}
        return {address: self._judge(entry, now) for address, entry in active.items()}

    def wanted(self, entries: Iterable[Entry], now: float) -> tuple[Entry, ...]:
        """Of which of them the end is to be read, or the OS to be asked; those first that waited longest for it."""
        due = [
            entry for entry in entries if is_active(entry) and (self._grew(entry) or self._is_to_be_asked(entry, now))
        ]
        due.sort(key=lambda entry: self._of(entry).read_at)
        return tuple(due[:PULSE_JOBS])

    async def look(self, entries: Iterable[Entry], now: float) -> None:
        """Read the ends of those that grew, and ask the OS about those that may wait for input or buffer."""
        for entry in entries:
            if self._grew(entry):
                await self._read(entry)
            if self._is_to_be_asked(entry, now):
                seen = self._of(entry)
                seen.asked_at = self._clock()
                seen.asked = await asyncio.to_thread(doing.ask, entry)

    def _of(self, entry: Entry) -> _Seen:
        return self._seen.setdefault(entry.address, _Seen())

    def _judge(self, entry: Entry, now: float) -> Activity:
        seen = self._of(entry)
        return judge(entry, seen.said, doing.silent_seconds(entry, now), seen.asked)

    def _grew(self, entry: Entry) -> bool:
        seen = self._of(entry)
        return _lengths(entry) != seen.lengths and self._clock() - seen.read_at >= PULSE_SECONDS

    def _is_to_be_asked(self, entry: Entry, now: float) -> bool:
        seen = self._of(entry)
        is_time = self._clock() - seen.asked_at >= PULSE_ASK_SECONDS
        return is_time and is_to_be_asked(seen.said, doing.silent_seconds(entry, now))

    async def _read(self, entry: Entry) -> None:
        seen = self._of(entry)
        seen.lengths, seen.read_at = _lengths(entry), self._clock()
        # What it waited for, it had.
        seen.asked, seen.asked_at = NOT_ASKED, _NEVER
        ends = [await self._end(entry, status) for status in newest_first(entry)]
        seen.said = together(tuple(end for end in ends if end is not None))

    async def _end(self, entry: Entry, status: StreamStatus) -> Said | None:
        end = status.committed or 0
        start = max(0, end - PROGRESS_TAIL_BYTES)
        try:
            page = await self._source.range(entry.address, status.name, start, end)
        except CaptureError:
            return None
        return read_end(page.data, is_cut=start > 0)


def _lengths(entry: Entry) -> Lengths:
    return tuple(status.committed for status in entry.streams)
