"""No last line is lost: children that end at once, under full load, in the middle of a burst, a line or a character.

A reader that stops when the child is reaped loses what lies in the pipe then; one that decodes each read by itself, or
never finishes its decoder, loses the last character.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import CaptureState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core import Conversation, Receipt, RunningJob

TOGETHER = 20


@pytest.fixture
def full_load(conversation: Conversation) -> Iterator[None]:
    """As many busy processes as there are processors; what is compiled once a process is compiled before."""
    ended(conversation.start(["echo", "first"]))
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
    yield
    for process in busy:
        process.kill()
        process.wait()


def text(conversation: Conversation, receipt: Receipt, stream: str = "stdout") -> bytes:
    return (Path(conversation.path) / "tool-outputs/shell" / receipt.streams[stream].file).read_bytes()


def ended(job: RunningJob) -> Receipt:
    receipt = job.wait()
    assert receipt is not None
    job.join()
    return receipt


def all_say(conversation: Conversation, count: int) -> None:
    for first in range(0, count, TOGETHER):
        numbers = range(first, min(count, first + TOGETHER))
        jobs = [conversation.start(["sh", "-c", f"printf '{n} out'; printf '{n} err' >&2; exit 7"]) for n in numbers]
        for number, job in zip(numbers, jobs, strict=True):
            receipt = ended(job)
            assert (receipt.process.exit_code, receipt.capture.state) == (7, CaptureState.COMPLETE)
            assert text(conversation, receipt) == b"%d out" % number
            assert text(conversation, receipt, "stderr") == b"%d err" % number


@pytest.mark.usefixtures("full_load")
def test_a_hundred_that_end_at_once(conversation: Conversation) -> None:
    all_say(conversation, 100)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("full_load")
def test_a_thousand_that_end_at_once(conversation: Conversation) -> None:
    all_say(conversation, 1000)


@pytest.mark.usefixtures("full_load")
@pytest.mark.parametrize("ending", ["os._exit(7)", "os.kill(os.getpid(), 9)", "os.execvp('false', ['false'])"])
def test_a_burst_right_before_the_end(conversation: Conversation, ending: str) -> None:
    """64 KiB fill a default pipe to its last byte."""
    burst = "import os; os.write(1, b'x' * 65535 + b'!'); " + ending
    jobs = [conversation.start([sys.executable, "-ISE", "-c", burst]) for _ in range(3)]
    for job in jobs:
        receipt = ended(job)
        assert receipt.capture.state is CaptureState.COMPLETE
        assert text(conversation, receipt) == b"x" * 65535 + b"!"


@pytest.mark.parametrize(
    ("printed", "kept", "final_newline"),
    [
        (r"last line\n", "last line\n", True),
        ("no newline", "no newline", False),
        (r"cut \303", "cut \N{REPLACEMENT CHARACTER}", False),
        (r"cut \360\237\230", "cut \N{REPLACEMENT CHARACTER}", False),
        (r"styled \033[3", "styled ", False),
        (r"half a break\r", "half a break\r", False),
    ],
    ids=["newline", "no newline", "half a character", "three quarters of one", "half an escape", "half a break"],
)
def test_the_end_comes_in_the_middle(
    conversation: Conversation, printed: str, kept: str, *, final_newline: bool
) -> None:
    receipt = ended(conversation.start(["printf", printed]))
    assert text(conversation, receipt).decode() == kept
    assert receipt.streams["stdout"].final_newline == final_newline
    assert receipt.streams["stdout"].observed == receipt.streams["stdout"].accepted
