"""One stream searched, held against rg: the same lines, numbers aside, the same matches, at any size of block."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_core.errors import StreamGone
from capture_core.find.matcher import Wanted, compile_wanted
from capture_core.hits.stream import Sizes, StreamSearch
from capture_core.limits import MIB
from capture_core.limits.reading import SEARCH_BLOCK_BYTES, SEARCH_HIT_TEXT_BYTES
from capture_core.limits.searching import SEARCH_HIT_MATCHES
from tests import ripgrep
from tests.captures import Owner, finished
from tests.core.hits.streams import each, opened, over, reader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.hits.matches import Found
    from capture_core.hits.stream import Batch

PIECES = [b"a", b"b", b"\n", b"ab\n", b"xy", b"\n\n", "é€".encode(), b"\xff\xc3", b" ", b"AB", b"\0"]
DATA = st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join)
PATTERNS = st.sampled_from(["ab", "a", "b$", "^a", "x.*b", "bb+", "[^b]a", "é", "a|xyx", "^$", "(ab)+y", " "])
SIZES = st.builds(
    Sizes,
    block=st.integers(1, 40),
    piece=st.integers(1, 40),
    parallel=st.sampled_from([10, 10_000]),
    back=st.integers(1, 40),
)
per_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)


def told(found: list[Found]) -> list[tuple[int, int, tuple[tuple[int, int], ...]]]:
    return [(hit.line_start, hit.line_end, hit.matches) for hit in found]


def _from_within(search: StreamSearch) -> Iterator[Batch]:
    return search.hits(7 * MIB)


@per_folder
@given(data=DATA, pattern=PATTERNS, sizes=SIZES)
def test_lines_and_matches_are_those_of_rg(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, pattern: str, sizes: Sizes
) -> None:
    folder = tmp_path_factory.mktemp("c")
    owner = finished(folder, data)
    path = owner.path("stdout")
    expected = [(line.start, line.end, line.matches) for line in ripgrep.lines(path, pattern)]
    others = [(line.start, line.end, ()) for line in ripgrep.lines(path, pattern, "-v")]
    with opened(folder, owner) as reader:
        search = over(reader, pattern, every_match=True, sizes=sizes)
        inverted = over(reader, pattern, invert=True, sizes=sizes)
        assert told(each(search.hits())) == expected
        assert told(each(search.hits_before())) == expected[::-1]
        assert told(each(inverted.hits())) == others
        assert told(each(inverted.hits_before())) == others[::-1]
        assert search.count() == ripgrep.count(path, pattern)
        assert inverted.count() == inverted.count_matches() == ripgrep.count(path, pattern, "-v")
        assert search.count_matches() == ripgrep.count(path, pattern, "--count-matches")


RECORDED = sorted((Path(__file__).parents[2] / "raw" / "output").glob("*.gz"))
OF_LOGS = ["error", "[0-9]+", "^ +", r"\.py", "passed|failed", "e$", "(test|build)[a-z_]+", "\\(.*\\)", "e"]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_what_tools_have_printed_is_searched_as_rg_does(tmp_path: Path, path: Path) -> None:
    owner = finished(tmp_path, gzip.decompress(path.read_bytes())[: MIB // 8])
    text = owner.path("stdout")
    with opened(tmp_path, owner) as reader:
        for number, pattern in enumerate(OF_LOGS):
            sizes = Sizes(block=61 + number, piece=997, parallel=10_000 * (number % 2), back=301)
            search = over(reader, pattern, every_match=True, sizes=sizes)
            lines = ripgrep.lines(text, pattern, "--no-unicode")
            expected = [(line.start, line.end, line.matches[:SEARCH_HIT_MATCHES]) for line in lines]
            assert told(each(search.hits())) == expected
            assert told(each(search.hits_before())) == expected[::-1]
            assert search.count() == len(expected)


@per_folder
@given(data=DATA, sizes=SIZES, start=st.integers(0, 100))
def test_from_an_offset_to_either_end(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, sizes: Sizes, start: int
) -> None:
    places = [at for at in range(len(data)) if data.startswith(b"a", at)]
    with reader_of(tmp_path_factory.mktemp("c"), data) as reader:
        search = over(reader, "a", fixed=True, every_match=True, sizes=sizes)
        ahead = [begin for hit in each(search.hits(start)) for begin, _ in hit.matches]
        assert ahead == [at for at in places if at >= start]
        back = {hit.start for hit in each(search.hits_before(start))}
        firsts = {min(at for at in places if data.rfind(b"\n", 0, at) == data.rfind(b"\n", 0, one)) for one in places}
        assert back == {at for at in firsts if at < start}


@pytest.mark.parametrize("shift", range(-7, 2))
def test_a_needle_across_every_edge_of_a_block(tmp_path: Path, shift: int) -> None:
    data = bytearray(b"x" * 39 + b"\n") * (5 * SEARCH_BLOCK_BYTES // 40)
    places = [edge + shift for edge in range(SEARCH_BLOCK_BYTES, len(data), SEARCH_BLOCK_BYTES)]
    for at in places:
        data[at : at + 6] = b"needle"
    with reader_of(tmp_path, bytes(data)) as reader:
        for pattern, fixed in (("needle", True), ("ne+d[l]e", False)):
            search = over(reader, pattern, fixed=fixed, sizes=Sizes())
            assert [hit.start for hit in each(search.hits())] == places
            assert [hit.start for hit in each(search.hits_before())] == places[::-1]


def long_line(size: int, needle: bytes) -> tuple[bytes, list[int]]:
    """One line, a needle in it about every 300 KiB, and across the edges of blocks."""
    data = bytearray(b"0123456789abcdef" * (size // 16))
    places = [*range(300_001, size - 10, 299_993), size - len(needle)]
    for at in places:
        data[at : at + len(needle)] = needle
    return bytes(data), places


def test_one_long_line(tmp_path: Path) -> None:
    data, places = long_line(4 * MIB, "nadél".encode())
    owner = finished(tmp_path, b"before\n" + data + b"\nnad\xc3\xa9l\n")
    path = owner.path("stdout")
    with opened(tmp_path, owner) as reader:
        for pattern in ("nadél", "na(d|x)él"):
            search = over(reader, pattern, every_match=True, sizes=Sizes())
            line, last = each(search.hits())
            assert [start for start, _ in line.matches] == [7 + at for at in places]
            assert last.start == len(data) + 8
            assert len(line.text) <= SEARCH_HIT_TEXT_BYTES
            assert "nadél" in line.text.decode()
            assert told(each(search.hits_before()))[::-1] == told([line, last])
            assert search.count_matches() == ripgrep.count(path, pattern, "--count-matches")
            [rest, _] = each(search.hits(1_000_000))
            assert [start for start, _ in rest.matches] == [7 + at for at in places if 7 + at >= 1_000_000]


@pytest.mark.long
def test_a_line_of_300_mb_takes_no_more_memory_than_another(tmp_path: Path) -> None:
    import tracemalloc

    owner = Owner(tmp_path)
    for _ in range(300):
        owner.append("stdout", b"0123456789" * 100_000)
    owner.append("stdout", b"needle, at last")
    owner.finish()
    tracemalloc.start()
    with opened(tmp_path, owner) as reader:
        [hit] = each(over(reader, "needle", fixed=True, sizes=Sizes()).hits())
        assert (hit.line_start, hit.start, hit.line_end) == (0, 300_000_000, 300_000_015)
        assert over(reader, "nee+dle", sizes=Sizes()).count_matches() == 1
    assert tracemalloc.get_traced_memory()[1] < 16 * MIB
    tracemalloc.stop()


def test_memory_is_bounded_when_every_line_is_a_hit(tmp_path: Path) -> None:
    import tracemalloc

    lines = 100_000
    with reader_of(tmp_path, b"a\n" * lines) as reader:
        tracemalloc.start()
        search = over(reader, "a", sizes=Sizes(parallel=0, piece=SEARCH_BLOCK_BYTES // 8))
        assert sum(len(batch) for batch in search.hits()) == lines
        # One hit takes about 400 bytes.
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
        tracemalloc.stop()


def test_holes_are_no_lines_and_not_read(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"needle\nopen")
    path = owner.path("stdout")
    path.chmod(0o600)
    size = 2**40
    with path.open("r+b") as file:
        file.truncate(size)
        file.seek(size)
        file.write(b"needle\nlast needle")
    fd = os.open(path, os.O_RDONLY)
    reader = _Plain(fd, size + 18)
    search = over(reader, "needle", fixed=True, sizes=Sizes())  # type: ignore[arg-type] # what a reader has
    assert [(hit.line_start, hit.start) for hit in each(search.hits())] == [(0, 0), (7, size), (size + 7, size + 12)]
    assert search.count() == 3
    os.close(fd)


class _Plain:
    """A file as a reader gives it; a tebibyte of text fits no receipt's ``end``."""

    def __init__(self, fd: int, committed: int) -> None:
        self._fd = fd
        self.committed = committed

    def fileno(self) -> int:
        return self._fd

    def read(self, start: int, end: int) -> bytes:
        return os.pread(self._fd, end - start, start)

    def data_from(self, offset: int) -> int:
        return os.lseek(self._fd, offset, os.SEEK_DATA)


