"""What a file holds: sizes, ends and digests of what was written to a real one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from capture_core.committed import Committed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO


@pytest.fixture
def file(tmp_path: Path) -> Iterator[BinaryIO]:
    with (tmp_path / "text").open("w+b", buffering=0) as file:
        yield file


def written(file: BinaryIO, *blocks: bytes, has_lines: bool = True) -> Committed:
    committed = Committed(file.fileno(), has_lines=has_lines)
    for block in blocks:
        file.write(block)
        committed.record(block, counts_chars=True)
    return committed


@pytest.mark.parametrize("sync", [True, False])
def test_sizes_lines_and_the_digest_are_of_all_blocks(file: BinaryIO, *, sync: bool) -> None:
    committed = written(file, "é\n".encode(), b"", b"two\n")
    committed.seal(sync=sync)
    assert (committed.size, committed.chars, committed.lines, committed.has_final_newline) == (7, 6, 2, True)
    assert committed.text() == "é\ntwo\n".encode()
    assert committed.sha256 == hashlib.sha256(committed.text()).hexdigest()


def test_an_empty_text_and_any_bytes_have_no_last_line(file: BinaryIO) -> None:
    assert Committed(file.fileno(), has_lines=True).has_final_newline is None
    raw = written(file, b"\n", has_lines=False)
    raw.seal()
    assert (raw.has_final_newline, raw.lines) == (None, None)


def test_what_was_cut_back_is_of_no_digest(file: BinaryIO) -> None:
    committed = written(file, b"one\ntwo")
    file.truncate(4)
    committed.begin_anew()
    committed.record(b"one\n", counts_chars=True)
    committed.seal()
    assert (committed.size, committed.chars, committed.lines) == (4, 4, 1)
    assert committed.sha256 == hashlib.sha256(b"one\n").hexdigest()


def test_a_file_of_another_length_is_not_all_there(file: BinaryIO) -> None:
    committed = written(file, b"text")
    assert committed.is_all_there()
    file.write(b"x")
    assert not committed.is_all_there()
