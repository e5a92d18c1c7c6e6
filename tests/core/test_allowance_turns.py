"""Turns at the tally: of one who is stopped while he has it, of a fork that outlives the owner, of threads."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from capture_core import allowance
from capture_core.account import kept_in
from capture_core.conversation import Conversation
from capture_core.facts import AllowanceState, CaptureFacts, CaptureReason, CaptureState
from capture_core.recount import reconcile
from tests.core.allowance_owner import LIMIT, Owner, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest


HOLDER = """
import sys
from capture_core import byte_locks
fd = __import__("os").open(sys.argv[1], 2)
assert byte_locks.lock(fd, 0)
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def stopped_holder(tree: Tree) -> Iterator[None]:
    """Somebody who was stopped while having the turn."""
    command = [sys.executable, "-c", HOLDER, str(tree.tally)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, holder.pid, os.WSTOPPED)
        yield
        holder.kill()


def test_a_stopped_holder_of_the_tally_is_waited_for_so_long_and_no_longer(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "ALLOWANCE_LOCK_SECONDS", 0.05)
    before = Owner(tree)
    before.retain(10)
    after = Owner(tree)
    with stopped_holder(tree):
        assert before.retain(2 * LIMIT) < LIMIT
        assert before.state() is AllowanceState.HELD_UP
        assert after.retain(1) == 0
        assert after.state() is AllowanceState.HELD_UP
        before.settle()
        after.settle()
        assert before.used() is None
    last = Owner(tree)
    last.retain(1)
    last.settle()
    assert last.state() is AllowanceState.COUNTED
    assert tree.taken() == tree.kept() <= LIMIT


def test_a_job_runs_on_while_somebody_stopped_holds_the_tally(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "ALLOWANCE_LOCK_SECONDS", 0.05)
    owner = Owner(tree)
    owner.retain(10)
    owner.settle()
    with stopped_holder(tree):
        conversation = Conversation.open(str(tree.path), slow_engine=True)
        receipt = conversation.start(["sh", "-c", "seq 100000; exit 7"], raw_binary=True).wait()
        assert receipt is not None
    assert receipt.process.exit_code == 7
    assert receipt.streams["stdout"].observed == 588_895
    assert receipt.capture == CaptureFacts(state=CaptureState.FAILED, reason=CaptureReason.CONVERSATION_QUOTA)
    assert receipt.allowance is not None
    assert receipt.allowance.state is AllowanceState.HELD_UP
    assert reconcile(str(tree.path)) == kept_in(str(tree.path)) == 10


FORKING = """
import os, sys
from contextlib import nullcontext
from capture_core.allowance import Allowance, Terms
from capture_core.directory import open_own
from capture_core.shared_tally import Place
root, _ = open_own(sys.argv[1])
outputs, private = root.step("tool-outputs"), root.step(".capview")
place = Place(private=private, outputs=outputs, scratch=private.step("tmp"))
allowance = Allowance(place, "20260101T000000Z-abcdefghijklmnop", Terms(10**6, 10**6), nullcontext)
assert allowance.take_text(500_000) == 500_000
if os.fork() == 0:
    print("forked", flush=True)
    os.read(int(sys.argv[2]), 1)
    os._exit(0)
sys.stdin.readline()
os._exit(9)
"""


def test_a_fork_of_the_host_does_not_keep_a_dead_owner_alive(tree: Tree) -> None:
    gate, hold = os.pipe()
    command = [sys.executable, "-c", FORKING, str(tree.path), str(gate)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[gate]) as host:
        os.close(gate)
        assert host.stdout is not None
        assert host.stdout.readline() == b"forked\n"
        assert tree.taken() > 400_000
        assert host.stdin is not None
        host.stdin.write(b"die\n")
        host.stdin.flush()
        assert host.wait() == 9
        # The fork lives: it holds stdout, and waits at the gate.
        owner = Owner(tree)
        owner.retain(7)
        owner.settle()
        assert tree.taken() == 7
        os.close(hold)
        assert host.stdout.read() == b""


def test_threads_of_one_process_share_it(tree: Tree) -> None:
    limit, given, over = 200_000, [], threading.Event()
    guard = threading.Lock()

    def work() -> None:
        for size in (900, 3_000, 17, 40_000):
            owner = Owner(tree, limit=limit, capture=0)
            mine = [owner.retain(size), owner.retain(size)]
            owner.settle()
            with guard:
                given.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(8)]
    watcher = threading.Thread(target=_watch, args=(tree.path, limit, over))
    for thread in (watcher, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    watcher.join()
    assert tree.kept() == tree.taken() == sum(given) <= limit
    assert sum(given) > limit // 2


def _watch(path: Path, limit: int, over: threading.Event) -> None:
    while not over.wait(0.001):
        assert kept_in(str(path)) <= limit
