"""Real runs, several at once, seen by the catalogue from their start to their end: never dead, never unreadable."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from capture_core.catalog import Catalogue
from capture_core.errors import PlaceRefused
from capture_core.facts import CaptureState, Liveness
from capture_core.source import Entry

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = "seq 2000; echo err >&2; exit 3"


def test_runs_are_live_and_then_final(tmp_path: Path) -> None:
    words = ["capview", "run", "--conversation", str(tmp_path / "c"), "--quiet", "--", "sh", "-c", SCRIPT]
    catalogue = Catalogue(str(tmp_path / "c"))
    seen: set[Liveness] = set()
    for _ in range(4):
        jobs = [subprocess.Popen(words) for _ in range(4)]
        while any(job.poll() is None for job in jobs):
            seen |= look(catalogue)
        assert [job.returncode for job in jobs] == [3] * 4
    look(catalogue)
    assert seen <= {Liveness.LIVE, Liveness.FINAL}
    entries = catalogue.listing().entries
    assert len(entries) == 16
    assert {(entry.capture.state, entry.process.exit_code) for entry in entries} == {(CaptureState.COMPLETE, 3)}
    assert {entry.streams[0].committed for entry in entries} == {len("".join(f"{n}\n" for n in range(1, 2001)))}


def look(catalogue: Catalogue) -> set[Liveness]:
    try:
        differences = catalogue.refresh()
    except PlaceRefused:
        return set()  # the first run has not made the conversation yet
    assert not catalogue.listing().unreadable
    return {difference.after.liveness for difference in differences if isinstance(difference.after, Entry)}
