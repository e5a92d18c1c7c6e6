"""What a job waits for and prints on: real processes, on a real terminal and real pipes, asked of the kernel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.activity import NOT_ASKED
from capture_core.facts import ProcessFacts, ProcessState
from capture_core.listening import ask
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
def running(*command: str, stdin: int, stdout: int = subprocess.DEVNULL) -> Iterator[int]:
    """A process that sleeps: it has come as far as it comes."""
    process = subprocess.Popen(command, stdin=stdin, stdout=stdout, start_new_session=True)
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
        assert ask(job(pid)).reads
    with running("sh", "-c", "cat; :", stdin=terminal) as pid:
        # The shell sleeps before its child has come to its read.
        while not ask(job(pid)).reads:
            os.sched_yield()


@needs_the_kernels_word
def test_those_that_wait_for_something_else(terminal: int) -> None:
    """Fails where every sleep counts, or every read: one of a pipe waits for no person."""
    with running("sleep", "60", stdin=terminal) as pid:
        assert ask(job(pid)).reads is False
    read, write = os.pipe()
    with running("cat", stdin=read) as pid:
        assert ask(job(pid)).reads is False
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("stdin", ["terminal", "pipe", "/dev/null", "/etc/passwd", "closed"])
def test_whether_somebody_could_type_to_it(terminal: int, stdin: str) -> None:
    """Fails where every job is taken to have a person behind its stdin."""
    read, write = os.pipe()
    command = ("sh", "-c", "exec sleep 60 <&-") if stdin == "closed" else ("sleep", "60")
    opened = os.open(stdin if stdin.startswith("/") else os.devnull, os.O_RDONLY)
    given = {"terminal": terminal, "pipe": read}.get(stdin, opened)
    process = subprocess.Popen(command, stdin=given, start_new_session=True)
    try:
        while not _sleeps(process.pid, "sleep"):
            assert process.poll() is None
        assert ask(job(process.pid)).hears is (stdin in {"terminal", "pipe"})
    finally:
        process.kill()
        process.wait()
        for fd in (read, write, opened):
            os.close(fd)


def test_a_pipe_between_two_processes_of_a_job_is_no_way_to_type_to_it() -> None:
    with running("sh", "-c", "sleep 60 | cat; :", stdin=subprocess.DEVNULL) as pid:
        while len(_children(pid)) < 2:
            os.sched_yield()
        assert ask(job(pid)).hears is False


def _children(pid: int) -> list[str]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


WORKS = """if True:
    import sys, time
    print("in the buffer")
    while time.process_time() < 0.4: pass
    sys.stderr.write("done")
    sys.stderr.flush()
    time.sleep(60)
"""


@pytest.mark.parametrize(("where", "buffers"), [("pipe", True), ("/dev/null", False), ("terminal", False)])
def test_what_worked_may_buffer_where_it_prints_on_a_pipe(terminal: int, where: str, *, buffers: bool) -> None:
    read, write = os.pipe()
    nothing = os.open(os.devnull, os.O_WRONLY)
    stdout = {"pipe": write, "terminal": terminal}.get(where, nothing)
    process = subprocess.Popen([sys.executable, "-c", WORKS], stdout=stdout, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        assert process.stderr.read(4) == b"done"
        assert ask(job(process.pid)).buffers is buffers
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        asked = ask(job(process.pid))
        assert (asked.is_stopped, asked.buffers) == (True, False)
    finally:
        process.kill()
        process.communicate()
        for fd in (read, write, nothing):
            os.close(fd)


def test_what_has_done_nothing_and_what_prints_at_once_do_not_buffer() -> None:
    """Fails where silence on a pipe is enough: ``sleep`` has nothing to print, nor has the shell that waits for it."""
    read, write = os.pipe()
    with running("sh", "-c", "sleep 60; :", stdin=subprocess.DEVNULL, stdout=write) as pid:
        while not _children(pid):
            os.sched_yield()
        asked = ask(job(pid))
        assert (asked.buffers, asked.is_stopped) == (False, False)
    os.close(read)
    os.close(write)


def test_nobody_can_tell_of_other_machines_and_of_no_process() -> None:
    assert ask(replace(job(1), receipt=replace(job(1).receipt, host="elsewhere"))) == NOT_ASKED
    assert ask(replace(job(1), receipt=replace(job(1).receipt, boot_id="another"))) == NOT_ASKED
    assert ask(job(None)) == NOT_ASKED
    assert ask(job(2**22)) == NOT_ASKED
