"""The app on captures on disk, with a clock and wakes that a test moves by hand."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from capture_core.feed import Wake
from capture_core.local import LocalSource
from capture_core.source import Address
from capview.tui.app import CapviewApp
from capview.tui.screens.capture import CaptureScreen
from capview.tui.screens.jobs import JobsScreen
from capview.tui.wakeups import BY_HAND
from tests.view.waiting import press, settled, until

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from capture_core.source import Source
    from capview.tui.widgets.log_view import LogView
    from tests.captures import Owner

STARTED = 1_796_040_000.0
"""2026-11-30T12:00:00Z, when the fixture writer's captures start."""


class ByHand:
    """A feed that wakes when a test says so."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Wake] = asyncio.Queue()

    async def wakes(self, directories: Callable[[], frozenset[str]]) -> AsyncGenerator[Wake]:
        del directories
        while True:
            yield await self.queue.get()


class Driven:
    """The app in a test: ``now`` is its clock."""

    def __init__(self, source: Source, feed: ByHand, *, first: Address | None = None, only: bool = False) -> None:
        self.now = STARTED + 60
        self.feed = feed
        self.app = CapviewApp(source, place="~/builds", first=first, only=only, clock=lambda: self.now, wakeups=BY_HAND)
        self.pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    async def type(self, text: str) -> None:
        await self.press(*("space" if character == " " else character for character in text))

    async def wake(self, owner: Owner) -> None:
        """Tell of changes to a capture, and wait until they are shown."""
        before = self.app.snapshot
        self.feed.queue.put_nowait(Wake(paths=frozenset({str(owner.folder)}), watching=True))
        await until(self.pilot, lambda: self.app.snapshot is not before)
        await settled(self.pilot)

    async def until(self, condition: Callable[[], object]) -> None:
        await until(self.pilot, condition)

    @property
    def jobs(self) -> JobsScreen:
        screen = self.app.screen
        assert isinstance(screen, JobsScreen)
        return screen

    @property
    def capture(self) -> CaptureScreen:
        screen = self.app.screen
        assert isinstance(screen, CaptureScreen)
        return screen

    @property
    def log(self) -> LogView:
        view = self.capture.view
        assert view is not None
        return view

    def labels(self) -> list[str | None]:
        return [entry.receipt.label for entry in self.jobs.jobs.shown]

    def text(self) -> str:
        """What the whole screen shows."""
        return "\n".join(
            "".join(segment.text for segment in line).rstrip() for line in self.app.screen._compositor.render_strips()
        )

    def toasts(self) -> list[str]:
        return [f"{n.title}: {n.message}" for n in self.app._notifications]


@asynccontextmanager
async def driven(
    conversation: Path,
    *,
    first: Owner | None = None,
    size: tuple[int, int] = (120, 40),
    cache_folder: str | None = None,
) -> AsyncIterator[Driven]:
    """Run the app on a conversation."""
    feed = ByHand()
    source = LocalSource([str(conversation)], feed=feed, cache_folder=cache_folder)
    address = Address(conversation.name, first.ref) if first else None
    ui = Driven(source, feed, first=address)
    async with ui.app.run_test(size=size, notifications=True) as pilot:
        ui.pilot = pilot
        feed.queue.put_nowait(Wake(watching=True))
        await ui.until(lambda: ui.app.snapshot.watching)
        await settled(pilot)
        yield ui
    await source.aclose()
