"""``capview wait``: one capture, several, the first of several, a time limit, and owners that die."""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import ProcessFacts, ProcessState
from tests.captures import EXITED, FAILED, Owner, finished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.commands import Here


def later(*steps: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=lambda: [step() for step in steps], name="owner")
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("process", "code"),
    [
        (EXITED, 0),
        (FAILED, 2),
        (ProcessFacts(state=ProcessState.EXITED, signal=15), 143),
        (ProcessFacts(state=ProcessState.CANCELLED, exit_code=5), 5),
        (ProcessFacts(state=ProcessState.CANCELLED, exit_code=0), 143),
        (ProcessFacts(state=ProcessState.CANCELLED, signal=9), 137),
        (ProcessFacts(state=ProcessState.TIMEOUT, exit_code=0), 124),
        (ProcessFacts(state=ProcessState.TIMEOUT, signal=9), 124),
        (ProcessFacts(state=ProcessState.NONE), 0),
    ],
)
def test_one_gives_its_own_code(here: Here, tmp_path: Path, process: ProcessFacts, code: int) -> None:
    owner = Owner(tmp_path)
    thread = later(lambda: owner.finish(process))
    assert here("wait", owner.id) == (code, b"", b"")
    thread.join()
    assert here("follow", owner.id)[0] == code


@pytest.mark.parametrize("number", [256, 512, -256, 2**40])
@pytest.mark.parametrize("is_signal", [False, True])
def test_no_number_of_a_receipt_becomes_0(here: Here, tmp_path: Path, number: int, *, is_signal: bool) -> None:
    said = ProcessFacts(state=ProcessState.EXITED, pid=1, exit_code=number)
    if is_signal:
        said = ProcessFacts(state=ProcessState.EXITED, pid=1, signal=number - 128)
    finished(tmp_path, process=said)
    assert (here("wait", "@last")[0], here("follow", "@last")[0]) == (255, 255)


def test_several_are_well_only_if_each_exited_0(here: Here, tmp_path: Path) -> None:
    one, two, bad = finished(tmp_path), finished(tmp_path), finished(tmp_path, process=FAILED)
    assert here("wait", one.id, two.id)[0] == 0
    assert here("wait", one.id, bad.id, two.id)[0] == 1
    assert here("wait", bad.id, bad.ref)[0] == 2, "one capture named twice is one capture"


def test_the_first_of_several(here: Here, tmp_path: Path) -> None:
    running, ended = Owner(tmp_path), finished(tmp_path, process=FAILED)
    code, out, _ = here("wait", "--any", running.id, ended.id)
    assert (code, out) == (2, f"{ended.ref}\n".encode())


def test_the_time_is_over(here: Here, tmp_path: Path) -> None:
    running, ended = Owner(tmp_path), finished(tmp_path)
    code, out, err = here("wait", "--timeout", "0.3", running.id, ended.id)
    assert (code, out) == (124, b"")
    assert err == f"capview: the time is over, and not yet ended: {running.ref}\n".encode()
    assert here("wait", "--timeout", "0", ended.id)[0] == 0


def test_an_owner_that_dies_is_an_end_with_a_word(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    thread = later(owner.release)
    code, _, err = here("wait", owner.id)
    thread.join()
    assert code == 1
    assert b"its owner died" in err


def test_json_gives_each_receipt_when_it_is_final(here: Here, tmp_path: Path) -> None:
    one, two = finished(tmp_path), finished(tmp_path, process=FAILED)
    _, out, _ = here("wait", "--json", one.id, two.id)
    assert [json.loads(said)["process"]["exit_code"] for said in out.splitlines()] == [0, 2]


def test_a_capture_that_is_removed_meanwhile(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)

    def remove() -> None:
        for file in owner.folder.iterdir():
            file.unlink()

    thread = later(remove)
    code, _, err = here("wait", owner.id)
    thread.join()
    assert code == 2
    assert b"not there" in err or b"no capture matches" in err


def test_a_killed_owner_of_a_real_command(tmp_path: Path) -> None:
    prints = "echo $PPID $$; exec sleep 1000"
    words = ["capview", "run", "--conversation", str(tmp_path), "--detach", "--", "sh", "-c", prints]
    ref = subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()
    live = tmp_path / f"{ref}.stdout.live"
    while not live.read_text().endswith("\n"):
        pass
    waiting = subprocess.Popen(
        ["capview", "wait", "@last", "--conversation", str(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    # The live receipt may not name the child yet: its owner dies before it replaces that a second time.
    owner, child = live.read_text().split()
    subprocess.run(["kill", "-KILL", owner], check=True)
    _, err = waiting.communicate()
    assert waiting.returncode == 1
    assert "its owner died" in err
    subprocess.run(["kill", "-KILL", child], check=True)
