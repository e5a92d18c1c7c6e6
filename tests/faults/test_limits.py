"""Limits at which every start stands or falls as a whole, one step of room after another, and the signal of one."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from capture_core.catalog import Catalogue
from tests.faults.grounds import tmpfs

if TYPE_CHECKING:
    from pathlib import Path

Finished = subprocess.CompletedProcess[bytes]
NOT_STARTED = 125


def run(conversation: Path, *command: str, limit: str = ":") -> Finished:
    """Run a command under capture, in a shell's limits."""
    words = ["sh", "-c", f'{limit} && exec "$@"', "sh", "capview", "run", "--conversation", str(conversation), "--"]
    return subprocess.run([*words, *command], capture_output=True, check=False, timeout=50)


def states(conversation: Path) -> list[tuple[str, str]]:
    """What readers say of each capture there."""
    catalogue = Catalogue(str(conversation))
    catalogue.refresh()
    return [(entry.capture.state, entry.liveness) for entry in catalogue.listing().entries]


def check(done: Finished, conversation: Path, words: str) -> bool:
    """Whether the command ran, its capture whole; else it was refused in one line, and nothing is left of it."""
    assert b"Traceback" not in done.stderr
    if done.returncode == NOT_STARTED:
        (line,) = done.stderr.decode().splitlines()
        assert words in line.lower()
        assert not conversation.exists()
        return False
    assert (done.returncode, done.stdout) == (7, b"hello\n"), done.stderr.decode()
    ((capture, liveness),) = states(conversation)
    assert liveness == "final"
    assert capture in ("complete", "partial", "failed")
    return True


def descriptors() -> list[object]:
    """Some in the suite, all of them in the long run."""
    return [pytest.param(count, marks=() if count % 5 == 0 else pytest.mark.long) for count in range(10, 42)]


@pytest.mark.parametrize("count", descriptors())
def test_with_so_many_descriptors_a_run_is_refused_or_ends_in_order(tmp_path: Path, count: int) -> None:
    done = run(tmp_path / "conv", "sh", "-c", "echo hello; exit 7", limit=f"ulimit -n {count}")
    ran = check(done, tmp_path / "conv", "too many open files")
    assert ran or count < 40


@pytest.mark.parametrize("count", [pytest.param(n, marks=() if n % 4 == 0 else pytest.mark.long) for n in range(1, 25)])
def test_with_so_many_inodes_a_run_is_refused_or_ends_in_order(tmp_path: Path, count: int) -> None:
    with tmpfs(tmp_path / "disk", f"size=4m,nr_inodes={count}") as disk:
        ran = check(run(disk / "conv", "sh", "-c", "echo hello; exit 7"), disk / "conv", "no space left on device")
        assert ran or count < 24
        assert ran or os.listdir(disk) == []


def test_the_signal_of_a_file_size_limit_is_the_commands_own(tmp_path: Path) -> None:
    big = f"of={tmp_path / 'big'}"
    done = run(tmp_path / "conv", "dd", "if=/dev/zero", big, "bs=64k", "count=2", limit="ulimit -c 0; ulimit -f 128")
    assert done.returncode == 128 + signal.SIGXFSZ
    assert states(tmp_path / "conv") == [("complete", "final")]
