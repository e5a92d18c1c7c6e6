"""Any file as a source: growing, cut short, replaced, deleted, and what is no file at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core.errors import Refused, StreamGone, StreamUnreadable, UnknownRef
from capture_core.facts import RequestKind
from capture_core.find.matcher import Wanted
from capture_core.sought import Search
from capture_core.source import Address, ChangeKind, Source
from capview.pager import file_source
from capview.pager.file_source import FileSource

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.unlink()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "build.log"
    path.write_bytes(b"one\ntwo\n")
    return path


async def test_it_is_a_source(log: Path) -> None:
    source: Source = FileSource(str(log))
    assert len((await source.list()).entries) == 1


async def test_its_bytes_are_read_by_range_and_clipped(log: Path) -> None:
    source = FileSource(str(log))
    page = await source.range(source.address, "content", 4, 100)
    assert (page.start, page.end, page.data, page.committed) == (4, 8, b"two\n", 8)
    beyond = await source.range(source.address, "content", 50, 100)
    assert (beyond.data, beyond.committed) == (b"", 8)


async def test_another_generation_after_a_truncation_and_after_a_replacement(log: Path) -> None:
    source = FileSource(str(log))
    assert (await source.range(source.address, "content", 0, 4)).generation == 1
    write(log, b"new")
    page = await source.range(source.address, "content", 0, 4)
    assert (page.generation, page.data) == (2, b"new")
    other = log.with_name("other")
    write(other, b"another file")
    other.rename(log)
    page = await source.range(source.address, "content", 0, 7)
    assert (page.generation, page.data) == (3, b"another")


async def test_a_deleted_file_can_still_be_read_and_its_successor_is_found(log: Path) -> None:
    source = FileSource(str(log))
    await source.list()
    remove(log)
    assert (await source.range(source.address, "content", 0, 3)).data == b"one"
    write(log, b"back")
    assert (await source.range(source.address, "content", 0, 4)).data == b"back"


async def test_growth_is_a_change(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_source, "POLL_SECONDS", 0)
    source = FileSource(str(log))
    changes = source.changes()
    first = await anext(changes)
    assert (first.changes, first.watching) == ((), False)
    with log.open("ab") as out:
        out.write(b"three\n")
    batch = await anext(changes)
    entry = batch.changes[0].entry
    assert batch.changes[0].kind is ChangeKind.UPDATED
    assert entry is not None
    assert entry.streams[0].committed in (8, 14)
    await changes.aclose()


async def test_what_is_no_regular_file_is_refused_in_one_line(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, words in ((fifo, "not a regular file"), (tmp_path / "missing", "no such file")):
        with pytest.raises(Refused, match=words):
            FileSource(str(path))


async def test_only_this_file_and_no_request(log: Path) -> None:
    source = FileSource(str(log))
    with pytest.raises(UnknownRef):
        await source.receipt(Address("x", "y"))
    with pytest.raises(StreamGone):
        await source.range(source.address, "stdout", 0, 1)
    with pytest.raises(Refused):
        await source.request(source.address, RequestKind.CANCEL, "")
    with pytest.raises(Refused):
        source.search(Search(Wanted("x")))


async def test_an_error_is_never_an_empty_file(log: Path) -> None:
    source = FileSource(str(log))
    os.close(source._fd)
    source._fd = os.open("/proc/self/mem", os.O_RDONLY)  # nothing is mapped at 0: EIO
    remove(log)  # what is open now is all that there is
    source._noted = lambda status: os.stat(__file__)  # type: ignore[method-assign]
    with pytest.raises(StreamUnreadable, match=r"build.log': it cannot be read \(input/output error\)"):
        await source.range(source.address, "content", 0, 4)


async def test_lines_are_those_of_the_file_that_stands_there_now(log: Path) -> None:
    source = FileSource(str(log))
    first = await source.lines(source.address, "content")
    write(other := log.with_name("other"), b"x\n" * 3)
    other.rename(log)
    second = await source.lines(source.address, "content")
    await first.more(8)
    await second.more(6)
    assert [(count.generation, count.index.lines) for count in (first, second)] == [(1, 2), (2, 3)]
    await first.aclose()
    await second.aclose()
    with pytest.raises(StreamGone):
        await source.lines(source.address, "stdout")
