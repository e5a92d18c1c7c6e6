"""Waits for conditions, never for a time."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import anyio
from textual.worker import WorkerCancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

_HOPS = 4
"""A key goes from the driver to the app, the screen, the widget, and what it says goes back up."""
_ENDLESS = {"look", "tail"}


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Let the app go on until ``condition`` holds; fail when it never does."""
    with anyio.fail_after(20):
        while not condition():
            await pilot.pause(0)


async def settled(pilot: Pilot[Any]) -> None:
    """Let every worker that has an end come to it, and every message to where it goes."""
    for _ in range(_HOPS):
        await pilot.pause(0)
        while workers := [w for w in pilot.app.workers if w.group not in _ENDLESS and not w.is_finished]:
            # One that was cancelled meanwhile, for a newer one, is over too.
            with contextlib.suppress(WorkerCancelled):
                await pilot.app.workers.wait_for_complete(workers)
            await pilot.pause(0)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when what the one before did is done."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
