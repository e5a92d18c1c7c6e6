"""A UI whose terminal is gone ends, also where SIGHUP is ignored; one that is asked to end restores its terminal."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.terminals import as_at_login

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_SECONDS = 30


def start(place: Path, *, ignoring_hangup: bool) -> tuple[int, int]:
    pid, fd = os.forkpty()
    if pid == 0:
        as_at_login()
        if ignoring_hangup:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execvpe("capview", ["capview", str(place)], {**os.environ, "TERM": "xterm-256color"})
    return pid, fd


def read_until(fd: int, text: bytes) -> bytes:
    seen = b""
    while text not in seen:
        assert select.select([fd], [], [], PATIENCE_SECONDS)[0], f"{text!r} did not come: {seen[-500:]!r}"
        seen += os.read(fd, 65536)
    return seen


def end_of(pid: int) -> int:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
        assert time.monotonic() < deadline, "it did not end"
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(ended[1])


@pytest.mark.parametrize("ignoring_hangup", [False, True])
def test_a_terminal_that_is_gone_ends_the_ui(tmp_path: Path, *, ignoring_hangup: bool) -> None:
    pid, fd = start(tmp_path, ignoring_hangup=ignoring_hangup)
    read_until(fd, b"Quit")
    os.close(fd)
    assert end_of(pid) != 0


def test_a_request_to_end_restores_the_terminal(tmp_path: Path) -> None:
    pid, fd = start(tmp_path, ignoring_hangup=False)
    read_until(fd, b"Quit")
    os.kill(pid, signal.SIGTERM)
    # The main screen is back, and the mouse reports nothing any more.
    assert b"\x1b[?1000l" in read_until(fd, b"\x1b[?1049l") + read_rest(fd)
    assert end_of(pid) == 128 + signal.SIGTERM
    os.close(fd)


def read_rest(fd: int) -> bytes:
    seen = b""
    try:
        while piece := os.read(fd, 65536):
            seen += piece
    except OSError:  # the other end is gone: EIO, on Linux
        return seen
    return seen
