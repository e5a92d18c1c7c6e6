"""Waking at growth: by the kernel's events on a real file, by the clock where there are none."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio
import pytest

from capview.pager import growth as module
from capview.pager.growth import growth

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path


async def wake(items: AsyncGenerator[None]) -> None:
    with anyio.fail_after(20):
        await anext(items)


@pytest.fixture
def rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wake by the clock within a test: what wakes is an event."""
    monkeypatch.setattr(module, "VIEW_TAIL_CHECK_SECONDS", 1000)
    monkeypatch.setattr(module, "VIEW_TAIL_POLL_SECONDS", 1000)


@pytest.mark.usefixtures("rarely")
async def test_each_write_wakes_even_after_a_rename(tmp_path: Path) -> None:
    path = tmp_path / "log.live"
    append(path, b"")
    async with aclosing(growth(str(path))) as items:
        await wake(items)
        for data in (b"one", b"two"):
            append(path, data)
            await wake(items)
        final = path.rename(tmp_path / "log.txt")
        await wake(items)
        append(final, b"three")
        await wake(items)


@pytest.mark.usefixtures("rarely")
async def test_a_wait_that_is_cancelled_closes_the_descriptor(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"")
    before = watches()
    items = growth(str(path))
    await wake(items)
    assert watches() == before + 1
    waiting = asyncio.ensure_future(anext(items))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert watches() == before


@pytest.mark.parametrize("path", [None, "/nowhere/at/all"])
async def test_without_events_the_clock_wakes(path: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VIEW_TAIL_POLL_SECONDS", 0)
    async with aclosing(growth(path)) as items:
        for _ in range(3):
            await wake(items)


async def test_a_missed_event_is_made_up_for_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VIEW_TAIL_CHECK_SECONDS", 0.001)
    path = tmp_path / "log"
    path.write_bytes(b"")
    async with aclosing(growth(str(path))) as items:
        for _ in range(3):
            await wake(items)


def watches() -> int:
    """Descriptors of this process that are watches."""
    links = (f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd"))
    return sum(os.path.lexists(link) and "inotify" in os.readlink(link) for link in links)


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as out:
        out.write(data)
