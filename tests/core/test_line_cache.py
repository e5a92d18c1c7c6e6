"""Kept line indexes: taken only when ours, whole and of exactly this text, and never more of them than fit."""

from __future__ import annotations

import os
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core import line_cache
from capture_core.limits.reading import LINE_CACHE_FROM_BYTES
from capture_core.line_cache import LineCache
from capture_core.line_index import LineIndex
from capture_core.reader import FileMark

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZE = LINE_CACHE_FROM_BYTES + 12_345


def mark(number: int = 1, *, size: int = SIZE, newlines: int | None = None) -> FileMark:
    return FileMark(number, size, 1_796_040_000_000_000_000 + number, f"{number:064x}", newlines)


def index_of(size: int = SIZE) -> LineIndex:
    index = LineIndex()
    index.feed(b"a line of thirty-two characters\n" * (size // 32) + b"x" * (size % 32))
    return index


INDEX = index_of()


@dataclass
class Place:
    """A cache, and the only file in it."""

    cache: LineCache
    folder: Path

    @property
    def file(self) -> Path:
        (file,) = self.folder.iterdir()
        return file

    def rewrite(self, change: Callable[[bytearray], object]) -> None:
        data = bytearray(self.file.read_bytes())
        change(data)
        self.file.write_bytes(data)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(LineCache(str(tmp_path / "cache")), tmp_path / "cache" / "lines")
    place.cache.keep(mark(), INDEX)
    return place


def facts(index: LineIndex | None) -> tuple[object, ...] | None:
    return None if index is None else (index.counts, index.stride, index.counted, index.newlines, index.is_open)


def test_an_index_comes_back_as_it_was_and_is_private(place: Place) -> None:
    assert facts(place.cache.load(mark())) == facts(INDEX)
    assert place.file.stat().st_mode & 0o777 == 0o600
    assert place.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "other",
    [
        mark()._replace(inode=2),
        mark()._replace(size=SIZE + 1),
        mark()._replace(modified_ns=5),
        mark()._replace(sha256="ab" * 32),
        mark()._replace(newlines=INDEX.newlines + 1),
    ],
)
def test_the_index_of_another_text_is_not_taken_even_under_this_ones_name(place: Place, other: FileMark) -> None:
    assert place.cache.load(other) is None
    place.file.rename(place.folder / line_cache._name(other))
    assert place.cache.load(other) is None


def test_the_newlines_of_the_receipt_agree(tmp_path: Path) -> None:
    cache, same = LineCache(str(tmp_path)), mark(newlines=INDEX.newlines)
    cache.keep(same, INDEX)
    assert facts(cache.load(same)) == facts(INDEX)


@given(st.data())
def test_a_file_that_is_damaged_anywhere_is_not_taken(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    place = Place(LineCache(str(folder)), folder / "lines")
    place.cache.keep(mark(), INDEX)
    size = place.file.stat().st_size
    at = data.draw(st.integers(0, size - 1))
    bit = 1 << data.draw(st.integers(0, 7))

    def flip(held: bytearray) -> None:
        held[at] ^= bit

    place.rewrite(flip)
    assert place.cache.load(mark()) is None
    place.rewrite(flip)
    assert place.cache.load(mark()) is not None
    place.rewrite(lambda held: held.__delitem__(slice(at, None)))
    assert place.cache.load(mark()) is None


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("stride", 65_537),
        ("stride", 0),
        ("stride", 3 * 65_536),
        ("newlines", SIZE),
        ("newlines", 0),
        ("count", 1 << 40),
    ],
)
def test_impossible_counts_are_not_taken_though_the_digest_is_right(place: Place, change: str, value: int) -> None:
    wrong = index_of()
    if change == "count":
        wrong.counts[5] = value
    else:
        seen = wrong._seen
        wrong._seen = seen._replace(stride=value) if change == "stride" else seen._replace(newlines=value)
    place.cache.keep(mark(), wrong)
    assert place.cache.load(mark()) is None


