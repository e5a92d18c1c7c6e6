"""The fault matrix of :mod:`tests.faults.matrix`, each cell by a real run on a real file system that fails."""

from __future__ import annotations

import errno
import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from capture_core import names
from capture_core.catalog import Catalogue
from tests.commands import Here
from tests.faults.grounds import Fuse, tmpfs
from tests.faults.matrix import (
    END,
    FULL,
    FUNCTIONS,
    OWN_CODE,
    ROWS,
    WARNING,
    Outcome,
    Refused,
    Row,
    printed,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _pytest.mark import ParameterSet

    from capture_core.source import Entry

Finished = subprocess.CompletedProcess[bytes]
SIDECARS = ("sgr", "times")


def cells() -> Iterator[ParameterSet]:
    """Every row with each of its errors; most of those that take the same way are left to the long run."""
    for turn, row in enumerate(ROWS):
        now = {row.errnos[turn % len(row.errnos)]}
        if not isinstance(row.outcome, Refused) and row.outcome.reason == "fault":
            now |= {row.errnos[turn // 2 % 2], row.errnos[-1 - turn // 2 % 2]} if len(row.errnos) > 2 else {*row.errnos}
        for number in row.errnos:
            name = f"{row.step} × {errno.errorcode[number]}" if number else row.step
            yield pytest.param(row, number, id=name, marks=() if number in now else pytest.mark.long)


class Disks:
    """The file systems on which the cells run: FUSE is mounted once of each kind, tmpfs for each cell."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._fuse: dict[str, Fuse] = {}

    @contextmanager
    def place(self, row: Row, number: int, folder: Path) -> Iterator[Path]:
        """Return a folder on a disk of this row's kind, which fails as the row says until :meth:`recover`."""
        kind, _, options = row.ground.partition(" ")
        if kind == "tmpfs":
            with tmpfs(folder / "tmpfs", options) as place:
                yield place
        elif kind == "ulimit":
            yield folder
        else:
            if kind not in self._fuse:
                self._fuse[kind] = Fuse(self._factory.mktemp("fuse"), kind)
            place = self._fuse[kind].mount / folder.name
            place.mkdir()
            self._fuse[kind].inject(*(rule._replace(errno=number) for rule in row.rules))
            yield place

    def recover(self, row: Row) -> None:
        """Fail no more; see that each fault did happen."""
        fuse = self._fuse.get(row.ground)
        if fuse is not None:
            assert fuse.struck() == set(range(len(row.rules))), "the fault did not happen"
            fuse.inject()

    def close(self) -> None:
        """Unmount."""
        for fuse in self._fuse.values():
            fuse.close()


@pytest.fixture(scope="module")
def disks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disks]:
    disks = Disks(tmp_path_factory)
    yield disks
    disks.close()


def run(row: Row, conversation: Path, ran_on: Path) -> Finished:
    """Run the row's script and the end that all commands have, under capture."""
    kind, _, limits = row.ground.partition(" ")
    limited = ["sh", "-c", f'ulimit {limits} && exec "$@"', "sh"] if kind == "ulimit" else []
    script = FUNCTIONS + row.script + END
    return subprocess.run(
        [*limited, "capview", "run", "--conversation", str(conversation), "--", "sh", "-c", script],
        env={**os.environ, "CONVERSATION": str(conversation), "RAN_ON": str(ran_on)},
        capture_output=True,
        check=False,
        timeout=50,
    )


@pytest.mark.parametrize(("row", "number"), cells())
def test_a_fault(
    row: Row, number: int, disks: Disks, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with disks.place(row, number, tmp_path) as place:
        conversation, ran_on = place / "conv", tmp_path / "ran-on"
        done = run(row, conversation, ran_on)
        disks.recover(row)
        assert b"Traceback" not in done.stderr
        assert done.returncode == row.outcome.code
        said = [line for line in done.stderr.decode().splitlines() if line.startswith("capview: ")]
        assert any(row.outcome.words in line for line in said), done.stderr.decode()
        if isinstance(row.outcome, Refused):
            (line,) = said
            assert os.strerror(number).lower() in line
            assert (done.stdout, ran_on.exists(), conversation.exists()) == (b"", False, False)
            return
        assert ran_on.exists()
        assert done.stdout == printed(row.lines)
        assert [line for line in done.stderr.decode().splitlines() if line not in said] == ["warning"]
        check_kept(row, row.outcome, conversation, number, Here(conversation, capfdbinary))


def check_kept(row: Row, outcome: Outcome, conversation: Path, number: int, here: Here) -> None:
    """Look at the capture as any reader does, and at the files as they lie there."""
    files = files_of(conversation)
    assert {name for name in files if name.rpartition(".")[2] not in SIDECARS} == set(outcome.files.split())
    assert len(list(conversation.glob(".capview/tmp/.*"))) == outcome.scratch
    if outcome.capture == "gone":
        return
    assert (conversation / "tool-outputs" / ".gitignore").read_text() == "*\n"
    if outcome.capture == "unreadable":
        return
    entry = the_entry(conversation)
    reason = {"fault": "disk-full" if number in FULL else "write-error"}.get(outcome.reason or "", outcome.reason)
    assert (entry.process.state, entry.capture.state, entry.capture.reason, entry.liveness) == (
        outcome.process,
        outcome.capture,
        reason,
        outcome.liveness,
    )
    assert entry.process.exit_code == (OWN_CODE if outcome.process == "exited" else None)
    check_stdout(row, outcome, entry, here)
    stderr = entry.receipt.streams["stderr"]
    if stderr.state != "unavailable":
        end = stderr.end if outcome.warned < 0 else outcome.warned
        assert (0, WARNING[:end], b"") == here("read", entry.receipt.ref, "--stream", "stderr")
        assert stderr.end == end or outcome.liveness != "final"


def check_stdout(row: Row, outcome: Outcome, entry: Entry, here: Here) -> None:
    """Look at the stream that the fault is of."""
    facts = entry.receipt.streams["stdout"]
    assert facts.state == outcome.stdout
    if outcome.stdout == "unavailable":
        assert here("read", entry.receipt.ref, "--stream", "stdout")[0] != 0
        return
    whole = text(row.lines)
    end = len(whole) if outcome.end is None else facts.end if outcome.end < 0 else outcome.end
    assert (0, whole[:end], b"") == here("read", entry.receipt.ref, "--stream", "stdout", "--max-bytes", "1GiB")
    assert whole[:end].decode()[:1] == ("0" if end else "")
    if outcome.stdout != "pending":
        assert (facts.end, facts.retained, facts.eof) == (end, end, True)
        assert (facts.observed, facts.pending) == (len(printed(row.lines)), 0)
        assert (facts.accepted or 0) + (facts.discarded or 0) == facts.observed


def the_entry(conversation: Path) -> Entry:
    """The only capture."""
    catalogue = Catalogue(str(conversation))
    catalogue.refresh()
    (entry,) = catalogue.listing().entries
    assert not catalogue.listing().unreadable
    return entry


def files_of(conversation: Path) -> set[str]:
    """What there is of the only capture: each name without the capture's id, and no other file than these."""
    found = set()
    for path in conversation.glob("tool-outputs/*/*"):
        parsed = names.parse_file_name(path.name)
        assert parsed is not None, path.name
        found.add(path.name.removeprefix(f"{parsed.capture_id}."))
    return found
