"""Real file events reach a real source: appends through a nameless descriptor, new folders, and no events at all."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio
import pytest

from capture_core.local import LocalSource
from capture_core.source import Address, ChangeKind
from capview import watch
from capview.watch import WatchfilesFeed
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator
    from pathlib import Path

    from capture_core.source import Changes


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only events wake the source."""
    monkeypatch.setattr("capture_core.local.SLOW_POLL_SECONDS", 1e9)
    monkeypatch.setattr("capture_core.local.WATCHED_LOOK_SECONDS", 1e9)


async def until(batches: AsyncIterator[Changes], kind: ChangeKind, owner: Owner) -> Changes:
    wanted = Address(owner.folder.parent.parent.name, owner.ref)
    with anyio.fail_after(30):
        async for batch in batches:
            if any(change.kind is kind and change.address == wanted for change in batch.changes):
                return batch
    raise AssertionError


@pytest.mark.usefixtures("no_clock")
async def test_appends_renames_new_tools_and_new_conversations(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "first")
    source = LocalSource(folders=[str(tmp_path)], feed=WatchfilesFeed())
    async with aclosing(source.changes()) as batches:
        first = await anext(batches)
        assert first.watching
        owner.append("stdout", b"more\n")
        await until(batches, ChangeKind.UPDATED, owner)
        owner.finish()
        await until(batches, ChangeKind.ENDED, owner)
        new_tool = finished(tmp_path / "first", tool="python")
        await until(batches, ChangeKind.ADDED, new_tool)
        beside = Owner(tmp_path / "first", tool="python")
        await until(batches, ChangeKind.ADDED, beside)
        new_conversation = Owner(tmp_path / "second")
        await until(batches, ChangeKind.ADDED, new_conversation)
        new_conversation.append("stderr", b"more\n")
        batch = await until(batches, ChangeKind.UPDATED, new_conversation)
        assert batch.watching


async def test_a_conversation_that_is_not_there_yet_is_found_when_it_comes(tmp_path: Path) -> None:
    source = LocalSource([str(tmp_path / "later")], feed=WatchfilesFeed())
    async with aclosing(source.changes()) as batches:
        assert not (await anext(batches)).watching
        owner = Owner(tmp_path / "later")
        await until(batches, ChangeKind.ADDED, owner)
        owner.append("stdout", b"more\n")
        await until(batches, ChangeKind.UPDATED, owner)


async def test_a_watched_folder_that_vanishes_ends_nothing(tmp_path: Path) -> None:
    owner = finished(tmp_path / "first")
    source = LocalSource([str(tmp_path / "first")], feed=WatchfilesFeed())
    async with aclosing(source.changes()) as batches:
        assert (await anext(batches)).watching
        (tmp_path / "first").rename(tmp_path / "away")
        await until(batches, ChangeKind.REMOVED, owner)
        (tmp_path / "away").rename(tmp_path / "first")
        await until(batches, ChangeKind.ADDED, owner)


async def out_of_watches(*paths: str, **options: object) -> AsyncGenerator[set[tuple[int, str]]]:
    """What the kernel does when every watch is taken; taking them here would take them from everybody."""
    if paths:
        raise OSError(28, "OS file watch limit reached")
    yield set()


@pytest.mark.parametrize(
    ("name", "broken"),
    [("is_local", lambda _fd: False), ("awatch", out_of_watches)],
    ids=["network file system", "out of watches"],
)
async def test_where_there_are_no_events_it_says_polling_and_finds_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, broken: object
) -> None:
    monkeypatch.setattr(watch, name, broken)
    owner = Owner(tmp_path)
    source = LocalSource([str(tmp_path)], feed=WatchfilesFeed())
    async with aclosing(source.changes()) as batches:
        assert not (await anext(batches)).watching
        owner.append("stdout", b"more\n")
        batch = await until(batches, ChangeKind.UPDATED, owner)
        assert not batch.watching
