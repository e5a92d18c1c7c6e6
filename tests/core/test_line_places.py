"""Lines by number, compared with what ``sed -n`` and ``head`` print; from a kept index, too, even a wrong one."""

from __future__ import annotations

import os
import subprocess
from array import array
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core import line_count, lines
from capture_core.errors import StreamGone
from capture_core.line_index import LineIndex
from capture_core.line_places import LinePlaces
from capture_core.reader import FileMark, StreamReader
from tests.captures import Owner, entry_of, finished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

corpora = st.lists(
    st.sampled_from([b"\n", b"error: no\n", b"x" * 90, "é😀\n".encode(), b"\0\0", b"\r\n", b"\xff\n"]), max_size=80
).map(b"".join)


class Kept:
    """Keeps one index in memory."""

    def __init__(self, index: LineIndex | None = None) -> None:
        self.index = index
        self.kept = 0

    def load(self, mark: FileMark) -> LineIndex | None:
        return self.index

    def keep(self, mark: FileMark, index: LineIndex) -> None:
        self.index = index
        self.kept += 1


def opened(conversation: Path, data: bytes) -> StreamReader:
    owner = finished(conversation, data, has_digest=True)
    return StreamReader(str(conversation), entry_of(conversation, owner), "stdout")


def printed(data: bytes, *command: str) -> bytes:
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


@settings(max_examples=40)
@given(corpora, st.integers(1, 60), st.integers(0, 30), st.integers(5, 200), st.integers(2, 6))
def test_a_range_of_lines_is_what_sed_prints(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, first: int, more: int, page: int, most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, opened(tmp_path_factory.mktemp("c"), data) as reader:
        patch.setattr(lines, "LINE_BLOCK_BYTES", page)
        patch.setattr(line_count, "LINE_INDEX_BLOCK_BYTES", page)
        patch.setattr(line_count, "LINE_BLOCK_BYTES", page * 3)
        places = LinePlaces(reader)
        places._index = LineIndex(page, most=most)
        start, end = places.range(first, first + more)
        expected = printed(data, "sed", "-n", f"{first},{first + more}p")
        assert reader.read(start, end) == expected
        assert places.range(first, None) == (start, len(data))


@settings(max_examples=40)
@given(corpora, st.integers(5, 200))
def test_which_line_a_byte_is_in_is_what_head_and_wc_say(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, page: int
) -> None:
    with opened(tmp_path_factory.mktemp("c"), data) as reader:
        places = LinePlaces(reader)
        places._index = LineIndex(page)
        for offset in sorted({0, 1, page, len(data) // 2, len(data), len(data) + 5}):
            before = printed(data, "head", "-c", str(offset))
            assert places.line_of(offset) == int(printed(before, "wc", "-l")) + 1


def test_only_as_much_is_counted_as_is_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path, b"line\n" * 200_000) as reader:
        places = LinePlaces(reader)
        assert places.start_of(3) == 10
        assert places._index.counted <= 256 * 1024
        assert places.line_of(1_000) == 201
        assert places._index.counted <= 256 * 1024
        assert places.line_of(900_000) == 180_001


def test_a_number_that_takes_a_long_count_need_not_be_told(tmp_path: Path) -> None:
    with opened(tmp_path, b"line\n" * 400_000) as reader:
        places = LinePlaces(reader)
        assert places.known_line_of(1_500_000, within_bytes=1_000_000) is None
        assert places._index.counted == 0
        assert places.known_line_of(1_000_000, within_bytes=1_000_000) == 200_001
        assert places.known_line_of(1_500_000, within_bytes=1_000_000) == 300_001


def test_an_index_is_kept_once_it_is_whole_and_read_from_there(tmp_path: Path, reads: Callable[[], int]) -> None:
    kept = Kept()
    with opened(tmp_path, b"line\n" * 400_000) as reader:
        places = LinePlaces(reader, kept)
        assert places.start_of(300_000) == 5 * 299_999
        assert kept.kept == 0
        assert places.start_of(400_002) == 2_000_000
        assert kept.kept == 1
        before = reads()
        places = LinePlaces(reader, kept)
        assert places.start_of(300_000) == 5 * 299_999
        assert places.line_of(5 * 299_999) == 300_000
        assert reads() - before < 400_000


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many bytes were read so far."""
    total = 0

    def pread(fd: int, size: int, offset: int, real: Callable[[int, int, int], bytes] = os.pread) -> bytes:
        nonlocal total
        data = real(fd, size, offset)
        total += len(data)
        return data

    def preadv(
        fd: int, buffers: list[bytearray], offset: int, real: Callable[[int, list[bytearray], int], int] = os.preadv
    ) -> int:
        nonlocal total
        size = real(fd, buffers, offset)
        total += size
        return size

    monkeypatch.setattr(os, "pread", pread)
    monkeypatch.setattr(os, "preadv", preadv)
    return lambda: total


@pytest.mark.parametrize(
    "wrong",
    [
        LineIndex.restored(stride=65_536, before=array("Q", [0] * 31), end=2_000_000, newlines=0, is_open=False),
        LineIndex.restored(
            stride=65_536,
            before=array("Q", [65_536 * n for n in range(31)]),
            end=2_000_000,
            newlines=1_999_999,
            is_open=True,
        ),
    ],
)
def test_a_wrong_kept_index_gives_no_wrong_line(tmp_path: Path, wrong: LineIndex) -> None:
    for line in (2, 300_000, 400_000, 400_001, 500_000):
        kept = Kept(wrong)
        with opened(tmp_path, b"line\n" * 400_000) as reader:
            assert LinePlaces(reader, kept).start_of(line) == min(5 * (line - 1), 2_000_000)
            assert LinePlaces(reader, Kept(wrong)).line_of(5 * 299_999) == 300_000


def test_a_live_streams_lines_are_counted_on_and_never_kept(tmp_path: Path) -> None:
    owner, kept = Owner(tmp_path), Kept()
    owner.append("stdout", b"one\ntwo\nthr")
    with StreamReader(str(tmp_path), entry_of(tmp_path, owner), "stdout") as reader:
        places = LinePlaces(reader, kept)
        assert (places.start_of(3), places.start_of(4)) == (8, 11)
        owner.append("stdout", b"ee\nfour\n")
        assert (places.start_of(4), places.start_of(5), places.line_of(14)) == (14, 19, 4)
    assert kept.kept == 0


def test_a_file_cut_while_its_lines_are_counted_is_named(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"line\n" * 100_000)
    with StreamReader(str(tmp_path), entry_of(tmp_path, owner), "stdout") as reader:
        index, end = LineIndex(), reader.committed
        os.truncate(owner.path("stdout"), 300_000)
        with pytest.raises(StreamGone, match="cut to 300000 bytes"):
            reader.catch_up(index, end)
        assert index.counted == 300_000
