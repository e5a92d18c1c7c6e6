"""The same for programs with an event loop, on asyncio and trio alike: the disk is touched in worker threads only.

A call that is cancelled returns at once, but for one that has a consumer's turn: that ends first.
"""

from __future__ import annotations

import math
from contextlib import aclosing, closing
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from anyio import current_time, sleep, to_thread

from capture_core.catalog import ENDED
from capture_core.limits.reading import FOLLOW_LOOK_SECONDS, FOLLOW_POLL_SECONDS, NOTICE_LOOK_SECONDS, READ_RANGE_BYTES
from capture_core.news import Watched
from capture_core.notices import Inbox

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Sequence

    from capture_core.cursor import Cursor as Position
    from capture_core.news import News
    from capture_core.notices import Notice
    from capture_core.polling import Cursor
    from capture_core.source import Entry

_T = TypeVar("_T")


async def poll(cursor: Cursor, max_bytes: int = READ_RANGE_BYTES, *, streams: Sequence[str] | None = None) -> News:
    """What :meth:`Cursor.poll` gives."""
    return await to_thread.run_sync(partial(cursor.poll, max_bytes, streams=streams))


async def ack(given: Notice | News) -> None:
    """Mark what was handed over."""
    await to_thread.run_sync(given.ack)


async def wait(conversation: str, ref: str, timeout: float | None = None) -> Entry | None:  # noqa: ASYNC109
    """What :meth:`Watched.wait` gives; the conversation is named by its path."""
    watched = Watched(conversation, ref)
    until = math.inf if timeout is None else current_time() + timeout
    while (entry := await _in_thread(watched.entry)).liveness not in ENDED:
        left = until - current_time()
        if left <= 0:
            return None
        await sleep(min(FOLLOW_LOOK_SECONDS, left))
    return entry


async def follow(conversation: str, ref: str, max_bytes: int = READ_RANGE_BYTES) -> AsyncGenerator[News]:
    """What :meth:`Watched.follow` gives."""
    watched, places = Watched(conversation, ref), dict[str, "Position"]()
    while True:
        news = await _in_thread(partial(watched.news, places, max_bytes))
        if not news.is_empty or news.is_over:
            yield news
        if news.is_over:
            return
        places |= news.positions()
        if not news.more:
            await sleep(FOLLOW_POLL_SECONDS)


async def notices(
    conversation: str, consumer: str, *, since_now: bool = False, follow: bool = False
) -> AsyncGenerator[Notice]:
    """What :meth:`Inbox.look` gives, or :meth:`Inbox.follow`; to be acknowledged by :func:`ack`."""
    inbox = await to_thread.run_sync(partial(Inbox, conversation, consumer, since_now=since_now))
    with inbox:
        while True:
            async with aclosing(_each(inbox.look())) as found:
                async for notice in found:
                    yield notice
            if not follow:
                return
            await sleep(NOTICE_LOOK_SECONDS)


async def _each(items: Generator[_T]) -> AsyncGenerator[_T]:
    with closing(items):
        # Not left to itself when cancelled: a generator that runs cannot be closed.
        while (found := await to_thread.run_sync(lambda: next(items, None))) is not None:
            yield found


async def _in_thread(work: Callable[[], _T]) -> _T:
    # A disk that hangs must not hang the caller too: a cancelled wait leaves the thread to itself.
    return await to_thread.run_sync(work, abandon_on_cancel=True)
