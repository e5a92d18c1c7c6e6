"""A disk that does not answer: the command does not notice, the shell has its answer, and the owner waits for the disk.

On a real FUSE file system whose server is stopped: a process that has a file open there cannot even end, and whoever
looks up a path there hangs.  A stand-in shows none of this.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

from capture_core.catalog import Catalogue
from tests.commands import Here
from tests.faults.grounds import Fuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.source import Entry

MIB = 1024 * 1024
FIRST = b"before the disk stalled: \xe2\x82\xac\n"
MUCH = 64 * MIB
MEMORY_KIB = 160 * 1024
"""Of an owner whose queue of 8 MiB is full; it would hold all of ``MUCH``, transformed and not, otherwise."""
# It tells who its owner is, waits until it may go on, prints much, and leaves word that it has.
SCRIPT = r"""
printf 'before the disk stalled: €\n'; echo $PPID > "$1/owner"; read -r size < "$1/go"
head -c "$size" /dev/zero | tr '\0' x; echo done > "$1/ran-on"; exit 7
"""
SETTLE_SECONDS = "0.3"


@pytest.fixture
def fuse(tmp_path: Path) -> Iterator[Fuse]:
    with Fuse(tmp_path / "fuse") as fuse:
        yield fuse


class Stalling:
    """``capview run`` of the script on a disk that stalls when the first line is kept."""

    def __init__(self, fuse: Fuse, folder: Path, *options: str) -> None:
        self.fuse = fuse
        self.conversation = fuse.mount / "conv"
        self.folder = folder
        for name in ("owner", "go", "ran-on"):
            os.mkfifo(folder / name)
        words = [
            "capview",
            "run",
            "--conversation",
            str(self.conversation),
            *options,
            "--",
            "sh",
            "-c",
            SCRIPT,
            "sh",
            str(folder),
        ]
        env = {**os.environ, "CAPVIEW_SETTLE_SECONDS": SETTLE_SECONDS}
        with (folder / "out").open("wb") as out:
            self.front = subprocess.Popen(
                words, env=env, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE
            )
        self.owner = int((folder / "owner").read_text())
        self.owner_end = os.pidfd_open(self.owner)
        self._wait_until_kept()
        fuse.stall()

    def print(self, size: int) -> None:
        """Have the command print, and see it come to its end."""
        (self.folder / "go").write_text(f"{size}\n")
        assert (self.folder / "ran-on").read_text() == "done\n"

    def end(self) -> tuple[int, str]:
        """What the shell is given, while the disk is stalled still, and that nobody holds our end of its stderr."""
        _, said = self.front.communicate(timeout=20)
        return self.front.returncode, said.decode()

    def answer(self) -> None:
        """Let the disk answer, and wait for the owner's end."""
        self.fuse.go_on()
        poll = select.poll()
        poll.register(self.owner_end, select.POLLIN)
        assert poll.poll(30_000), "the owner did not end"

    def entry(self) -> Entry:
        """The capture as any reader sees it."""
        catalogue = Catalogue(str(self.conversation))
        catalogue.refresh()
        (entry,) = catalogue.listing().entries
        return entry

    def memory_kib(self) -> int:
        """The most that the owner ever had in memory."""
        status = Path(f"/proc/{self.owner}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1])

    def _wait_until_kept(self) -> None:
        kept: list[Path] = []
        while not kept or kept[0].read_bytes() != FIRST:
            assert self.front.poll() is None
            kept = [*self.fuse.backing.glob("conv/tool-outputs/shell/*.stdout.live")]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.fuse.go_on()
        os.close(self.owner_end)
        self.front.kill()
        self.front.communicate()


def files_on(disk: Path, pid: int) -> list[str]:
    """What a process has open on a disk, or works in: by its links alone, which nobody has to be asked for."""
    folder = Path(f"/proc/{pid}/fd")
    targets = [os.readlink(folder / name) for name in os.listdir(folder)]
    targets += [os.readlink(f"/proc/{pid}/{name}") for name in ("cwd", "root", "exe")]
    return [target for target in targets if target.startswith(str(disk))]


def test_the_shell_has_its_answer_while_the_disk_is_stalled(
    fuse: Fuse, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with Stalling(fuse, tmp_path) as run:
        assert files_on(fuse.mount, run.front.pid) == []
        assert files_on(fuse.mount, run.owner) != []
        run.print(MUCH)
        code, said = run.end()
        assert code == 7
        assert re.fullmatch(
            r"capview: the capture is not on disk yet; its owner goes on with tool-outputs/shell/\S+\n", said
        )
        assert (tmp_path / "out").stat().st_size == len(FIRST) + MUCH
        assert run.memory_kib() < MEMORY_KIB
        assert not select.select([run.owner_end], [], [], 0)[0], "the owner must be there still"
        run.answer()
        entry = run.entry()
        assert (entry.process.state, entry.process.exit_code) == ("exited", 7)
        assert (entry.capture.state, entry.capture.reason, entry.liveness) == ("partial", "writer-stalled", "final")
        facts = entry.receipt.streams["stdout"]
        assert (facts.observed, facts.pending) == (len(FIRST) + MUCH, 0)
        assert facts.accepted is not None
        assert (facts.accepted + (facts.discarded or 0), facts.end) == (facts.observed, facts.retained)
        whole = FIRST + b"x" * MUCH
        code, text, _ = Here(run.conversation, capfdbinary)(
            "read", entry.receipt.ref, "--stream", "stdout", "--max-bytes", "1GiB"
        )
        assert (code, len(text)) == (0, facts.end)
        assert len(FIRST) <= len(text) < len(whole)
        assert whole.startswith(text)


def test_what_fits_the_queue_is_kept_when_the_disk_answers(fuse: Fuse, tmp_path: Path) -> None:
    with Stalling(fuse, tmp_path) as run:
        run.print(1000)
        code, said = run.end()
        assert (code, "its owner goes on" in said) == (7, True)
        run.answer()
        entry = run.entry()
        assert (entry.capture.state, entry.process.exit_code) == ("complete", 7)
        assert entry.receipt.streams["stdout"].end == len(FIRST) + 1000


def test_an_owner_killed_at_a_stalled_disk_has_died(fuse: Fuse, tmp_path: Path) -> None:
    with Stalling(fuse, tmp_path) as run:
        run.print(MUCH)
        assert run.end()[0] == 7
        os.kill(run.owner, signal.SIGKILL)
        run.answer()
        entry = run.entry()
        assert (entry.capture.state, entry.capture.reason) == ("partial", "owner-died")
        assert entry.liveness == "owner-died"
        assert entry.process.state == "unknown"


def test_until_the_disk_answers_readers_see_a_held_lock(fuse: Fuse, tmp_path: Path) -> None:
    """They come to see it with the disk's first answer: the owner's next write is behind theirs, or it has ended."""
    with Stalling(fuse, tmp_path) as run:
        run.print(1000)
        assert run.end()[0] == 7
        os.kill(run.owner, signal.SIGSTOP)
        fuse.go_on()
        entry = run.entry()
        assert (entry.liveness, entry.capture.state) == ("live", "pending")
        assert entry.streams[0].committed is not None
        assert entry.streams[0].committed >= len(FIRST)
        os.kill(run.owner, signal.SIGCONT)
        run.answer()
        assert run.entry().capture.state == "complete"


@pytest.mark.parametrize(("options", "told"), [((), FIRST), (("--quiet",), b""), (("--json",), None)])
def test_a_job_promoted_while_its_disk_stalls_gives_its_ref_out(
    fuse: Fuse, tmp_path: Path, options: tuple[str, ...], told: bytes | None
) -> None:
    """Fails where the word on the disk, on stderr, takes the ref's place.  Who reads JSON is given no bare ref."""
    with Stalling(fuse, tmp_path, *options, "--promote-after", "2s") as run:
        code, said = run.end()
        run.print(1000)
        run.answer()
        entry = run.entry()
        out = (tmp_path / "out").read_bytes()
        if told is not None:
            assert (code, out) == (124, told + f"{entry.receipt.ref}\n".encode())
        elif said:
            assert (code, out) == (124, b"")
        if said:
            assert said.endswith(f"its owner goes on with {entry.receipt.ref}\n")
        assert (entry.capture.state, entry.process.exit_code) == ("complete", 7)
