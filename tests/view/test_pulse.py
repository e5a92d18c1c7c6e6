"""What running jobs seem to be doing, in the UI: read where something grew, a bounded end of it, and nowhere else."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.activity import Asked, Waits
from capture_core.local import LocalSource
from capview.limits import PROGRESS_TAIL_BYTES, PULSE_ASK_SECONDS, PULSE_JOBS, PULSE_SECONDS
from capview.tui.job_columns import COLUMNS, sortable, visible
from capview.tui.pulse import Pulse
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.source import Address, Entry, Page

NOW = 2_000_000_000.0


class Counting(LocalSource):
    """Tells what was read of it."""

    def __init__(self, place: Path) -> None:
        super().__init__([str(place)])
        self.ranges: list[tuple[str, int]] = []

    async def range(self, address: Address, stream: str, start: int, end: int) -> Page:
        self.ranges.append((stream, end - start))
        return await super().range(address, stream, start, end)


class Rig:
    def __init__(self, place: Path) -> None:
        self.source = Counting(place)
        self.time = 0.0
        self.pulse = Pulse(self.source, clock=lambda: self.time)

    async def entries(self) -> tuple[Entry, ...]:
        return (await self.source.list()).entries

    async def round(self, now: float = NOW) -> int:
        """Do what the app does at its news; of how many jobs something was to be looked at."""
        entries = await self.entries()
        self.pulse.activities(entries, now)
        wanted = self.pulse.wanted(entries, now)
        await self.pulse.look(wanted, now)
        return len(wanted)

    async def words(self, now: float = NOW) -> list[str]:
        activities = self.pulse.activities(await self.entries(), now)
        return [activity.progress.words if activity.progress else "" for activity in activities.values()]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def printed(owner: Owner, ago: float = 0) -> None:
    for stream in ("stdout", "stderr"):
        os.utime(owner.path(stream), (NOW - ago, NOW - ago))


async def test_the_end_of_what_grew_is_read_once(rig: Rig, tmp_path: Path) -> None:
    """Fails where every live job is read at every tick, or all that it printed."""
    owner = Owner(tmp_path)
    owner.append("stdout", b"x" * 100_000 + b"\n[1/7] CC a\n")
    printed(owner)
    assert (await rig.round(), await rig.words()) == (1, ["1/7"])
    assert rig.source.ranges == [("stdout", PROGRESS_TAIL_BYTES)]
    rig.time += PULSE_SECONDS
    assert await rig.round() == 0, "nothing grew"
    owner.append("stdout", b"[2/7] b\n")
    printed(owner)
    assert (await rig.round(), await rig.words()) == (1, ["2/7"])
    owner.append("stdout", b"[3/7] c\n")
    printed(owner)
    assert (await rig.round(), await rig.words()) == (0, ["2/7"]), "it was read a moment ago"
    rig.time += PULSE_SECONDS
    assert (await rig.round(), await rig.words()) == (1, ["3/7"])


async def test_nothing_is_read_of_what_is_over(rig: Rig, tmp_path: Path) -> None:
    finished(tmp_path)
    died = Owner(tmp_path)
    died.append("stdout", b"[1/7] CC a\n")
    died.release()
    assert (await rig.round(), await rig.words(), rig.source.ranges) == (0, [], [])


async def test_only_so_many_at_once_and_each_has_its_turn(rig: Rig, tmp_path: Path) -> None:
    owners = [Owner(tmp_path) for _ in range(PULSE_JOBS + 3)]
    for owner in owners:
        owner.append("stdout", b"[1/7] CC a\n")
        printed(owner)
    assert [await rig.round() for _ in range(3)] == [PULSE_JOBS, 3, 0]
    assert await rig.words() == ["1/7"] * len(owners)


async def test_the_os_is_asked_of_what_may_wait_and_seldom(
    rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(entry: Entry) -> Asked:
        asked.append(entry.receipt.ref)
        return Asked(reads=True)

    monkeypatch.setattr("capview.doing.ask", ask)
    lines, asks = Owner(tmp_path), Owner(tmp_path)
    lines.append("stdout", b"a line\n")
    asks.append("stdout", b"name, please")
    for owner in (lines, asks):
        printed(owner, ago=5)
        owner.announce(replace(owner.receipt, times=replace(owner.receipt.times, started="2020-01-01T00:00:00Z")))
    await rig.round()
    assert asked == [asks.ref]
    assert await rig.round() == 0
    waits = [activity.waits for activity in rig.pulse.activities(await rig.entries(), NOW).values()]
    assert sorted(filter(None, waits)) == [Waits.READS]
    rig.time += PULSE_ASK_SECONDS
    await rig.round()
    assert asked == [asks.ref] * 2


def test_each_width_has_one_column_of_each_kind() -> None:
    """Fails where what is shown on little room stands beside what is shown on more."""
    for width in range(40, 220):
        titles = [column.title for column in visible(width)]
        assert len(titles) == len(set(titles)), width
    assert len({column.title for column in sortable()}) == len(sortable())
    assert {column.title for column in sortable()} == {column.title for column in COLUMNS}
