"""The local source: lists, ranges, hits and changes of captures that others write, wherever they appear."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio
import pytest

from capture_core import shelf
from capture_core.errors import PlaceRefused, ReceiptError, Refused, StreamGone, UnknownRef
from capture_core.facts import Liveness, RequestKind
from capture_core.feed import Wake
from capture_core.find.matcher import Wanted
from capture_core.limits.reading import OPEN_STREAMS
from capture_core.local import LocalSource, open_local
from capture_core.sought import Search
from capture_core.source import Address, ChangeKind, Changes, Source
from tests.captures import FAILED, Owner, finished

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from pathlib import Path


class Pushed:
    """A feed that wakes when a test says so."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Wake] = asyncio.Queue()
        self.directories: Callable[[], frozenset[str]] = frozenset

    def push(self, *paths: Path | str, watching: bool = True) -> None:
        self.queue.put_nowait(Wake(paths=frozenset(map(str, paths)), watching=watching))

    async def wakes(self, directories: Callable[[], frozenset[str]]) -> AsyncGenerator[Wake]:
        self.directories = directories
        while True:
            yield await self.queue.get()


def address(owner: Owner) -> Address:
    return Address(owner.folder.parent.parent.name, owner.ref)


def one(tmp_path: Path) -> LocalSource:
    return LocalSource([str(tmp_path)])


async def until(batches: AsyncIterator[Changes], kind: ChangeKind, owner: Owner) -> Changes:
    """The first batch with this change."""
    with anyio.fail_after(30):
        async for batch in batches:
            if any(change.kind is kind and change.address == address(owner) for change in batch.changes):
                return batch
    raise AssertionError


def test_it_is_a_source(tmp_path: Path) -> None:
    source: Source = one(tmp_path)
    assert isinstance(source, LocalSource)


async def test_a_list_over_several_conversations_newest_first(tmp_path: Path) -> None:
    first = finished(tmp_path / "a", second=1)
    second = finished(tmp_path / "b", second=2)
    listing = await LocalSource(folders=[str(tmp_path)]).list()
    assert [entry.address for entry in listing.entries] == [address(second), address(first)]


async def test_two_conversations_of_one_name_have_two_keys(tmp_path: Path) -> None:
    owners = [finished(tmp_path / place / "same") for place in ("x", "y")]
    source = LocalSource([str(tmp_path / "x" / "same"), str(tmp_path / "y" / "same")])
    keys = {entry.address.conversation for entry in (await source.list()).entries}
    assert keys == {"same", str(tmp_path / "y" / "same")}
    assert {source.path_of(key) for key in keys} == {str(owner.folder.parent.parent) for owner in owners}


async def test_a_conversation_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    source = one(tmp_path / "later")
    listing = await source.list()
    assert (listing.entries, listing.unreadable) == ((), ())
    finished(tmp_path / "later")
    assert len((await source.list()).entries) == 1


async def test_a_refused_conversation_is_named_with_its_reason(tmp_path: Path) -> None:
    good, bad = finished(tmp_path / "good"), tmp_path / "bad"
    bad.mkdir()
    (bad / "tool-outputs").symlink_to(good.folder.parent)
    listing = await LocalSource([str(tmp_path / "good"), str(bad)]).list()
    assert [entry.address for entry in listing.entries] == [address(good)]
    (unreadable,) = listing.unreadable
    assert unreadable.address.conversation == "bad"
    assert "not followed" in unreadable.words


