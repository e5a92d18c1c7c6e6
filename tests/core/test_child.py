"""The child as its parent sees it: exact codes, whoever else reaps, and no signal to anybody else."""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from capture_core import child as child_module
from capture_core.child import Child
from capture_core.errors import BadInput, SpawnFailed
from capture_core.happenings import ChildEvent, Continued, Exited, Stopped
from capture_core.peak import own_peak_bytes
from capture_core.program import Descriptors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_SECONDS = 30


class Watched:
    """A child of ours, and what its watcher tells."""

    def __init__(self, *argv: str, nice: int = 0) -> None:
        with open(os.devnull, "r+b") as nothing:
            fd = nothing.fileno()
            self.child = Child(argv, Descriptors(stdin=fd, stdout=fd, stderr=fd), nice=nice)
        self._told: queue.SimpleQueue[ChildEvent] = queue.SimpleQueue()

    def watch(self) -> None:
        self.child.watch(self._told.put)

    def next(self) -> ChildEvent:
        return self._told.get(timeout=PATIENCE_SECONDS)

    def exited(self) -> Exited:
        event = self.next()
        assert isinstance(event, Exited)
        self.child.join()
        return event


def watched(*argv: str) -> Watched:
    started = Watched(*argv)
    started.watch()
    return started


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "gate")
    return tmp_path / "gate"


@pytest.mark.parametrize("code", [0, 1, 7, 124, 125, 127, 128, 137, 255])
def test_the_exit_code_is_exact(code: int) -> None:
    exited = watched("sh", "-c", f"exit {code}").exited()
    assert (exited.code, exited.signal) == (code, None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGPIPE])
def test_a_signal_is_a_signal_also_where_it_dumps_core(number: signal.Signals) -> None:
    exited = watched("sh", "-c", f"kill -{number.value} $$").exited()
    assert (exited.code, exited.signal) == (None, number)


def test_stops_and_their_ends_are_told(gate: Path) -> None:
    started = watched("sh", "-c", f"kill -STOP $$; read x < {gate}; exit 4")
    assert started.next() == Stopped(signal.SIGSTOP)
    assert started.child.signal_group(signal.SIGCONT)
    assert isinstance(started.next(), Continued)
    gate.write_text("go\n")
    assert started.exited().code == 4


def test_time_and_memory_of_the_child_and_of_what_it_waited_for_are_told() -> None:
    """Those of the child alone would be those of a shell, which has neither."""
    burn = "x = bytearray(int(sys.argv[1]))\nimport time\nwhile time.process_time() < 0.1: pass"
    room = (own_peak_bytes() or 0) + (64 << 20)
    exited = watched("sh", "-c", '"$0" -c "$1" "$2"; true', sys.executable, f"import sys\n{burn}", str(room)).exited()
    assert (exited.user_seconds or 0) + (exited.system_seconds or 0) >= 0.1
    assert room <= (exited.peak_rss_bytes or 0) <= room + (64 << 20)


def test_the_peak_memory_of_a_small_child_is_not_that_of_its_parent() -> None:
    """Fails where ``ru_maxrss`` is believed: it begins with the peak of the process that forked, here Python's."""
    exited = watched("true").exited()
    assert exited.peak_rss_bytes is None or exited.peak_rss_bytes < 8 << 20
    assert exited.user_seconds is not None


# -- whoever else reaps ---------------------------------------------------------------------------------------------


def test_where_the_host_reaped_it_first_nobody_says_0(gate: Path) -> None:
    """``Popen.wait()`` reports 0 for a child that exited 7 then."""
    started = Watched("sh", "-c", f"read x < {gate}; exit 7")
    gate.write_text("go\n")
    assert os.waitpid(started.child.pid, 0) == (started.child.pid, 7 << 8)
    started.watch()
    exited = started.exited()
    assert (exited.code, exited.signal, exited.user_seconds, exited.peak_rss_bytes) == (None, None, None, None)


