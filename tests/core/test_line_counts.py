"""One count a stream, whoever looks at it: shared, in one thread at a time, ended with the last who looks."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core import line_counts
from capture_core.errors import StreamGone, UnknownRef
from capture_core.line_counts import StreamCount
from capture_core.line_index import LineIndex
from capture_core.local import LocalSource
from capture_core.source import Address, Page
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES = b"a line of thirty-two characters\n" * 300_000
"""9.6 MB: its index is kept."""


def source_on(tmp_path: Path) -> LocalSource:
    return LocalSource([str(tmp_path / "c")], cache_folder=str(tmp_path / "cache"))


def kept(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "cache" / "lines"
    return list(folder.iterdir()) if folder.exists() else []


async def counted(count: line_counts.SharedCount, size: int) -> LineIndex:
    while count.index.counted < size:
        await count.more(size)
    return count.index


async def test_views_of_one_stream_share_one_count(tmp_path: Path) -> None:
    owner = finished(tmp_path / "c", LINES, b"other\n")
    source, address = source_on(tmp_path), Address("c", owner.ref)
    first, second = await source.lines(address, "stdout"), await source.lines(address, "stdout")
    other = await source.lines(address, "stderr")
    await counted(first, len(LINES))
    assert second.index is first.index
    assert second.index.lines == 300_000
    assert other.index is not first.index
    await first.aclose()
    await first.aclose()
    assert (await source.lines(address, "stdout")).index is second.index


async def test_two_who_wait_count_each_byte_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_counts, "LINE_INDEX_SLICE_SECONDS", 0.001)
    owner = finished(tmp_path / "c", LINES)
    source, threads = source_on(tmp_path), set()

    def feed(index: LineIndex, data: bytes, real: Callable[[LineIndex, bytes], None] = LineIndex.feed) -> None:
        threads.add(threading.get_ident())
        assert lock.acquire(blocking=False), "two count at once"
        real(index, data)
        lock.release()

    lock = threading.Lock()
    monkeypatch.setattr(LineIndex, "feed", feed)
    shares = [await source.lines(Address("c", owner.ref), "stdout") for _ in range(3)]
    await asyncio.gather(*(counted(share, len(LINES)) for share in shares))
    assert shares[0].index.lines == 300_000
    assert threading.get_ident() not in threads


async def test_the_count_ends_with_the_last_who_looks(tmp_path: Path) -> None:
    owner = finished(tmp_path / "c", LINES)
    source, address = source_on(tmp_path), Address("c", owner.ref)
    shares = [await source.lines(address, "stdout") for _ in range(2)]
    await counted(shares[0], len(LINES))
    await shares[1].aclose()
    assert os.fstat(shares[0]._count._fd).st_size == len(LINES)
    await shares[0].aclose()
    assert shares[0]._count._fd == -1
    await shares[0].more(len(LINES))
    assert (await source.lines(address, "stdout")).index is not shares[0].index


async def test_leaving_ends_the_counting_within_the_read_that_it_is_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_counts, "LINE_INDEX_SLICE_SECONDS", 1_000_000)
    path, entered = tmp_path / "log", threading.Event()
    path.write_bytes(LINES)

    def feed(index: LineIndex, data: bytes) -> None:
        """Count nothing, so that it would go on for ever."""
        entered.set()

    monkeypatch.setattr(LineIndex, "feed", feed)
    count = StreamCount(os.open(path, os.O_RDONLY), 1)
    left = asyncio.create_task(count.more(len(LINES)))
    waiting = asyncio.create_task(count.more(len(LINES)))
    await asyncio.to_thread(entered.wait)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    await count.aclose()
    await waiting
    assert (count._fd, count.index.counted) == (-1, 0)


async def test_the_index_of_an_ended_capture_is_there_at_once_the_next_time(tmp_path: Path) -> None:
    owner = finished(tmp_path / "c", LINES, has_digest=True)
    address = Address("c", owner.ref)
    count = await source_on(tmp_path).lines(address, "stdout")
    await counted(count, len(LINES))
    assert len(kept(tmp_path)) == 1
    again = await source_on(tmp_path).lines(address, "stdout")
    assert (again.index.counted, again.index.lines) == (len(LINES), 300_000)
    again.distrust(again.index)
    assert again.index.counted == 0


async def test_a_capture_that_ends_while_it_is_shown_is_kept_when_it_is_left(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "c", has_digest=True)
    source, address = source_on(tmp_path), Address("c", owner.ref)
    owner.append("stdout", LINES)
    count = await source.lines(address, "stdout")
    await counted(count, len(LINES))
    owner.append("stdout", b"last\n")
    count.take(Page(start=len(LINES), end=len(LINES) + 5, data=b"last\n", committed=len(LINES) + 5))
    assert count.index.lines == 300_001
    count.take(Page(start=0, end=5, data=b"last\n", committed=len(LINES) + 5))
    count.take(Page(start=len(LINES) + 5, end=len(LINES) + 6, data=b"\n", committed=len(LINES) + 5, generation=2))
    assert count.index.lines == 300_001
    owner.finish()
    assert kept(tmp_path) == []
    await count.aclose()
    assert len(kept(tmp_path)) == 1
    assert (await source.lines(address, "stdout")).index.lines == 300_001


async def test_a_live_capture_that_is_left_is_not_kept(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "c", has_digest=True)
    owner.append("stdout", LINES)
    count = await source_on(tmp_path).lines(Address("c", owner.ref), "stdout")
    await counted(count, len(LINES))
    await count.aclose()
    assert kept(tmp_path) == []


async def test_what_cannot_be_counted_is_named(tmp_path: Path) -> None:
    owner = finished(tmp_path / "c", LINES)
    source, address = source_on(tmp_path), Address("c", owner.ref)
    with pytest.raises(UnknownRef):
        await source.lines(Address("c", owner.ref[:-1] + "a"), "stdout")
    with pytest.raises(StreamGone, match="no stream"):
        await source.lines(address, "output")
    count = await source.lines(address, "stdout")
    os.truncate(owner.path("stdout"), 100)
    with pytest.raises(StreamGone, match="cut to 100 bytes"):
        await counted(count, len(LINES))
