"""Holes are told from zeros that were written, and stepped over, from either end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core.holes import NOTHING_FOLLOWS, data_from
from capture_core.line_count import catch_up
from capture_core.line_index import LineIndex
from capture_core.lines import after_lines, before_lines, count_newlines
from capture_core.reader import StreamReader
from tests.captures import Owner, entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TIB = 1 << 40


@pytest.fixture
def sparse(tmp_path: Path) -> Iterator[StreamReader]:
    """A tebibyte with one line at its beginning, two in its middle and one at its end."""
    owner = Owner(tmp_path)
    for at, data in ((0, b"first\n"), (TIB // 2, b"\nmiddle\n"), (TIB - 5, b"last\n")):
        os.pwrite(owner.fds["stdout"], data, at)
    with StreamReader(str(tmp_path), entry_of(tmp_path, owner), "stdout") as reader:
        yield reader


def test_the_next_data(sparse: StreamReader) -> None:
    assert sparse.data_from(0) == 0
    assert TIB // 4 < sparse.data_from(TIB // 4) <= TIB // 2
    assert TIB // 2 + (1 << 30) < sparse.data_from(TIB // 2 + (1 << 30)) <= TIB - 5


def test_nothing_follows_in_a_hole_at_the_end_and_beyond_the_end_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "hole"
    path.write_bytes(b"")
    os.truncate(path, 1 << 30)
    fd = os.open(path, os.O_RDONLY)
    assert data_from(fd, 0) == NOTHING_FOLLOWS
    assert data_from(fd, 1 << 30) == 1 << 30
    os.close(fd)


def test_where_holes_cannot_be_told_there_are_none() -> None:
    read, write = os.pipe()
    assert data_from(read, 7) == 7
    os.close(read)
    os.close(write)


def test_lines_over_holes_are_found_from_either_end_without_reading_them(sparse: StreamReader) -> None:
    read, holes = sparse.read, sparse.data_from
    assert after_lines(read, 0, TIB, 2, data_from=holes) == TIB // 2 + 1
    assert after_lines(read, 0, TIB, 9, data_from=holes) == TIB
    starts = [before_lines(read, 0, TIB, lines, data_from=holes) for lines in (1, 2, 3, 4, 9)]
    assert starts == [TIB // 2 + 8, TIB // 2 + 1, 6, 0, 0]
    assert count_newlines(read, 0, TIB, data_from=holes) == 4


def test_an_index_over_holes_is_that_of_the_zeros_they_read_as(sparse: StreamReader) -> None:
    index = LineIndex()
    catch_up(sparse.fileno(), index, TIB)
    assert (index.counted, index.newlines, index.lines) == (TIB, 4, 4)
    block = index.block_of(3)
    assert block is not None
    assert block.start <= TIB // 2 < block.end
    assert len(index.counts) <= 1 << 20
