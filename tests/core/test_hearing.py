"""What an owner hears before there is a job, over real pipes."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.errors import Refused
from capture_core.happenings import Leave, Signal
from capture_core.hearing import CalledOff, Hearing
from capture_core.link import Receiver, Sender

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TypeAlias

    from capture_core.link import Down, Up

    Pipes: TypeAlias = tuple[Sender[Down], Receiver[Down], Sender[Up]]


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    """The front's end, and the owner's two."""
    down_read, down_write = os.pipe()
    up_read, up_write = os.pipe()
    yield Sender(down_write), Receiver(down_read), Sender(up_write)
    os.close(up_read)
    os.close(up_write)


def until_called_off(hearing: Hearing) -> CalledOff:
    while True:
        try:
            hearing.check()
        except CalledOff as error:
            return error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_calls_the_start_off(pipes: Pipes, number: signal.Signals) -> None:
    front, down, up = pipes
    hearing = Hearing(down, up)
    front.send(Signal(signal.SIGCONT))
    front.send(Signal(number))
    assert until_called_off(hearing).as_told().code == 128 + number
    front.close()


def test_a_front_that_is_gone_calls_the_start_off(pipes: Pipes) -> None:
    front, down, up = pipes
    hearing = Hearing(down, up)
    hearing.check()
    front.close()
    assert until_called_off(hearing).number == signal.SIGHUP


def test_no_thread_to_be_had_is_a_refusal_before_the_child(pipes: Pipes) -> None:
    """The owner died without a word, and was called killed."""
    front, down, up = pipes
    before = threading.stack_size(1 << 46)
    try:
        with pytest.raises(Refused, match="no thread can be started"):
            Hearing(down, up)
    finally:
        threading.stack_size(before)
    front.close()


def test_what_was_heard_before_the_job_is_passed_to_it_in_order(pipes: Pipes) -> None:
    front, down, up = pipes
    hearing = Hearing(down, up)
    front.send(Signal(signal.SIGUSR1))
    front.close()
    until_called_off(hearing)
    told: list[object] = []

    class Asked:
        def ask(self, ask: object) -> None:
            told.append(ask)

    hearing.pass_to(Asked(), lambda: told.append("left"))  # type: ignore[arg-type]
    assert told == [Signal(signal.SIGUSR1), "left", Leave()]


def test_a_term_that_came_while_the_owner_s_main_thread_began_to_wait_ends_the_job(tmp_path: Path) -> None:
    """Where another thread takes it, the main one waits on: a handler of Python's would run when the job is over."""
    command = ["capview", "run", "--pty=never", "--conversation", "c", "--"]
    script = "trap 'echo heard' USR1; echo $PPID; while :; do sleep 60; done"
    with subprocess.Popen([*command, "sh", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE) as front:
        assert front.stdout is not None
        owner = int(front.stdout.readline())
        # Passed on by the main thread, which has nothing else to do then.
        front.send_signal(signal.SIGUSR1)
        assert front.stdout.readline() == b"heard\n"
        other = max(map(int, os.listdir(f"/proc/{owner}/task")))
        assert ctypes.CDLL(None).tgkill(owner, other, signal.SIGTERM) == 0
        try:
            assert front.wait(20) == 128 + signal.SIGTERM
        finally:
            front.terminate()