@given(
    st.sampled_from([0, 1, 65_536, 131_072, 1 << 62, (1 << 64) - 1]),
    st.lists(st.integers(0, (1 << 64) - 1), max_size=3).map(sorted),
    st.integers(0, (1 << 64) - 1),
    st.sampled_from([1, 65_535, 65_536, 200_000]),
    st.binary(max_size=9),
)
def test_whatever_a_whole_file_says_it_is_an_index_that_can_be_or_none(
    stride: int, counts: list[int], newlines: int, size: int, more: bytes
) -> None:
    wanted = mark(size=size)
    head = line_cache._HEAD.pack(
        wanted.inode, size, wanted.modified_ns, bytes.fromhex(wanted.sha256), stride, newlines, False
    )
    body = line_cache._MAGIC + head + array("Q", counts).tobytes() + more
    for data in (body + line_cache._digest(body), body, body[: len(body) // 2], more, more + line_cache._digest(more)):
        index = line_cache._decoded(data, wanted)
        if index is not None:
            assert index.stride == 65_536
            assert all(
                block is not None and 0 <= block.newlines <= 65_536 for block in map(index.block_at, (0, size - 1))
            )


def test_the_index_of_a_text_so_large_that_its_blocks_doubled_comes_back_too(tmp_path: Path) -> None:
    index, large = LineIndex(), mark(size=100 << 30)
    index.feed(b"\n" * 100_000)
    index.skip(large.size)
    cache = LineCache(str(tmp_path))
    cache.keep(large, index)
    assert index.stride == 131_072
    assert facts(cache.load(large)) == facts(index)


def test_what_others_may_write_is_not_believed(place: Place) -> None:
    for mode in (0o620, 0o602, 0o666):
        place.file.chmod(mode)
        assert place.cache.load(mark()) is None
    place.file.chmod(0o600)
    assert place.cache.load(mark()) is not None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_another_is_not_believed(place: Place) -> None:
    os.chown(place.file, 65_534, 65_534)
    assert place.cache.load(mark()) is None


def test_what_is_no_file_of_ours_is_not_opened(place: Place, tmp_path: Path) -> None:
    file = place.file
    kept = tmp_path / "kept"
    file.rename(kept)
    file.symlink_to(kept)
    assert place.cache.load(mark()) is None
    file.unlink()
    os.mkfifo(file)
    assert place.cache.load(mark()) is None
    file.unlink()
    file.mkdir()
    assert place.cache.load(mark()) is None
    place.cache.keep(mark(), INDEX)
    assert place.cache.load(mark()) is None


def test_a_file_larger_than_any_index_is_not_read(place: Place) -> None:
    os.truncate(place.file, 1 << 40)
    assert place.cache.load(mark()) is None


def test_small_texts_and_half_counted_ones_are_not_kept(tmp_path: Path) -> None:
    cache = LineCache(str(tmp_path))
    cache.keep(mark(size=1000), index_of(1000))
    cache.keep(mark(size=SIZE + 1), INDEX)
    assert list(tmp_path.iterdir()) == []
    LineCache(None).keep(mark(), INDEX)
    assert LineCache(None).load(mark()) is None


def test_where_nothing_can_be_kept_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("not a folder")
    LineCache(str(tmp_path)).keep(mark(), INDEX)
    LineCache("/proc/none").keep(mark(), INDEX)
    assert LineCache(str(tmp_path)).load(mark()) is None


def test_what_was_unused_for_longest_goes_when_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = LineCache(str(tmp_path))
    cache.keep(mark(0), INDEX)
    size = sum(file.stat().st_size for file in (tmp_path / "lines").iterdir())
    monkeypatch.setattr(line_cache, "LINE_CACHE_BYTES", 3 * size)
    for number in range(1, 3):
        cache.keep(mark(number), INDEX)
    for age, number in enumerate((2, 1, 0)):
        os.utime(tmp_path / "lines" / line_cache._name(mark(number)), (1000 - age, 1000 - age))
    assert cache.load(mark(0)) is not None
    cache.keep(mark(3), INDEX)
    assert [cache.load(mark(number)) is not None for number in range(4)] == [True, False, True, True]


def test_what_a_killed_writer_left_goes_and_what_is_not_ours_stays(place: Place) -> None:
    stray, young, note = (place.folder / name for name in (f".1-{'a' * 16}", f".2-{'b' * 16}", "note.txt"))
    for path in (stray, young, note):
        path.write_text("x")
    os.utime(stray, (1, 1))
    os.utime(note, (1, 1))
    place.cache.keep(mark(2), INDEX)
    assert [path.exists() for path in (stray, young, note)] == [False, True, True]
