"""When one file was written to: by the kernel's events where they can be had, by the clock where not.

Events come within a millisecond and cost nothing while nothing happens; asking at the pace that would be as quick
costs several percent of a core.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from capture_core.liveness import is_local
from capview.limits import VIEW_TAIL_CHECK_SECONDS, VIEW_TAIL_POLL_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

_IN_MODIFY: Final = 0x2
_IN_ATTRIB: Final = 0x4
_IN_DELETE_SELF: Final = 0x400
_IN_MOVE_SELF: Final = 0x800
_IN_DONT_FOLLOW: Final = 0x0200_0000
_MASK: Final = _IN_MODIFY | _IN_ATTRIB | _IN_DELETE_SELF | _IN_MOVE_SELF | _IN_DONT_FOLLOW
_EVENTS_BYTES: Final = 4096


async def growth(path: str | None) -> AsyncGenerator[None]:
    """One item whenever the file at ``path`` may have changed, and one now and then; ``None``: by the clock only.

    It follows the file, not the name: a live stream keeps its file when it is renamed at its end.
    """
    watch = None if path is None else await asyncio.to_thread(_watch, path)
    while watch is None:
        yield
        await asyncio.sleep(VIEW_TAIL_POLL_SECONDS)
    with _readable(watch) as readable:
        yield  # what was written before the watch stood made no event
        while True:
            try:
                await asyncio.wait_for(readable.wait(), VIEW_TAIL_CHECK_SECONDS)
            except TimeoutError:
                yield
                continue
            readable.clear()
            _drain(watch)
            yield


def _watch(path: str) -> int | None:
    """A descriptor that becomes readable at every change to the file; ``None`` where events are not to be had.

    On a network file system the watch would succeed, and other machines' writes make no events.
    """
    try:
        file = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not is_local(file):
            return None
    finally:
        os.close(file)
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    watch: int = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if watch < 0:
        return None
    if library.inotify_add_watch(watch, os.fsencode(path), _MASK) < 0:
        os.close(watch)
        return None
    return watch


@contextmanager
def _readable(watch: int) -> Iterator[asyncio.Event]:
    """An event that is set when ``watch`` is readable; the descriptor is closed with it."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(watch, readable.set)
    try:
        yield readable
    finally:
        loop.remove_reader(watch)
        os.close(watch)


def _drain(watch: int) -> None:
    try:
        while len(os.read(watch, _EVENTS_BYTES)) == _EVENTS_BYTES:
            pass
    except BlockingIOError:
        pass