async def test_ranges_while_the_capture_grows_and_ends(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    source = one(tmp_path)
    owner.append("stdout", b"first\n")
    assert (await source.range(address(owner), "stdout", 0, 100)).data == b"first\n"
    owner.append("stdout", b"last\n")
    owner.finish()
    page = await source.range(address(owner), "stdout", 6, 100)
    assert (page.data, page.committed) == (b"last\n", 11)
    await source.aclose()


async def test_a_stream_that_vanished_says_so_once_and_a_new_one_is_read(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"old\n")
    source = one(tmp_path)
    await source.range(address(owner), "stdout", 0, 100)
    new = tmp_path / "new"
    new.write_bytes(b"new\n")
    new.rename(owner.path("stdout"))
    with pytest.raises(StreamGone, match="replaced"):
        await source.range(address(owner), "stdout", 0, 100)
    assert (await source.range(address(owner), "stdout", 0, 100)).data == b"new\n"


async def test_only_so_many_streams_stay_open(tmp_path: Path) -> None:
    owners = [finished(tmp_path) for _ in range(OPEN_STREAMS + 5)]
    source = one(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for owner in owners * 2:
        assert (await source.range(address(owner), "stdout", 0, 100)).data == b"out\n"
    assert len(os.listdir("/proc/self/fd")) <= before + OPEN_STREAMS
    await source.aclose()
    assert len(os.listdir("/proc/self/fd")) <= before


async def test_many_readers_at_once_get_their_own_bytes(tmp_path: Path) -> None:
    owners = [finished(tmp_path, b"%d\n" % n) for n in range(OPEN_STREAMS + 5)]
    source = one(tmp_path)
    pages = await asyncio.gather(*(source.range(address(owner), "stdout", 0, 9) for owner in owners for _ in range(5)))
    assert [page.data for page in pages] == [b"%d\n" % n for n in range(len(owners)) for _ in range(5)]


@pytest.mark.parametrize(
    "ref",
    ["", "x", "/etc/passwd", "tool-outputs/../x", "tool-outputs/shell/../../..", "tool-outputs/shell/short"],
)
async def test_addresses_that_are_none(tmp_path: Path, ref: str) -> None:
    finished(tmp_path)
    with pytest.raises(UnknownRef):
        await one(tmp_path).range(Address(tmp_path.name, ref), "stdout", 0, 1)


async def test_captures_that_are_not_there_or_not_readable(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    source = one(tmp_path)
    with pytest.raises(UnknownRef):
        await source.receipt(Address("elsewhere", owner.ref))
    (owner.folder / f"{owner.id}.json").write_bytes(b"{")
    with pytest.raises(ReceiptError, match="not JSON"):
        await source.receipt(address(owner))
    for file in owner.folder.iterdir():
        file.unlink()
    with pytest.raises(UnknownRef):
        await source.receipt(address(owner))


async def test_hits_over_all_captures_and_over_some(tmp_path: Path) -> None:
    old = finished(tmp_path, b"an error\nok\n", b"error too\n", second=1)
    new = finished(tmp_path, b"no\nerror\n", second=2)
    source = one(tmp_path)
    found = [(hit.address, hit.stream, hit.line, hit.text) async for hit in source.search(Search(Wanted("err.r")))]
    assert found == [
        (address(new), "stdout", 2, b"error"),
        (address(old), "stdout", 1, b"an error"),
        (address(old), "stderr", 1, b"error too"),
    ]
    some = [hit.address async for hit in source.search(Search(Wanted("error", fixed=True)), (address(old),))]
    assert some == [address(old)] * 2
    with pytest.raises(Refused):
        await anext(source.search(Search(Wanted("("))))


async def test_a_search_can_be_left_early(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"hit\n" * 100_000)
    async with aclosing(one(tmp_path).search(Search(Wanted("hit")), (address(owner),))) as hits:
        assert (await anext(hits)).line == 1


async def test_changes_are_told_once_each_and_touch_what_they_name(tmp_path: Path) -> None:
    old, running = finished(tmp_path), Owner(tmp_path, tool="python")
    feed = Pushed()
    source = LocalSource([str(tmp_path)], feed=feed)
    async with aclosing(source.changes()) as batches:
        assert len((await source.list()).entries) == 2
        feed.push()
        assert await anext(batches) == Changes(changes=(), watching=True)

        running.append("stdout", b"more\n")
        os.truncate(old.path("stdout"), 0)  # not named by any event: not looked at
        feed.push(running.path("stdout"))
        (change,) = (await anext(batches)).changes
        assert (change.kind, change.address) == (ChangeKind.UPDATED, address(running))
        assert change.entry is not None
        assert change.entry.streams[0].committed == 5

        running.finish(FAILED)
        feed.push(running.folder / f"{running.id}.json")
        (change,) = (await anext(batches)).changes
        assert change.kind is ChangeKind.ENDED
        assert change.entry is not None
        assert change.entry.process == FAILED

        feed.push(running.path("stdout"))
        feed.push(watching=False)
        assert await anext(batches) == Changes(changes=(), watching=False), "nothing new, but now polling"


async def test_what_came_between_the_call_and_the_first_batch_is_told(tmp_path: Path) -> None:
    source = one(tmp_path)
    await source.list()
    batches = source.changes()
    new = finished(tmp_path)
    await source.list()
    async with aclosing(batches):
        await until(batches, ChangeKind.ADDED, new)


async def test_events_of_an_owners_nameless_descriptor_are_understood(tmp_path: Path) -> None:
    running = Owner(tmp_path)
    feed = Pushed()
    source = LocalSource([str(tmp_path)], feed=feed)
    async with aclosing(source.changes()) as batches:
        feed.push()
        await anext(batches)
        running.append("stdout", b"more\n")
        feed.push(running.folder / f"#{os.fstat(running.fds['stdout']).st_ino}")
        (change,) = (await anext(batches)).changes
        assert change.address == address(running)


async def test_two_subscribers_each_learn_everything(tmp_path: Path) -> None:
    source = one(tmp_path)
    async with aclosing(source.changes()) as first, aclosing(source.changes()) as second:
        await anext(first)
        await anext(second)
        new = finished(tmp_path)
        await until(first, ChangeKind.ADDED, new)
        await until(second, ChangeKind.ADDED, new)


async def test_polling_alone_finds_everything(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    source = LocalSource(folders=[str(folder)])
    async with aclosing(source.changes()) as batches:
        assert not (await anext(batches)).watching
        owner = Owner(folder / "new-conversation")
        await until(batches, ChangeKind.ADDED, owner)
        other = Owner(folder / "new-conversation", tool="new-tool")
        await until(batches, ChangeKind.ADDED, other)
        owner.append("stdout", b"x")
        await until(batches, ChangeKind.UPDATED, owner)
        owner.release()
        batch = await until(batches, ChangeKind.ENDED, owner)
        assert batch.changes[0].entry is not None
        assert batch.changes[0].entry.liveness is Liveness.OWNER_DIED
        for file in owner.folder.iterdir():
            file.unlink()
        await until(batches, ChangeKind.REMOVED, owner)


async def test_a_conversation_that_was_deleted_takes_its_captures_along(tmp_path: Path) -> None:
    owner = finished(tmp_path / "a")
    feed = Pushed()
    source = LocalSource(folders=[str(tmp_path)], feed=feed)
    async with aclosing(source.changes()) as batches:
        feed.push()
        await anext(batches)
        (tmp_path / "a").rename(tmp_path.parent / "away")
        await source.list()
        feed.push()
        (change,) = (await anext(batches)).changes
        assert (change.kind, change.address) == (ChangeKind.REMOVED, address(owner))


async def test_a_receipt_that_spoils_is_told_with_its_reason(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    feed = Pushed()
    source = LocalSource([str(tmp_path)], feed=feed)
    async with aclosing(source.changes()) as batches:
        feed.push()
        await anext(batches)
        receipt = owner.folder / f"{owner.id}.live.json"
        receipt.write_bytes(b"{")
        feed.push(receipt)
        (change,) = (await anext(batches)).changes
        assert change.kind is ChangeKind.REMOVED
        assert change.unreadable is not None


async def test_which_folders_are_worth_a_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = [finished(tmp_path / str(n)) for n in range(3)]
    live = Owner(tmp_path / "live")
    empty = tmp_path / "empty"
    empty.mkdir()
    feed = Pushed()
    source = LocalSource([str(empty)], [str(tmp_path)], feed=feed)
    async with aclosing(source.changes()) as batches:
        feed.push()
        await anext(batches)
        everything = {str(tmp_path), str(empty)}
        for owner in (*owners, live):
            everything |= {str(owner.folder), str(owner.folder.parent)}
        assert feed.directories() == everything
        monkeypatch.setattr(shelf, "WATCHED_CONVERSATIONS", 2)
        assert feed.directories() == {str(tmp_path), str(live.folder), str(live.folder.parent)}


async def test_requests_go_to_the_owner(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    await one(tmp_path).request(address(owner), RequestKind.PROMOTE, "lunch")
    assert (owner.folder / f"{owner.id}.request").exists()
    with pytest.raises(Refused):
        await one(tmp_path).request(address(finished(tmp_path)), RequestKind.CANCEL, "")


async def test_opening_a_conversation_a_folder_of_them_and_what_is_neither(tmp_path: Path) -> None:
    owner = finished(tmp_path / "a")
    for path in (tmp_path, tmp_path / "a"):
        (entry,) = (await open_local(str(path)).list()).entries
        assert entry.address == address(owner)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert (await open_local(str(empty)).list()).entries == ()
    file = tmp_path / "file"
    file.touch()
    for path in (file, tmp_path / "missing"):
        with pytest.raises(PlaceRefused):
            open_local(str(path))


async def test_cancelling_a_wait_for_changes(tmp_path: Path) -> None:
    source = LocalSource([str(tmp_path)], feed=Pushed())

    async def wait() -> None:
        async for _ in source.changes():
            pass

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
