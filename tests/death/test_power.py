"""Power loss after each call that a capture made: nothing is called complete that is not, and what was said is so."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from capture_core import catalog, durable
from capture_core.facts import CaptureState, Liveness
from capture_core.limits import Limits
from capture_core.liveness import Host, here, is_local
from capture_core.verify import Soundness, verify
from tests.death.conversations import assert_true, seen, texts
from tests.death.power import Disk, build
from tests.death.stepped import STDERR, STDOUT, Call, recorded, run_job

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.source import Entry
    from tests.death.power import Chance

TRIES = 6


@pytest.fixture(autouse=True)
def another_boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power loss this is the same machine, and another boot."""
    fd = os.open(tmp_path, os.O_RDONLY)
    is_ours_alone = is_local(fd)
    os.close(fd)
    if not is_ours_alone:
        pytest.skip("the temporary folder is on a file system that others may have open")
    monkeypatch.setattr(catalog, "here", lambda: Host(host=here().host, boot_id="another"))


class All:
    """Everything that was done is there."""

    def keeps(self, of: int) -> int:
        return of


class Nothing:
    """Nothing that was not synced is."""

    def keeps(self, of: int) -> int:
        return 0


class Some:
    """Each thing is there or not, in some cases more often than in others."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._often = self._random.choice((0.5, 0.8, 0.95))

    def keeps(self, of: int) -> int:
        return of if self._random.random() < self._often else self._random.randint(0, max(0, of - 1))


@pytest.fixture(params=["whole", "cut at its limit", "without O_TMPFILE", "exact bytes"])
def calls(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """All calls of one capture."""
    limits = Limits(capture_bytes=5) if request.param == "cut at its limit" else Limits()
    if request.param == "without O_TMPFILE":
        monkeypatch.setattr(durable, "_O_TMPFILE", None)
    conversation = tmp_path / "recorded" / "c"
    conversation.parent.mkdir()
    is_raw = request.param == "exact bytes"
    made = recorded(conversation, lambda: run_job(conversation, limits=limits, raw_binary=is_raw))
    return [Call("mkdir", conversation.parent.stat().st_ino, (0, "place")), Call("fsync", 0), *made]


def lost(calls: list[Call], count: int, tries: int) -> list[dict[str, bytes | None]]:
    """Every different disk that was tried."""
    disk = Disk(0, calls[:count])
    chances: tuple[Chance, ...] = (All(), Nothing(), *(Some(f"{count} {number}") for number in range(tries)))
    found = {tuple(disk.lost(chance).items()) for chance in chances}
    return [dict(each) for each in found]


def check(conversation: Path) -> Entry | None:
    entries = seen(conversation).entries
    assert len(entries) <= 1
    for entry in entries:
        assert_true(conversation, entry)
        if entry.liveness is Liveness.FINAL:
            assert verify(str(conversation), entry).soundness is Soundness.OK, "a final receipt came before its files"
        else:
            assert entry.liveness is Liveness.OWNER_DIED
            assert entry.capture.state in (CaptureState.PARTIAL, CaptureState.UNAVAILABLE)
    return entries[0] if entries else None


@pytest.mark.parametrize("tries", [TRIES, pytest.param(200, marks=pytest.mark.long)])
def test_power_loss_after_each_call(calls: list[Call], tmp_path: Path, tries: int) -> None:
    number = finals = 0
    for count in range(3, len(calls) + 1):
        # Where names are published it matters most which of them are there.
        for disk in lost(calls, count, tries * 10 if calls[count - 1].name in ("link", "replace") else tries):
            number += 1
            build(disk, tmp_path / str(number))
            entry = check(tmp_path / str(number) / "place" / "c")
            finals += entry is not None and entry.liveness is Liveness.FINAL
    assert 0 < finals < number


def test_what_was_told_to_be_final_is_there(calls: list[Call], tmp_path: Path) -> None:
    """The folders that it was made in were not synced: the whole conversation could be gone."""
    chances: tuple[Chance, ...] = (All(), Nothing(), *map(Some, "0123456789"))
    for number, chance in enumerate(chances):
        build(Disk(0, calls).lost(chance), tmp_path / str(number))
        entry = check(tmp_path / str(number) / "place" / "c")
        assert entry is not None
        assert entry.liveness is Liveness.FINAL


def test_the_model_loses_what_was_not_synced(tmp_path: Path) -> None:
    """Were the streams not synced, a receipt could be there of which no byte of text is."""
    conversation = tmp_path / "c"
    made = recorded(conversation, lambda: run_job(conversation))
    streams = {call.inode for call in made if call.name == "link" and call.arguments[1].endswith(".live")}
    made = [call for call in made if not (call.name == "fsync" and call.inode in streams)]
    made[:0] = [Call("mkdir", tmp_path.stat().st_ino, (0, "place")), Call("fsync", 0)]
    build(Disk(0, made).lost(Nothing()), tmp_path / "found")
    [entry] = seen(tmp_path / "found" / "place" / "c").entries
    assert verify(str(tmp_path / "found" / "place" / "c"), entry).soundness is Soundness.DAMAGED


def test_the_model_keeps_what_was(tmp_path: Path) -> None:
    conversation = tmp_path / "c"
    made = recorded(conversation, lambda: run_job(conversation))
    made.insert(0, Call("mkdir", tmp_path.stat().st_ino, (0, "place")))
    build(Disk(0, made).lost(All()), tmp_path / "found")
    entry = check(tmp_path / "found" / "place" / "c")
    assert entry is not None
    assert texts(tmp_path / "found" / "place" / "c", entry) == {"stdout": STDOUT, "stderr": STDERR}