def test_what_is_cut_off_while_it_is_searched_is_named(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"hit\n" * 100_000)
    path = owner.path("stdout")
    with opened(tmp_path, owner) as reader:
        hits = over(reader, "hit", fixed=True, sizes=Sizes(block=4096, piece=8192)).hits()
        assert next(hits)
        path.chmod(0o600)
        os.truncate(path, 10_000)
        with pytest.raises(StreamGone, match="cut to 10000 bytes"):
            each(hits)


@pytest.mark.parametrize("parallel", [0, 10 * MIB])
def test_it_stops_at_the_next_block(tmp_path: Path, parallel: int) -> None:
    asked = threading.Semaphore(5)

    def stop() -> bool:
        return not asked.acquire(blocking=False)

    with reader_of(tmp_path, b"no\n" * 100_000 + b"hit\n") as reader:
        search = StreamSearch(
            reader,
            compile_wanted(Wanted("hit", fixed=True)),
            reader.committed,
            stop=stop,
            sizes=Sizes(block=1024, piece=4096, parallel=parallel),
        )
        assert each(search.hits()) == []
        assert each(search.hits_before()) == []


@pytest.mark.parametrize("ask", [StreamSearch.count_matches, StreamSearch.hits, StreamSearch.hits_before, _from_within])
@pytest.mark.parametrize("pattern", ["needle", "x"])
def test_it_stops_within_a_long_line(
    tmp_path: Path, pattern: str, ask: Callable[[StreamSearch], int | Iterator[Batch]]
) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 8

    matcher = compile_wanted(Wanted(pattern, fixed=True))
    with reader_of(tmp_path, b"x" * 8 * MIB + b"needle") as reader:
        found = ask(StreamSearch(reader, matcher, reader.committed, every_match=True, stop=stop))
        assert (found if isinstance(found, int) else each(found)) in (0, [])
        assert 8 < asked < 12


def test_a_search_ends_where_it_was_told_whatever_is_committed_since(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"one hit\nhalf a h")
    with opened(tmp_path, owner) as reader:
        search = over(reader, "hit", fixed=True)
        owner.append("stdout", b"it\nhit\n")
        assert [hit.start for hit in each(search.hits())] == [4]
        assert [hit.start for hit in each(over(reader, "hit", fixed=True).hits(8))] == [15, 19]
    owner.release()
