"""A file that grows is counted on from where it was: what comes out is what ``wc -l`` says of the whole."""

from __future__ import annotations

import os
import subprocess
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core import line_count
from capture_core.errors import StreamGone
from capture_core.line_count import catch_up
from capture_core.line_index import LineIndex

parts = st.one_of(
    st.lists(st.sampled_from([b"\n", b"a line\n", b"x" * 30, "é\n".encode()]), max_size=8).map(b"".join),
    st.integers(1, 100_000),
)
"""What is appended: bytes, or a hole of that size."""


@given(st.lists(st.tuples(parts, st.integers(0, 3)), max_size=8), st.sampled_from([5, 16, 4096]))
def test_what_is_appended_is_counted_on(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bytes | int, int]], block: int
) -> None:
    path = tmp_path_factory.mktemp("growing") / "log"
    index, read = LineIndex(block, most=64), LineIndex(block, most=64)
    with pytest.MonkeyPatch.context() as patch, path.open("wb", buffering=0) as file, path.open("rb") as seen:
        patch.setattr(line_count, "LINE_INDEX_BLOCK_BYTES", block)
        patch.setattr(line_count, "LINE_BLOCK_BYTES", 4 * block)
        for part, behind in steps:
            if isinstance(part, int):
                os.truncate(path, size := path.stat().st_size + part)
                file.seek(size)
            else:
                file.write(part)
            # Not always to the end: half a character may stand there, and more than was known of a moment ago.
            catch_up(seen.fileno(), index, max(index.counted, path.stat().st_size - behind))
        catch_up(seen.fileno(), index, path.stat().st_size)
    read.feed(path.read_bytes())
    lines = subprocess.run(("wc", "-l", path), stdout=subprocess.PIPE, check=True).stdout.split()[0]
    assert index.newlines == int(lines)
    assert (index.counted, index.is_open, index.counts) == (read.counted, read.is_open, read.counts)


def test_each_byte_is_read_once_and_no_more_than_was_asked_for(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path_factory.mktemp("log") / "log"
    path.write_bytes(b"0123456\n" * 100_000)
    reads: list[tuple[int, int]] = []
    preadv = os.preadv

    def noted(fd: int, buffers: list[bytearray], offset: int) -> int:
        reads.append((offset, sum(map(len, buffers))))
        return preadv(fd, buffers, offset)

    monkeypatch.setattr(os, "preadv", noted)
    index = LineIndex()
    with path.open("rb") as file:
        catch_up(file.fileno(), index, 100_001)
        catch_up(file.fileno(), index, 700_000)
    assert (index.counted, index.newlines) == (700_000, 87_500)
    assert [offset for offset, _ in reads] == [0, 100_001, 131_072, 393_216, 655_360]
    assert max(size for _, size in reads) <= 256 * 1024


def test_it_stops_when_it_is_told_to(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("log") / "log"
    path.write_bytes(b"0123456\n" * 100_000)
    index, asked = LineIndex(), count()
    with path.open("rb") as file:
        catch_up(file.fileno(), index, 800_000, stop=lambda: next(asked) == 2)
    assert index.counted == 2 * 256 * 1024


def test_a_file_with_fewer_bytes_is_an_error_and_what_is_there_is_counted(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("log") / "log"
    path.write_bytes(b"0123456\n" * 1000)
    index = LineIndex()
    with path.open("rb") as file, pytest.raises(StreamGone, match="cut to 8000 bytes"):
        catch_up(file.fileno(), index, 9000)
    assert (index.counted, index.newlines) == (8000, 1000)
