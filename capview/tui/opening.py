"""From what the user named to a source: a conversation, a folder of them, one capture, a file, the default root."""

from __future__ import annotations

import sys
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from capture_core.errors import Refused
from capview.folders import cache_folder
from capview.tui.wakeups import Wakeups, for_captures, for_file

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from capture_core.feed import Wake
    from capture_core.local import LocalSource
    from capture_core.source import Address, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What to look at: ``first`` is a capture to open at once, ``only``: there is nothing else."""

    source: Source
    place: str
    wakeups: Wakeups
    first: Address | None = None
    only: bool = False


class _Watch:
    """File events, imported when the first screen is there."""

    async def wakes(self, directories: Callable[[], frozenset[str]]) -> AsyncGenerator[Wake]:
        """See :class:`capture_core.feed.Feed`."""
        from capview.watch import WatchfilesFeed

        async with aclosing(WatchfilesFeed().wakes(directories)) as wakes:
            async for wake in wakes:
                yield wake


def require_terminal() -> None:
    """Refuse where there is nothing to draw on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("the UI needs a terminal on stdin and stdout; without one: capview ls, capview read REF")


def resolve(path: str | None) -> Opening:
    """The source for ``path``; raises a :class:`capture_core.errors.CaptureError`."""
    from capture_core import refs

    if path is None:
        return _root()
    located = refs.locate_file(path) or refs.locate(str(Path(path).absolute()))
    if located is not None and located.conversation is not None:
        return _capture(located.conversation, located.ref)
    return _directory(path) if Path(path).is_dir() else _file(path)


def _root() -> Opening:
    from capture_core.local import LocalSource
    from capview.cli.place import default_root

    root = default_root()
    return _local(LocalSource(folders=(root,), feed=_Watch(), cache_folder=cache_folder()), root)


def _directory(path: str) -> Opening:
    from capture_core.local import open_local

    return _local(open_local(path, feed=_Watch(), cache_folder=cache_folder()), path)


def _capture(conversation: str, ref: str) -> Opening:
    from capture_core.local import LocalSource
    from capture_core.source import Address

    source = LocalSource((conversation,), feed=_Watch(), cache_folder=cache_folder())
    address = Address(Path(conversation).absolute().name, ref)
    return replace(_local(source, conversation), first=address)


def _file(path: str) -> Opening:
    from capview.pager.file_source import FileSource

    source = FileSource(path)
    wakeups = for_file(str(Path(path).absolute()))
    return Opening(source=source, place=_short(path), wakeups=wakeups, first=source.address, only=True)


def _local(source: LocalSource, path: str) -> Opening:
    return Opening(source=source, place=_short(path), wakeups=for_captures(source.path_of))


def _short(path: str) -> str:
    """As a person would write it, safe to draw."""
    from capview.present import safe

    full, home = Path(path).absolute(), _home()
    return safe(f"~/{full.relative_to(home)}" if home is not None and full.is_relative_to(home) else str(full))


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None
