"""Captures on this machine as a :class:`capture_core.source.Source`: the disk is touched in worker threads only."""

from __future__ import annotations

import time
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from anyio import to_thread

from capture_core.descend import conversation
from capture_core.desk import Desk, fresh
from capture_core.feed import Feed, Polling
from capture_core.hits.running import RunningSearch
from capture_core.limits.reading import SLOW_POLL_SECONDS, WATCHED_LOOK_SECONDS
from capture_core.line_cache import LineCache
from capture_core.local_lines import LocalLines
from capture_core.request import ask_owner
from capture_core.shelf import Shelf, conversations_in, is_conversation
from capture_core.source import Address, Changes, Entry, Hit, Listing, Marks, Page

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable

    from capture_core.facts import RequestKind, SidecarKind
    from capture_core.line_counts import SharedCount
    from capture_core.shelf import Subscription
    from capture_core.sought import Search

_P = ParamSpec("_P")
_T = TypeVar("_T")


class LocalSource:
    """Conversations named one by one, and those in folders of conversations.

    Addresses call a conversation by its folder's name, or by its whole path when an earlier one has that name.
    A call that is cancelled returns at once; the thread it was waiting for ends by itself.
    """

    def __init__(
        self,
        conversations: Iterable[str] = (),
        folders: Iterable[str] = (),
        *,
        feed: Feed | None = None,
        cache_folder: str | None = None,
    ) -> None:
        """``cache_folder``: the user's, where the line indexes of ended captures are kept; ``None``: nowhere."""
        self._shelf = Shelf(conversations, folders)
        self._desk = Desk(self._shelf)
        self._cache = LineCache(cache_folder)
        self._lines = LocalLines(self._shelf, self._cache)
        self._feed = Polling() if feed is None else feed

    async def list(self) -> Listing:
        """All captures now, newest first."""
        await _in_thread(self._shelf.refresh)
        return await _in_thread(self._shelf.listing)

    async def receipt(self, address: Address) -> Entry:
        """One capture now, with its ``tail_text``."""
        _, entry = await _in_thread(fresh, self._shelf, address)
        return entry

    async def range(self, address: Address, stream: str, start: int, end: int) -> Page:
        """Committed bytes of one stream, at most ``RANGE_BYTES`` at once."""
        return await _in_thread(self._desk.page, address, stream, start, end)

    async def marks(self, address: Address, stream: str, kind: SidecarKind, start: int, end: int) -> Marks:
        """What is known of this range of the text beside it, at most ``SIDECAR_RANGE_RECORDS`` records at once."""
        return await _in_thread(self._desk.marks, address, stream, kind, start, end)

    async def lines(self, address: Address, stream: str) -> SharedCount:
        """The count of one stream's lines; that of an ended capture may be there from an earlier time."""
        return await _in_thread(self._lines.share, address, stream)

    async def search(self, search: Search, addresses: tuple[Address, ...] = ()) -> AsyncGenerator[Hit]:
        """Hits by capture, stream and offset, in what is committed when each stream's turn comes."""
        if not addresses:
            addresses = tuple(entry.address for entry in (await self.list()).entries)
        places = partial(map, partial(fresh, self._shelf), addresses)
        running = await _in_thread(RunningSearch, search, places, self._cache)
        try:
            while (batch := await _in_thread(running.take)) is not None:
                for hit in batch:
                    yield hit
        finally:
            running.leave()

    def changes(self) -> AsyncGenerator[Changes]:
        """Changes since this call, whoever of this source's readers noticed them first."""
        return self._changes(self._shelf.subscribe())

    async def request(self, address: Address, kind: RequestKind, reason: str) -> None:
        """Ask the owner of a live capture."""
        path, entry = await _in_thread(fresh, self._shelf, address)
        await to_thread.run_sync(ask_owner, path, entry, kind, reason)

    def path_of(self, key: str) -> str | None:
        """Where the conversation called ``key`` is on this machine; ``None`` when it is not known (yet)."""
        return self._shelf.path_of(key)

    async def aclose(self) -> None:
        """Close the streams that are open."""
        await _in_thread(self._desk.close)

    async def _changes(self, subscription: Subscription) -> AsyncGenerator[Changes]:
        watching: bool | None = None
        rounds = _Rounds(self._shelf)
        await _in_thread(rounds.load)
        async with aclosing(self._feed.wakes(self._shelf.directories)) as wakes:
            async for wake in wakes:
                await _in_thread(rounds.look, wake.paths, watching=wake.watching)
                batch = subscription.drain()
                if batch or wake.watching is not watching:
                    watching = wake.watching
                    yield Changes(changes=batch, watching=wake.watching)


class _Rounds:
    """What to look at on each wake: the paths that it names, the live at each tick, everything now and then."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._next_live = 0.0
        self._next_everything = 0.0

    def load(self) -> None:
        self._shelf.refresh()
        self._next_everything = time.monotonic() + SLOW_POLL_SECONDS

    def look(self, paths: frozenset[str], *, watching: bool) -> None:
        if paths:
            self._shelf.take_paths(paths)
        now = time.monotonic()
        if now >= self._next_everything:
            self._shelf.refresh()
            self._next_everything = time.monotonic() + SLOW_POLL_SECONDS
        elif not watching:
            self._shelf.refresh_busy()
        elif now >= self._next_live:
            self._shelf.look_at_live()
        else:
            return
        self._next_live = time.monotonic() + WATCHED_LOOK_SECONDS


def open_local(path: str, *, feed: Feed | None = None, cache_folder: str | None = None) -> LocalSource:
    """A source on ``path``: a conversation, or else a folder of conversations.

    An empty folder counts as a conversation in which nothing was captured yet.  Raises :class:`PlaceRefused` when
    ``path`` is no directory.
    """
    with conversation(path):
        is_folder = not is_conversation(path) and any(True for _ in conversations_in(path))
    conversations, folders = ((), (path,)) if is_folder else ((path,), ())
    return LocalSource(conversations, folders, feed=feed, cache_folder=cache_folder)


async def _in_thread(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    # A disk that hangs must not hang the caller too: a cancelled wait leaves the thread to itself.
    return await to_thread.run_sync(partial(work, *args, **kwargs), abandon_on_cancel=True)
