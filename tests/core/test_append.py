"""Blocks reach a file in order, a large one behind the caller's back; each outcome is told once."""

from __future__ import annotations

import errno
import os
import resource
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.append import Appender
from capture_core.limits.capturing import WRITE_BEHIND_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGE = bytes(range(256)) * (WRITE_BEHIND_BYTES // 256)


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


def test_blocks_of_any_size_come_one_after_the_other(fd: int) -> None:
    appender = Appender(fd)
    blocks = [b"small", LARGE, b"", LARGE * 3, b"end"]
    for block in blocks:
        appender.begin(block)
        assert appender.outcome() is None
    appender.close()
    assert os.pread(fd, 10**7, 0) == b"".join(blocks)


def test_the_caller_goes_on_while_a_large_block_is_written() -> None:
    read, write = os.pipe()
    block = LARGE * 8  # more than a pipe takes at once
    appender = Appender(write)
    appender.begin(block)
    assert appender.is_behind
    taken = b""
    while len(taken) < len(block):
        taken += os.read(read, len(block))
    assert appender.outcome() is None
    assert taken == block
    appender.close()
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("block", [b"x" * 100, LARGE])
def test_a_file_size_limit_is_told_with_what_was_written(fd: int, block: bytes) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
    appender = Appender(fd)
    try:
        appender.begin(block)
        failure = appender.outcome()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
        appender.close()
    assert failure is not None
    assert (failure.errno, failure.done) == (errno.EFBIG, 50)


def test_closing_waits_for_the_block_that_is_under_way(fd: int) -> None:
    appender = Appender(fd)
    appender.begin(LARGE)
    appender.close()
    assert os.fstat(fd).st_size == len(LARGE)
    assert not any(thread.name == "append" for thread in threading.enumerate())


def test_without_a_thread_to_be_had_a_large_block_is_written_at_once(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    appender = Appender(fd)
    appender.begin(LARGE)
    assert not appender.is_behind
    assert appender.outcome() is None
    assert os.fstat(fd).st_size == len(LARGE)
