"""Many processes fill one conversation at the same moment, and one of them dies between taking room and writing."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from capture_core.account import Account, account
from capture_core.catalog import Catalogue
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, Liveness
from capture_core.recount import reconcile

RETAIN = Path(__file__).parents[1] / "children" / "retain.py"
SIZE = 40_000
FORMS = ("*.live", "*.txt", "*.bin", "*.sgr", "*.times")


class Said(NamedTuple):
    """What a process says of one of its jobs."""

    ref: str
    retained: int
    reason: str


class Watcher:
    """Adds up what the files have, over and over, and keeps the most that it ever saw."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.looks = 0
        self.most = 0
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(0.001):
            self.looks += 1
            self.most = max(self.most, size_of(self._place))


def size_of(place: Path) -> int:
    """Each inode once, as a rename may show it twice or not at all."""
    sizes: dict[int, int] = {}
    for form in FORMS:
        for file in (place / "tool-outputs" / "shell").glob(form):
            try:
                status = file.stat()
            except FileNotFoundError:
                continue
            sizes[status.st_ino] = status.st_size
    return sum(sizes.values())


class Process:
    """One that runs jobs when all are ready."""

    def __init__(self, place: Path, allowance: int, jobs: int, *words: str) -> None:
        command = [sys.executable, str(RETAIN), str(place), str(allowance), str(jobs), str(SIZE), *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.expect("ready")

    def expect(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def said(self) -> list[Said]:
        lines, _ = self.process.communicate()
        assert self.process.returncode == 0
        return [Said(ref, int(retained), reason) for ref, retained, reason in map(str.split, lines.splitlines())]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def run_all(place: Path, allowance: int, processes: int, jobs: int) -> list[Said]:
    """Run them beside one that dies; what the others say."""
    with ExitStack() as stack:
        dying = Process(place, allowance, 1, "hang")
        stack.callback(dying.end)
        others = [Process(place, allowance, jobs) for _ in range(processes - 1)]
        for process in others:
            stack.callback(process.end)
        dying.go()
        dying.expect("reserved")
        for process in others[: len(others) // 2]:
            process.go()
        dying.process.kill()
        for process in others[len(others) // 2 :]:
            process.go()
        return [said for process in others for said in process.said()]


def check(place: Path, allowance: int, said: list[Said]) -> None:
    """Ids, sums, receipts."""
    assert len({each.ref for each in said}) == len(said)
    kept = size_of(place)
    assert sum(each.retained for each in said) == kept <= allowance
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    listing = catalogue.listing()
    assert listing.unreadable == ()
    entries = {entry.receipt.ref: entry for entry in listing.entries}
    died = [ref for ref, entry in entries.items() if entry.liveness is Liveness.OWNER_DIED]
    assert len(died) == 1
    assert entries.keys() == {each.ref for each in said} | set(died)
    for each in said:
        _check_receipt(entries[each.ref].capture, each)


def _check_receipt(capture: CaptureFacts, said: Said) -> None:
    if said.reason == "whole":
        assert capture == CaptureFacts(state=CaptureState.COMPLETE)
    else:
        assert capture.state in (CaptureState.PARTIAL, CaptureState.FAILED)
        assert capture.reason == said.reason == CaptureReason.CONVERSATION_QUOTA


def fill(place: Path, processes: int, jobs: int) -> None:
    """Let them ask for twice as much as there is."""
    allowance = (processes - 1) * jobs * SIZE // 2
    place.joinpath("tool-outputs", "shell").mkdir(parents=True, mode=0o700)
    place.chmod(0o700)
    watcher = Watcher(place)
    try:
        said = run_all(place, allowance, processes, jobs)
    finally:
        watcher.stop()
    assert watcher.looks > 1
    assert watcher.most <= allowance
    assert len(said) == (processes - 1) * jobs
    check(place, allowance, said)
    # Whatever the dead one had taken, somebody counted it.
    assert account(str(place)) == Account(kept=size_of(place), counted=size_of(place), owners=0)
    assert reconcile(str(place)) == size_of(place) > allowance // 2


def test_processes_at_once_and_one_that_dies_never_retain_more_than_is_allowed(tmp_path: Path) -> None:
    fill(tmp_path, 8, 6)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_sixteen_processes_with_fifty_captures_each(tmp_path: Path) -> None:
    fill(tmp_path, 16, 50)
