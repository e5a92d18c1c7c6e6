"""File events for a local source: few folders, none of them deeply, and the clock where events cannot be had."""

from __future__ import annotations

import os
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread
from watchfiles import awatch

from capture_core.feed import Wake
from capture_core.limits.reading import POLL_SECONDS
from capture_core.liveness import is_local
from capview.limits import WATCH_DEBOUNCE_MS, WATCH_RETRY_SECONDS, WATCH_STEP_MS, WATCH_TICK_MS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

_T = TypeVar("_T")

_NO_EVENTS: Final = (OSError, RuntimeError, UnicodeError)
"""A folder that went away or has no UTF-8 name, and watches that the kernel will not give, by watchfiles' words."""


class WatchfilesFeed:
    """Watches the folders that a source names, where events can be had; otherwise ticks, and says so.

    Events count as had only on file systems that nobody but this kernel writes to: on a network file system the
    watch succeeds, and other machines' writes make no events.
    """

    async def wakes(self, directories: Callable[[], frozenset[str]]) -> AsyncGenerator[Wake]:
        """A wake for each batch of events, and several times a second."""
        watched: frozenset[str] = frozenset()
        while True:
            wanted = await _in_thread(directories)
            fresh, watched = wanted - watched, wanted
            is_watching = False
            if await _in_thread(lambda: _makes_events(wanted)):  # noqa: B023 — awaited before the next round
                async with aclosing(_watch(wanted)) as batches:
                    async for paths in batches:
                        is_watching = True
                        # What came into a folder before its watch stood made no event: look at the folder itself.
                        yield Wake(paths=paths | fresh, watching=True)
                        fresh = frozenset()
                        if await _in_thread(directories) != wanted:
                            break
            if not is_watching:
                async with aclosing(_ticks(directories, wanted)) as ticks:
                    async for tick in ticks:
                        yield tick


async def _watch(folders: frozenset[str]) -> AsyncGenerator[frozenset[str]]:
    """Paths that changed, none where nothing did for a while; ends when there are no events to be had."""
    events = awatch(
        *sorted(folders),
        watch_filter=None,
        debounce=WATCH_DEBOUNCE_MS,
        step=WATCH_STEP_MS,
        rust_timeout=WATCH_TICK_MS,
        yield_on_timeout=True,
        recursive=False,
        force_polling=False,
    )
    async with aclosing(events):
        while True:
            try:
                changes = await anext(events)
            except _NO_EVENTS:
                return
            yield frozenset(path for _, path in changes)


async def _ticks(directories: Callable[[], frozenset[str]], wanted: frozenset[str]) -> AsyncGenerator[Wake]:
    """The clock, until other folders are wanted or it is time to ask for events again."""
    until = time.monotonic() + WATCH_RETRY_SECONDS
    while time.monotonic() < until:
        yield Wake(watching=False)
        await anyio.sleep(POLL_SECONDS)
        if await _in_thread(directories) != wanted:
            return


def _makes_events(folders: frozenset[str]) -> bool:
    return bool(folders) and all(_is_local(path) for path in folders)


def _is_local(path: str) -> bool:
    try:
        fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return is_local(fd)
    finally:
        os.close(fd)


async def _in_thread(work: Callable[[], _T]) -> _T:
    return await to_thread.run_sync(work, abandon_on_cancel=True)
