"""What wakes a source that waits for changes: file events, where somebody provides them, else the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import anyio

from capture_core.limits.reading import POLL_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """One reason to look: the paths that changed, none for a tick of the clock, and whether events are to be had."""

    paths: frozenset[str] = frozenset()
    watching: bool


class Feed(Protocol):
    """Wakes a source, at least every ``WATCHED_LOOK_SECONDS`` while it watches and ``POLL_SECONDS`` while not.

    ``directories`` tells what to watch now: absolute paths, not what lies below them.  It is cheap, and is to be
    asked again at each wake; events may be lost while the watch moves, but not after the wake that follows.
    """

    def wakes(self, directories: Callable[[], frozenset[str]]) -> AsyncGenerator[Wake]:
        """Wakes until closed."""


class Polling:
    """The clock alone: always works, and says that it is no watch."""

    async def wakes(self, directories: Callable[[], frozenset[str]]) -> AsyncGenerator[Wake]:  # noqa: ARG002
        """A wake every ``POLL_SECONDS``."""
        while True:
            yield Wake(watching=False)
            await anyio.sleep(POLL_SECONDS)
