"""Ranges of one stream while it grows, changes its name, and after somebody took it away."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capture_core
from capture_core import lines
from capture_core.catalog import Catalogue, Name
from capture_core.errors import StreamGone, StreamUnreadable
from capture_core.limits.reading import RANGE_BYTES
from capture_core.line_index import LineIndex
from capture_core.line_places import LinePlaces
from capture_core.reader import StreamReader
from capture_core.source import Entry
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from collections.abc import Callable


def entry(conversation: Path, owner: Owner) -> Entry:
    found = Catalogue(str(conversation)).fresh(Name(owner.receipt.tool, owner.id))
    assert isinstance(found, Entry)
    return found


def opened(conversation: Path, owner: Owner, stream: str = "stdout") -> StreamReader:
    return StreamReader(str(conversation), entry(conversation, owner), stream)


def test_a_range_is_clipped_to_what_is_committed(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"0123456789")
    with opened(tmp_path, owner) as reader:
        page = reader.page(4, 100)
        assert (page.start, page.end, page.data, page.committed) == (4, 10, b"456789", 10)
        beyond = reader.page(50, 60)
        assert (beyond.start, beyond.end, beyond.data) == (10, 10, b"")
        assert reader.page(-5, 3).data == b"012"
        assert reader.page(7, 3).data == b""


def test_one_range_is_bounded(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    os.truncate(owner.path("stdout"), 10 << 30)
    with opened(tmp_path, owner) as reader:
        page = reader.page(1 << 30, 10 << 30)
        assert page.end - page.start == len(page.data) == RANGE_BYTES
        assert page.committed == 10 << 30


def test_an_open_reader_stays_through_the_change_to_final(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"first\n")
    with opened(tmp_path, owner) as reader:
        assert reader.page(0, 100).data == b"first\n"
        owner.append("stdout", b"last\n")
        owner.rename_streams()
        assert reader.page(6, 100).data == b"last\n"
        owner.publish()
        owner.unlink_live()
        owner.release()
        reader.follow(entry(tmp_path, owner))
        assert reader.page(0, 100).data == b"first\nlast\n"


def test_a_reader_that_opens_between_rename_and_receipt_finds_the_text(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    before = entry(tmp_path, owner)
    owner.append("stdout", b"text\n")
    owner.rename_streams()
    with StreamReader(str(tmp_path), before, "stdout") as reader:
        assert reader.page(0, 100).data == b"text\n"


@given(st.lists(st.one_of(st.binary(max_size=9), st.tuples(st.integers(0, 40), st.integers(0, 40))), max_size=20))
def test_committed_bytes_never_change(
    tmp_path_factory: pytest.TempPathFactory, steps: list[bytes | tuple[int, int]]
) -> None:
    conversation = tmp_path_factory.mktemp("conversation")
    owner = Owner(conversation)
    whole = b""
    with opened(conversation, owner) as reader:
        for step in steps:
            if isinstance(step, bytes):
                owner.append("stdout", step)
                whole += step
            else:
                page = reader.page(*step)
                assert page.data == whole[page.start : page.end]
    owner.release()


def test_a_deleted_stream_says_so(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"text\n")
    with opened(tmp_path, owner) as reader:
        owner.path("stdout").unlink()
        with pytest.raises(StreamGone, match="deleted or replaced"):
            reader.page(0, 10)


def test_a_replaced_stream_says_so(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"text\n")
    with opened(tmp_path, owner) as reader:
        other = tmp_path / "other"
        other.write_bytes(b"other text\n")
        other.rename(owner.path("stdout"))
        with pytest.raises(StreamGone, match="deleted or replaced"):
            reader.page(0, 10)


def test_a_stream_cut_short_says_so(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"0123456789")
    with opened(tmp_path, owner) as reader:
        assert reader.committed == 10
        os.truncate(owner.path("stdout"), 4)
        with pytest.raises(StreamGone, match="cut to 4 bytes"):
            reader.page(0, 10)
        with pytest.raises(StreamGone, match="cut to 4 bytes"):
            reader.read(0, 10)


@pytest.mark.parametrize("stream", ["output", "../../x", ""])
def test_a_stream_that_is_not_there(tmp_path: Path, stream: str) -> None:
    owner = finished(tmp_path)
    with pytest.raises(StreamGone, match=r"has no stream .*it has: stderr, stdout"):
        opened(tmp_path, owner, stream)
    owner.path("stdout").unlink()
    with pytest.raises(StreamGone, match="missing"):
        opened(tmp_path, owner)


def test_a_link_put_in_a_streams_place_is_not_followed(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    before = entry(tmp_path, owner)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path = owner.path("stdout")
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(StreamGone, match="not followed"):
        StreamReader(str(tmp_path), before, "stdout")


def test_a_live_stream_is_not_held_and_a_final_is(tmp_path: Path) -> None:
    running, ended = Owner(tmp_path), finished(tmp_path)
    with opened(tmp_path, running) as reader:
        assert not reader.hold()
    with opened(tmp_path, ended) as reader:
        assert reader.hold()


# ---- What readers are promised, sentence by sentence -----------------------------------------------------------------


def test_the_committed_length_is_never_overrun(tmp_path: Path) -> None:
    """Neither by half a character that a write has under way, nor by what a failed one left behind the end."""
    running, ended = Owner(tmp_path), finished(tmp_path, b"whole\n")
    running.append("stdout", "whole\n€".encode()[:-1])
    ended.path("stdout").chmod(0o600)
    with ended.path("stdout").open("ab") as file:
        file.write(b"never committed")
    for owner in (running, ended):
        with opened(tmp_path, owner) as reader:
            assert reader.committed == 6
            assert reader.page(0, 100).data == b"whole\n"
            assert reader.page(6, 100).data == b""


def test_an_error_is_never_an_empty_page(tmp_path: Path) -> None:
    """What the system refuses is named, whoever reads."""
    owner = finished(tmp_path, b"0123456789")
    with opened(tmp_path, owner) as reader:
        fd, reader._fd = reader._fd, os.open("/proc/self/mem", os.O_RDONLY)  # nothing is mapped at 0: EIO
        with pytest.raises(StreamUnreadable, match=r"stdout: it cannot be read \(input/output error\)"):
            reader.read(0, 10)
        with pytest.raises(StreamUnreadable, match="input/output error"):
            reader.catch_up(LineIndex(), 10)
        os.close(reader._fd)
        reader._fd = fd
        assert reader.page(0, 4).data == b"0123"


def test_a_page_of_a_file_that_is_cut_while_it_is_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = finished(tmp_path, b"0123456789")

    def cut_first(fd: int, size: int, offset: int, pread: Callable[[int, int, int], bytes] = os.pread) -> bytes:
        os.truncate(owner.path("stdout"), 4)
        return pread(fd, size, offset)

    with opened(tmp_path, owner) as reader:
        monkeypatch.setattr(os, "pread", cut_first)
        with pytest.raises(StreamGone, match="cut to 4 bytes"):
            reader.page(4, 10)


def test_what_a_file_lacks_of_its_receipt_is_told(tmp_path: Path) -> None:
    live, whole, cut = Owner(tmp_path), finished(tmp_path, b"0123456789"), finished(tmp_path, b"0123456789")
    os.truncate(cut.path("stdout"), 4)
    for owner, missing in ((live, 0), (whole, 0), (cut, 6)):
        with opened(tmp_path, owner) as reader:
            assert reader.missing == missing


def test_bytes_stay_bytes_and_nothing_is_mapped_that_may_shrink() -> None:
    """Who reads decodes what it shows, and only that; a file that shrinks under a mapping is a SIGBUS."""
    root = Path(capture_core.__file__).parents[1]
    sources = [path for package in ("capture_core", "capview") for path in (root / package).rglob("*.py")]
    assert len(sources) > 100
    assert [path for path in sources if "import mmap" in path.read_text()] == []


def test_memory_is_bounded_for_any_file_and_any_line_length(tmp_path: Path) -> None:
    """A tebibyte with a line of 16 MiB at its end, asked in every way: held are a page and the sparse counts."""
    owner, size = Owner(tmp_path, streams=("stdout",)), 1 << 40
    line = size - (16 << 20)
    os.pwrite(owner.fds["stdout"], b"first\n", 0)
    os.pwrite(owner.fds["stdout"], b"\n" + b"x" * (16 << 20), line - 1)
    ways: tuple[Callable[[StreamReader], object], ...] = (
        lambda reader: lines.after_lines(reader.read, 0, size, 3, data_from=reader.data_from),
        lambda reader: lines.before_lines(reader.read, 0, size, 2, data_from=reader.data_from),
        lambda reader: lines.around(reader.read, size, size - (8 << 20), 12 << 20),
        lambda reader: lines.text_edges(reader.read, size, line + 5, size),
        lambda reader: LinePlaces(reader).range(2, 3),
        lambda reader: LinePlaces(reader).line_of(size - 5),
        lambda reader: reader.page(line, size),
    )
    with opened(tmp_path, owner) as reader:
        for way in ways:
            tracemalloc.start()
            way(reader)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 32 << 20
        assert LinePlaces(reader).range(3, 3) == (line, size)


@pytest.mark.parametrize("word", [None, "", "ab" * 31, "ab" * 33, "zz" * 32, "../" * 21 + "a", "AB" * 32])
def test_a_text_without_a_digest_has_no_mark(tmp_path: Path, word: str | None) -> None:
    owner = finished(tmp_path, b"text\n", has_digest=True)
    with opened(tmp_path, owner) as reader:
        mark = reader.mark()
        assert mark is not None
        assert (mark.size, mark.sha256) == (5, hashlib.sha256(b"text\n").hexdigest())
    streams = {name: replace(facts, sha256=word) for name, facts in owner.receipt.streams.items()}
    other = replace(entry(tmp_path, owner), receipt=replace(owner.receipt, streams=streams))
    with StreamReader(str(tmp_path), other, "stdout") as reader:
        assert reader.mark() is None


def test_what_may_still_change_has_no_mark(tmp_path: Path) -> None:
    live, longer = Owner(tmp_path, has_digest=True), finished(tmp_path, b"text\n", has_digest=True)
    longer.path("stdout").chmod(0o600)
    with longer.path("stdout").open("ab") as file:
        file.write(b"more")
    for owner in (live, longer):
        with opened(tmp_path, owner) as reader:
            assert reader.mark() is None