def test_where_the_host_reaps_it_between_the_look_and_the_reaping_the_code_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was seen, so it is known; only what it used is gone."""

    def host_is_faster(named: tuple[int, int]) -> bool:
        os.waitid(*named, os.WEXITED)
        return True

    monkeypatch.setattr(child_module, "_is_unreaped", host_is_faster)
    exited = watched("sh", "-c", "exit 7").exited()
    assert (exited.code, exited.signal, exited.user_seconds) == (7, None, None)


def test_a_watch_that_fails_is_told_with_the_end_of_the_child(monkeypatch: pytest.MonkeyPatch, gate: Path) -> None:
    """Its thread was gone without a word, and whoever supervised waited for ever."""
    started = Watched("sh", "-c", f"read x < {gate}; exit 7")

    def fail() -> None:
        raise RecursionError

    monkeypatch.setattr(started.child, "_outwait", fail)
    started.watch()
    gate.write_text("go\n")
    event = started.next()
    assert isinstance(event, Exited)
    assert (event.code, event.signal) == (7, None)
    with pytest.raises(RecursionError):
        started.child.join()
    assert not os.path.exists(f"/proc/{started.child.pid}"), "it is reaped"


HOST_THAT_IGNORES = """
import signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from capture_core import Conversation
receipt = Conversation.open(sys.argv[1]).start(["sh", "-c", "echo hi; exit 7"]).wait()
print(receipt.process.state, receipt.process.exit_code, receipt.process.signal, receipt.capture.state)
"""


def test_a_host_that_ignores_sigchld_gets_no_code_rather_than_0(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOST_THAT_IGNORES, str(tmp_path / "c")], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("exited None None complete\n", "")


HOST_THAT_REAPS_ALL = """
import os, signal, sys
def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
signal.signal(signal.SIGCHLD, reap)
from capture_core import Conversation
conversation = Conversation.open(sys.argv[1])
codes = set()
for _ in range(20):
    job = conversation.start(["sh", "-c", "exit 7"])
    while (receipt := job.wait(timeout=0.01)) is None:
        pass
    codes.add(receipt.process.exit_code)
    job.join()
assert codes <= {7, None}, codes
print("never 0")
"""


def test_a_host_that_reaps_all_its_children_never_makes_a_0(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOST_THAT_REAPS_ALL, str(tmp_path / "c")], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("never 0\n", "")


# -- signals --------------------------------------------------------------------------------------------------------


def test_nothing_is_sent_to_a_leader_that_is_reaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its id may be anybody's by then: ``os.killpg(pid, …)`` after a reaping kills strangers."""
    started = watched("true")
    started.exited()
    sent: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda *_: sent.append(1))
    monkeypatch.setattr(signal, "pidfd_send_signal", lambda *_: sent.append(2))
    assert not started.child.signal_group(signal.SIGTERM)
    started.child.end_all(1)
    started.child.kill_all(1)
    assert sent == []


@pytest.fixture
def old_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A kernel before 6.9: a handle does not name a group; the groups that were signalled by their number."""
    numbers: list[int] = []
    killpg, send = os.killpg, signal.pidfd_send_signal

    def refuse(handle: int, number: int, info: None = None, flags: int = 0) -> None:
        if flags:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        send(handle, number, info, flags)

    def note(group: int, number: int) -> None:
        numbers.append(group)
        killpg(group, number)

    monkeypatch.setattr(signal, "pidfd_send_signal", refuse)
    monkeypatch.setattr(os, "killpg", note)
    yield numbers
    with contextlib.suppress(ProcessLookupError):
        for group in numbers:
            killpg(group, signal.SIGKILL)


def test_an_older_kernel_is_given_the_number_while_it_is_the_leader_s(old_kernel: list[int]) -> None:
    started = watched("sleep", "60")
    assert started.child.signal_group(signal.SIGTERM)
    assert old_kernel == [started.child.pid]
    assert started.exited().signal == signal.SIGTERM


def test_an_older_kernel_is_given_no_number_of_a_leader_that_the_host_reaped(old_kernel: list[int]) -> None:
    """Our watcher may not have seen it yet."""
    started = Watched("true")
    os.waitpid(started.child.pid, 0)
    assert not started.child.signal_group(signal.SIGTERM)
    assert old_kernel == []
    started.watch()
    started.exited()


def test_without_handles_it_is_watched_signalled_and_reaped_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    started = watched("sleep", "60")
    assert started.child.signal_group(signal.SIGTERM)
    assert started.exited().signal == signal.SIGTERM
    with pytest.raises(ChildProcessError):
        os.waitpid(started.child.pid, os.WNOHANG)


def test_a_handle_is_given_back() -> None:
    before = os.listdir("/proc/self/fd")
    started = watched("true")
    started.exited()
    assert os.listdir("/proc/self/fd") == before


# -- niceness -------------------------------------------------------------------------------------------------------


def test_the_child_is_nicer_from_its_first_instruction_on_and_we_are_not(tmp_path: Path) -> None:
    """Set on its id after the start, what it has started by then is not."""
    own = os.nice(0)
    started = Watched("sh", "-c", f"nice > {tmp_path}/nice", nice=3)
    started.watch()
    started.exited()
    assert (tmp_path / "nice").read_text() == f"{min(19, own + 3)}\n"
    assert os.nice(0) == own


def test_what_cannot_be_started_is_said_as_without_a_niceness() -> None:
    with pytest.raises(SpawnFailed, match="command not found"):
        Watched("no-such-command-at-all", nice=3)


def test_a_niceness_that_is_not_allowed_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "nice", refuse)
    with pytest.raises(BadInput, match="niceness -3 is not allowed"):
        Watched("true", nice=-3)
