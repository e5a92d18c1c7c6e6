"""The process's end and the pipe's end are two events: what a descendant does between them, and what is said of it.

A runner that reads to EOF hangs in the first of these tests; one that closes its pipe when the child is reaped fails
all that have output after it, and ends what still prints by SIGPIPE.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, Limits
from capture_core.facts import CaptureReason, CaptureState, OtherProcess
from tests.strays import hidden, is_alive, prepare, wait_for_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core import Receipt

NEVER = 3600.0


class Place:
    """A conversation, two FIFOs, and what is to be killed in the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.up = prepare(folder)
        self.gate = folder / "gate"
        os.mkfifo(self.gate)
        self.strays: list[int] = []

    def conversation(self, drain_seconds: float = 0.05) -> Conversation:
        return Conversation.open(str(self.folder / "c"), limits=Limits(drain_seconds=drain_seconds))

    def ended(self, command: str) -> Receipt:
        receipt = self.conversation().start(["sh", "-c", command]).wait()
        assert receipt is not None
        return receipt

    def stray(self) -> int:
        pid = int(self.up.read_text())
        self.strays.append(pid)
        return pid

    def text(self, receipt: Receipt, stream: str = "stdout") -> bytes:
        return (self.folder / "c/tool-outputs/shell" / receipt.streams[stream].file).read_bytes()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for pid in made.strays:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)


def is_cut(receipt: Receipt, stream: str, *holders: int) -> bool:
    facts = receipt.streams[stream]
    return (
        (facts.state, facts.reason, facts.eof) == (CaptureState.PARTIAL, CaptureReason.DRAIN_TIMEOUT, False)
        and facts.held_by is not None
        and tuple(holder.pid for holder in facts.held_by) == holders
    )


@pytest.mark.parametrize(
    "command",
    [
        "{stray} & read x < {gate}; echo now; exit 4",
        "setsid {stray} & read x < {gate}; echo now; exit 4",
        "(setsid {stray} &); read x < {gate}; echo now; exit 4",
    ],
    ids=["silent", "in a session of its own", "twice forked"],
)
def test_a_silent_holder_is_waited_for_no_longer_than_the_window_and_named(place: Place, command: str) -> None:
    job = place.conversation().start(["sh", "-c", command.format(stray=f"{place.up}.sh", gate=place.gate)])
    pid = place.stray()
    place.gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.exit_code, place.text(receipt)) == (4, b"now\n")
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.DRAIN_TIMEOUT)
    assert is_cut(receipt, "stdout", pid)
    assert is_cut(receipt, "stderr", pid)
    assert receipt.streams["stdout"].held_by == (OtherProcess(pid=pid, name="sleep"),)
    assert is_alive(pid), "it ended by itself, so what it left behind is its own affair"


def test_a_late_writer_within_the_window_is_read_to_its_end(place: Place) -> None:
    job = place.conversation(NEVER).start(["sh", "-c", f"(read x < {place.gate}; echo late) & echo now; exit 4"])
    assert wait_for_end(job.pid)
    place.gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.exit_code, place.text(receipt)) == (4, b"now\nlate\n")
    assert receipt.capture.state is CaptureState.COMPLETE
    assert [facts.held_by for facts in receipt.streams.values()] == [None, None]


def test_one_that_holds_only_stderr_cuts_only_stderr(place: Place) -> None:
    job = place.conversation().start(
        ["sh", "-c", f"{place.up}.sh >/dev/null & read x < {place.gate}; echo out; echo err >&2"]
    )
    pid = place.stray()
    place.gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    stdout = receipt.streams["stdout"]
    assert (stdout.state, stdout.eof, stdout.held_by) == (CaptureState.COMPLETE, True, None)
    assert is_cut(receipt, "stderr", pid)
    assert (place.text(receipt), place.text(receipt, "stderr")) == (b"out\n", b"err\n")
    assert receipt.capture.reason is CaptureReason.DRAIN_TIMEOUT


def test_what_comes_after_the_final_is_read_and_dropped_and_its_writer_lives(place: Place) -> None:
    """More than a pipe holds: whoever does not read on blocks it, whoever closes ends it."""
    done = place.folder / "done"
    os.mkfifo(done)
    late = f"(read x < {place.gate}; head -c 3000000 /dev/zero; echo $? > {done})"
    job = place.conversation().start(["sh", "-c", f"{late} & echo now"])
    receipt = job.wait()
    assert receipt is not None
    assert receipt.streams["stdout"].observed == 4
    place.gate.write_text("go\n")
    assert done.read_text() == "0\n"
    job.join()
    assert place.text(receipt) == b"now\n", "a final never changes"


def test_one_that_never_stops_printing_does_not_hold_up_the_end(place: Place) -> None:
    job = place.conversation().start(["sh", "-c", f"(echo $$ > {place.up}; exec yes) & echo now; exit 4"])
    place.up.read_text()
    receipt = job.wait()
    assert receipt is not None
    stdout = receipt.streams["stdout"]
    assert (receipt.process.exit_code, stdout.reason, stdout.eof) == (4, CaptureReason.DRAIN_TIMEOUT, False)
    assert stdout.observed == (stdout.accepted or 0) + (stdout.discarded or 0)
    assert len(stdout.held_by or ()) == 1
    os.kill((stdout.held_by or ())[0].pid, signal.SIGKILL)
    job.join()


def test_one_that_was_ended_with_its_job_holds_nothing(place: Place) -> None:
    """The window opens when all are ended, not when the leader is: else each cancel would cut the log."""
    job = place.conversation().start(["sh", "-c", hidden("in the group, its leader gone first", place.up)])
    place.stray()
    job.cancel()
    receipt = job.wait()
    assert receipt is not None
    assert receipt.capture.state is CaptureState.COMPLETE
