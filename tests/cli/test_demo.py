"""The sample conversation: every state that it promises is there, made by real commands, and nothing outlives it."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.commands import capview

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNNING = "compile the standard library"


def receipts(place: Path) -> dict[str, Any]:
    """The receipts of a conversation by their labels."""
    done = capview("ls", "--conversation", str(place), "--json")
    return {receipt["label"]: receipt for receipt in map(json.loads, done.stdout.splitlines())}


def end(place: Path) -> int:
    """End the running job as a terminal's ``kill`` does; what ``capview wait`` exits with."""
    job = receipts(place)[RUNNING]
    if job["liveness"] == "live":
        os.killpg(job["process"]["pid"], signal.SIGTERM)
    return capview("wait", "--conversation", str(place), job["ref"]).returncode


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "sample"
    done = capview("demo", "--make", str(place))
    yield place
    end(place)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{place}\n".encode(), b"")


def ending(receipt: dict[str, Any]) -> tuple[Any, ...]:
    process, capture = receipt["process"], receipt["capture"]
    return process["state"], process["exit_code"], process["signal"], capture["state"], capture["reason"]


def test_the_sample_has_every_state_that_it_promises(sample: Path) -> None:
    made = receipts(sample)
    assert {label: ending(receipt) for label, receipt in made.items()} == {
        "settings of the deployment": ("exited", 0, None, "complete", None),
        "import times of the JSON package": ("exited", 0, None, "complete", None),
        "tokens of tokenize.py": ("exited", 0, None, "partial", "quota"),
        "unit tests": ("exited", 1, None, "complete", None),
        "stopped by a signal": ("exited", None, signal.SIGTERM, "complete", None),
        RUNNING: ("running", None, None, "pending", None),
    }
    assert made[RUNNING]["liveness"] == "live"
    masked = made["settings of the deployment"]
    text = capview("read", "--conversation", str(sample), masked["ref"]).stdout.decode()
    assert "DEPLOY_TOKEN=[redacted:" in text
    assert text.splitlines()[0] == "region = eu-1"
    assert sum(masked["representation"]["redactions"].values()) == 1


def test_the_running_job_can_be_ended_and_ends_complete(sample: Path) -> None:
    job = receipts(sample)[RUNNING]
    live = sample / "tool-outputs/shell" / job["streams"]["stdout"]["file"]
    deadline = time.monotonic() + 40
    while not live.stat().st_size:
        assert time.monotonic() < deadline, "it never printed"
        time.sleep(0.01)
    assert end(sample) == 128 + signal.SIGTERM
    ended = receipts(sample)[RUNNING]
    assert ending(ended) == ("exited", None, signal.SIGTERM, "complete", None)
    assert ended["liveness"] == "final"
    stdout = ended["streams"]["stdout"]
    assert stdout["observed"] == stdout["retained"] == stdout["committed"] > 0


def test_a_place_that_takes_no_captures_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = capview("demo", "--make", str(tmp_path / "file"))
    assert (done.returncode, done.stdout) == (2, b"")
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("capview: conversation ")
    assert "not a directory" in line


def test_without_a_terminal_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = capview("demo")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not list(tmp_path.iterdir())
