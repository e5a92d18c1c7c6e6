"""Whether a job reads a terminal: real processes on a real one, asked of the kernel."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import ProcessFacts, ProcessState
from capture_core.listening import reads_terminal
from capture_core.liveness import here
from tests.core.test_activity import entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.source import Entry


def job(pid: int | None) -> Entry:
    given = entry()
    process = ProcessFacts(state=ProcessState.RUNNING, pid=pid)
    return replace(given, receipt=replace(given.receipt, process=process, host=here().host, boot_id=here().boot_id))


@pytest.fixture
def terminal() -> Iterator[int]:
    ends = os.openpty()
    yield ends[1]
    for end in ends:
        os.close(end)


@contextmanager
def running(*command: str, stdin: int) -> Iterator[int]:
    """A process that sleeps: it has come as far as it comes."""
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        while not _sleeps(process.pid, command[0]):
            assert process.poll() is None
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _sleeps(pid: int, name: str) -> bool:
    with open(f"/proc/{pid}/stat") as file:
        before, _, rest = file.read().rpartition(")")
    return before.endswith(f"({name}") and rest.split()[0] == "S"


needs_the_kernels_word = pytest.mark.skipif(
    not os.access("/proc/self/syscall", os.R_OK), reason="this kernel does not tell what a process waits for"
)


@needs_the_kernels_word
def test_one_that_reads_its_terminal_and_one_whose_child_does(terminal: int) -> None:
    with running("cat", stdin=terminal) as pid:
        assert reads_terminal(job(pid))
    with running("sh", "-c", "cat; :", stdin=terminal) as pid:
        # The shell sleeps before its child has come to its read.
        while not reads_terminal(job(pid)):
            os.sched_yield()


@needs_the_kernels_word
def test_those_that_wait_for_something_else(terminal: int) -> None:
    """Fails where every sleep counts, or every read: one of a pipe waits for no person."""
    with running("sleep", "60", stdin=terminal) as pid:
        assert reads_terminal(job(pid)) is False
    read, write = os.pipe()
    with running("cat", stdin=read) as pid:
        assert reads_terminal(job(pid)) is False
    os.close(read)
    os.close(write)


def test_nobody_can_tell_of_other_machines_and_of_no_process() -> None:
    assert reads_terminal(replace(job(1), receipt=replace(job(1).receipt, host="elsewhere"))) is None
    assert reads_terminal(replace(job(1), receipt=replace(job(1).receipt, boot_id="another"))) is None
    assert reads_terminal(job(None)) is None
    assert reads_terminal(job(2**22)) is None
