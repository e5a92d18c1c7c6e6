"""A host of many jobs and many descriptors: nothing of a job that is over is left in it."""

from __future__ import annotations

import gc
import os
import resource
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core.errors import SpawnFailed
from capture_core.facts import CaptureState
from tests.strays import children_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core import Conversation

TOGETHER = 20
LIST = "import os; print(*sorted(map(int, os.listdir('/proc/self/fd'))))"


def run_many(conversation: Conversation, count: int) -> None:
    """Of every kind of end: by itself, by a cancel, by a time limit, not even started."""
    for _ in range(count // TOGETHER):
        jobs = [conversation.start(["sh", "-c", "exit 7"]) for _ in range(TOGETHER - 4)]
        ended = [conversation.start(["sleep", "60"]) for _ in range(2)]
        ended += [conversation.start(["sleep", "60"], timeout=0.01) for _ in range(2)]
        for job in ended[:2]:
            job.cancel()
        for job in (*jobs, *ended):
            assert job.wait() is not None
            job.join()


def left() -> tuple[int, int, int]:
    """Threads, descriptors, and children of this process, dead or alive."""
    gc.collect()
    return threading.active_count(), len(os.listdir("/proc/self/fd")), len(list(children_of(os.getpid())))


def test_a_hundred_jobs_leave_no_zombie_thread_or_descriptor(conversation: Conversation) -> None:
    """``Popen`` objects that nobody waits for are zombies until the next one is made."""
    run_many(conversation, TOGETHER)
    before = left()
    run_many(conversation, 100)
    assert left() == before


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_thousand_jobs_leave_none_either(conversation: Conversation) -> None:
    run_many(conversation, TOGETHER)
    before = left()
    run_many(conversation, 1000)
    assert left() == before


@pytest.fixture
def crowd() -> Iterator[list[int]]:
    """1,100 descriptors that are open, every other one of them for children, too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip("no more than 1,024 descriptors are to be had here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    read, write = os.pipe()
    held = [read, write, *(os.dup(read) for _ in range(1100))]
    for fd in held[::2]:
        os.set_inheritable(fd, True)
    yield held
    for fd in held:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_job_among_more_than_1024_descriptors(conversation: Conversation, crowd: list[int]) -> None:
    """``select`` refuses what is beyond 1,024; and the child has none of them."""
    assert max(crowd) > 1024
    job = conversation.start([sys.executable, "-c", LIST])
    receipt = job.wait()
    assert receipt is not None
    job.join()
    assert (receipt.process.exit_code, receipt.capture.state) == (0, CaptureState.COMPLETE)
    text = Path(conversation.path, "tool-outputs/shell", receipt.streams["stdout"].file).read_text()
    assert text.split() == ["0", "1", "2", "3"], "3 is the listing's own"


def test_a_job_among_them_can_be_ended(conversation: Conversation, crowd: list[int]) -> None:
    assert max(crowd) > 1024
    job = conversation.start(["sh", "-c", "sleep 60 & wait"])
    job.cancel()
    receipt = job.wait()
    assert receipt is not None
    assert receipt.process.survivors == ()


def test_a_start_that_fails_leaves_no_descriptor(conversation: Conversation) -> None:
    """Fails where pipes and files are closed by whoever waits for the child: there is none."""
    fail_to_start(conversation)
    before = left()
    fail_to_start(conversation)
    assert left() == before


def fail_to_start(conversation: Conversation) -> None:
    for start in (conversation.start, conversation.run):
        with pytest.raises(SpawnFailed):
            start(["/does/not/exist"])
