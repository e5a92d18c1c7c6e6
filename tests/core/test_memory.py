"""What a job's processes have in memory together, and the watch over it: real processes, their sizes chosen."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core import memory, processes
from capture_core.limits import MIB
from capture_core.memory import MemoryWatch, used_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_LIMIT = 1 << 60
HOLD = "import os, sys; x = bytearray(int(sys.argv[1]) << 20); print(flush=True); sys.stdin.read()"
FORK = (
    "import os, sys; x = b'x' * (64 << 20)\n"
    "for _ in range(4):\n"
    "    if not os.fork():\n"
    "        break\n"
    "print(flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MEMORY_LOOK_SECONDS", 0.001)


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for child in started:
        child.communicate("")


def holding(running: list[subprocess.Popen[str]], code: str, *words: str, lines: int = 1) -> int:
    child = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    for _ in range(lines):
        child.stdout.readline()
    running.append(child)
    return child.pid


def below(pid: int) -> list[processes.Process]:
    seen = processes.table()
    return [seen[each] for each in (pid, *processes.below(seen, [pid]))]


def test_what_each_has_is_added_up(running: list[subprocess.Popen[str]]) -> None:
    one = holding(running, HOLD, "20")
    two = holding(running, HOLD, "30")
    both = used_bytes([*below(one), *below(two)], NO_LIMIT)
    assert 50 * MIB < both < 120 * MIB


def test_what_several_share_counts_once(running: list[subprocess.Popen[str]]) -> None:
    """Five processes share 64 MiB: the sum of what is resident, 320 MiB and more, would end a job that is well."""
    tree = below(holding(running, FORK, lines=5))
    assert len(tree) == 5
    assert used_bytes(tree, NO_LIMIT) > 5 * 64 * MIB
    assert 64 * MIB < used_bytes(tree, 200 * MIB) < 160 * MIB


def test_one_that_has_gone_meanwhile_counts_as_it_was_seen() -> None:
    gone = processes.Process(2**22 + 1, "x", "S", 1, 1, 1, threads=1, started=1, resident_pages=10)
    assert used_bytes([gone], 1) == 10 * os.sysconf("SC_PAGE_SIZE")


def test_the_watch_tells_once_that_it_is_too_much(running: list[subprocess.Popen[str]]) -> None:
    told: queue.SimpleQueue[int] = queue.SimpleQueue()
    MemoryWatch(holding(running, HOLD, "50"), 40 * MIB, told.put)
    assert told.get(timeout=30) > 50 * MIB
    join_watches()
    assert told.empty()


def test_the_watch_ends_with_its_leader(running: list[subprocess.Popen[str]]) -> None:
    told: queue.SimpleQueue[int] = queue.SimpleQueue()
    MemoryWatch(holding(running, HOLD, "1"), 4096 * MIB, told.put)
    running[0].communicate("")
    join_watches()
    assert told.empty()


def test_the_watch_can_be_stopped(running: list[subprocess.Popen[str]]) -> None:
    watch = MemoryWatch(holding(running, HOLD, "1"), 4096 * MIB, lambda _: None)
    watch.stop()
    join_watches()


def join_watches() -> None:
    for thread in threading.enumerate():
        if thread.name == "memory-watch":
            thread.join(30)
            assert not thread.is_alive()
