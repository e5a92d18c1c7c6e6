"""``capview run --promote-after``: the shell is let go at the limit, and the same capture goes on without it.

Naive is to end the command at the limit, as timeout(1) does, or to start it again in the background.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from capture_core.news import Watched


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is let go before the capture is there, however slow the disk is."""
    monkeypatch.setenv("CAPVIEW_SETTLE_SECONDS", "600")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "capview", "run", "--conversation", str(folder / "c"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("option", ["--quiet", "--json", "--inline", "--merge"])
def test_at_the_limit_the_shell_is_told_the_ref_and_the_job_goes_on(tmp_path: Path, option: str) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    done = run(tmp_path, option, "--promote-after", "0", "--", "sh", "-c", f"echo a; read x < {gate}; echo b; exit 3")
    assert (done.returncode, done.stderr) == (124, "")
    start = done.stdout.index("tool-outputs/")
    ref = done.stdout[start : start + len("tool-outputs/shell/20261130T120000Z-abcdefghijklmnop")]
    if option == "--json":
        assert json.loads(done.stdout)["process"]["state"] == "running"
    watched = Watched(str(tmp_path / "c"), ref)
    stream = "output" if option == "--merge" else "stdout"
    adopted_at = watched.entry().receipt.streams[stream].adopted_at
    assert adopted_at is not None
    gate.write_text("go\n")
    entry = watched.wait()
    assert entry is not None
    facts = entry.receipt.streams[stream]
    assert (entry.process.exit_code, facts.adopted_at) == (3, adopted_at)
    assert Path(tmp_path, "c", "tool-outputs", "shell", facts.file).read_text() == "a\nb\n"


def test_what_ends_before_the_limit_is_as_without_it(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", "--promote-after", "1h", "--timeout", "1h", "--", "sh", "-c", "echo a; exit 3")
    assert done.returncode == 3
    assert json.loads(done.stdout)["streams"]["stdout"]["adopted_at"] is None


def test_a_timeout_ends_it_also_after_that(tmp_path: Path) -> None:
    done = run(tmp_path, "--quiet", "--promote-after", "0", "--timeout", "0.5", "--", "sleep", "60")
    assert done.returncode == 124
    entry = Watched(str(tmp_path / "c"), done.stdout.strip()).wait()
    assert entry is not None
    assert entry.process.state == "timeout"
