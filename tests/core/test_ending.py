"""How a job is ended: the whole of it, whatever it does to get away, and what is said of it then.

The naive implementation, ``os.kill(pid)`` or ``os.killpg`` and ``Popen.wait()``, leaves alive who ignores TERM, forks
twice or calls ``setsid``, and says of none of them that it is there.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from capture_core import Conversation, Limits
from capture_core.ending import process_facts
from capture_core.errors import BadInput
from capture_core.facts import CaptureState, EndReason, OtherProcess, ProcessState
from capture_core.happenings import Exited
from capture_core.tree import Survivor
from tests.strays import ESCAPES, hidden, is_alive, prepare, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core import Receipt

SESSION = [kind for kind in ESCAPES if "session" in kind and "gone" not in kind]
REACHED = [kind for kind in ESCAPES if "session" not in kind and "twice" not in kind]


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation.open(str(tmp_path / "c"), limits=Limits(kill_grace_seconds=0.1, drain_seconds=0.1))


@pytest.fixture
def up(tmp_path: Path) -> Path:
    return prepare(tmp_path)


def cancelled(conversation: Conversation, command: str, up: Path) -> tuple[Receipt, int]:
    """Run it, cancel it when its stray is up; the receipt, and the stray's id."""
    job = conversation.start(["sh", "-c", command])
    pid = int(up.read_text())
    job.cancel()
    receipt = job.wait()
    assert receipt is not None
    return receipt, pid


@pytest.mark.parametrize("kind", REACHED)
def test_a_cancel_reaches_all_that_does_not_ask_to_outlive_its_job(
    conversation: Conversation, up: Path, strays: list[int], kind: str
) -> None:
    """``os.killpg`` alone leaves what ``timeout`` runs, which has a group of its own; ``Popen.kill`` the whole tree."""
    receipt, pid = cancelled(conversation, hidden(kind, up), up)
    strays.append(pid)
    assert wait_for_end(pid)
    assert receipt.process.state is ProcessState.CANCELLED
    assert receipt.process.survivors == ()
    assert receipt.capture.state is CaptureState.COMPLETE, "nobody holds the pipes any more"


@pytest.mark.parametrize("kind", SESSION)
def test_the_library_names_who_has_a_session_of_its_own_and_leaves_it_alone(
    conversation: Conversation, up: Path, strays: list[int], kind: str
) -> None:
    """A cancel that says nothing of them leaves its caller in the belief that all is over."""
    receipt, pid = cancelled(conversation, hidden(kind, up), up)
    strays.append(pid)
    assert is_alive(pid)
    assert receipt.process.survivors is not None
    assert [(process.pid, process.name) for process in receipt.process.survivors if process.pid == pid] == [
        (pid, "sleep")
    ]


def test_who_ends_by_itself_is_not_asked_after(conversation: Conversation) -> None:
    receipt = conversation.start(["sh", "-c", "exit 3"]).wait()
    assert receipt is not None
    assert (receipt.process.exit_code, receipt.process.survivors) == (3, None)


def test_the_observed_code_stands_beside_the_reason(conversation: Conversation, tmp_path: Path) -> None:
    """A runner that reports its own signal loses what the command said: this one cleans up, and says 0."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    job = conversation.start(["sh", "-c", f"trap 'exit 0' TERM; echo x > {ready}; while :; do sleep 0.01; done"])
    ready.read_text()
    job.cancel("enough")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.state, receipt.process.exit_code) == (ProcessState.CANCELLED, 0)
    assert receipt.process.reason is not None
    assert (receipt.process.reason.kind, receipt.process.reason.words) == (EndReason.USER, "enough")


def test_a_stopped_job_can_be_ended(conversation: Conversation, tmp_path: Path) -> None:
    """TERM alone waits until somebody continues it."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    slow = Conversation.open(conversation.path, limits=Limits(kill_grace_seconds=60))
    job = slow.start(["sh", "-c", f"trap 'exit 5' TERM; echo x > {ready}; kill -STOP $$; while :; do sleep 0.01; done"])
    ready.read_text()
    job.cancel()
    receipt = job.wait()
    assert receipt is not None
    assert receipt.process.exit_code == 5


def test_the_name_of_a_survivor_is_masked_and_bounded(
    conversation: Conversation, up: Path, strays: list[int], tmp_path: Path
) -> None:
    """A process calls itself what it likes; here by the beginning of a token, and a control sequence."""
    code = (
        "import ctypes, os, sys; os.setsid(); "
        r"ctypes.CDLL(None).prctl(15, b'\x1b]0;x\x07AKIA234', 0, 0, 0); "
        f"open({str(up)!r}, 'w').write(str(os.getpid())); import time; time.sleep(60)"
    )
    script = tmp_path / "stray.py"
    script.write_text(code)
    receipt, pid = cancelled(conversation, f"{sys.executable} {script} & wait", up)
    strays.append(pid)
    assert receipt.process.survivors is not None
    (survivor,) = receipt.process.survivors
    assert survivor.pid == pid
    assert "\x1b" not in survivor.name
    assert "\x07" not in survivor.name


def test_a_host_s_limits_end_its_jobs(conversation: Conversation) -> None:
    allocate = "x = bytearray(200 << 20); import time; time.sleep(60)"
    jobs = {
        EndReason.MEMORY_LIMIT: conversation.start([sys.executable, "-c", allocate], memory_limit=100 << 20),
        EndReason.MAX_OUTPUT: conversation.start(["yes"], max_output=100_000),
    }
    for reason, job in jobs.items():
        receipt = job.wait()
        assert receipt is not None
        assert (receipt.process.state, receipt.process.reason and receipt.process.reason.kind) == (
            ProcessState.CANCELLED,
            reason,
        )


@pytest.mark.parametrize(
    "options",
    [{"nice": 20}, {"nice": "5"}, {"nice": True}, {"memory_limit": 0}, {"memory_limit": 1.5}, {"max_output": -1}],
    ids=str,
)
def test_limits_that_are_none_are_refused(conversation: Conversation, options: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        conversation.start(["true"], **options)


def test_survivors_are_told_where_nothing_can_be_loaded_to_name_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended the supervising loop, and whoever waited for the job did so for ever."""
    monkeypatch.setitem(sys.modules, "capture_core.holders", None)
    exited = Exited(code=None, signal=15, survivors=(Survivor(7, "left behind"),))
    assert process_facts(1, exited, None).survivors == (OtherProcess(pid=7, name=""),)
