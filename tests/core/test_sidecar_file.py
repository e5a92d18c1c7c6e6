"""Sidecars of real captures: beside the text and after it, within their share, never in its way."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, Limits, Receipt
from capture_core.budget import Budget
from capture_core.directory import open_own
from capture_core.durable import NewFile
from capture_core.errors import PlaceRefused, SpawnFailed
from capture_core.facts import CaptureState, SidecarFacts, SidecarKind, SidecarState
from capture_core.marks import Marks
from capture_core.sidecar import RECORD_BYTES, Mark, decode
from capture_core.sidecar_file import SidecarFile, Sidecars
from capture_core.styles import Attribute, Colour, ColourKind, Look, pack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RED = pack(Look(foreground=Colour(ColourKind.SIXTEEN, 1)))
BOLD = pack(Look(Attribute.BOLD))
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def run(place: Path, code: str, limits: Limits | None = None) -> tuple[Path, Receipt]:
    conversation = Conversation.open(str(place), limits=limits or Limits())
    receipt = conversation.start([sys.executable, "-c", code]).wait()
    assert receipt is not None
    return place / "tool-outputs" / "shell", receipt


def marks(folder: Path, receipt: Receipt, kind: SidecarKind, stream: str = "stdout") -> tuple[Mark, ...]:
    file = receipt.streams[stream].sidecars[kind].file
    assert file == f"{receipt.capture_id}.{stream}.{kind}"
    return decode((folder / file).read_bytes())


# -- a real child ---------------------------------------------------------------------------------------------------


def test_the_colours_of_a_child_stand_beside_its_text(tmp_path: Path) -> None:
    before = time.time_ns()
    output = f"plain \x1b[31mred\x1b[0m {TOKEN} \x1b[1mbold\n\x1b[0m"
    folder, receipt = run(tmp_path, f"print({output!r}, end='')")
    stdout = receipt.streams["stdout"]
    text = (folder / stdout.file).read_text()
    assert text == "plain red [redacted:gh-token] bold\n"
    bold = text.index("bold")
    assert marks(folder, receipt, SidecarKind.SGR) == ((6, RED), (9, 0), (bold, BOLD))
    [(offset, arrived), *_] = marks(folder, receipt, SidecarKind.TIMES)
    assert offset == 0
    assert before <= arrived <= time.time_ns()
    assert stdout.sidecars["sgr"] == SidecarFacts(
        file=f"{receipt.capture_id}.stdout.sgr", state=SidecarState.WHOLE, retained=3 * RECORD_BYTES, records=3
    )
    for kind in SidecarKind:
        assert (folder / f"{receipt.capture_id}.stdout.{kind}").stat().st_mode & 0o7777 == 0o400


def test_without_styles_there_is_no_file_of_them_and_without_text_none_at_all(tmp_path: Path) -> None:
    folder, receipt = run(tmp_path, "print('plain\\x1b[K\\n\\x1b[1m', end='')")
    assert list(receipt.streams["stdout"].sidecars) == ["times"]
    assert receipt.streams["stderr"].sidecars == {}
    assert sorted(path.suffix for path in folder.glob(f"{receipt.capture_id}.*")) == [".json", ".times", ".txt", ".txt"]


def test_text_has_the_time_at_which_it_came_not_that_of_its_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three prompts, each waited for: their times are apart as the answers were."""
    for module in ("handoff", "sidecar"):
        # Each time is recorded, however soon it comes.
        monkeypatch.setattr(f"capture_core.{module}.SIDECAR_TIME_NANOSECONDS", 0)
    gates, folder = [tmp_path / f"gate-{number}" for number in (1, 2, 3)], tmp_path / "c"
    for gate in gates:
        os.mkfifo(gate)
    conversation = Conversation.open(str(folder))
    job = conversation.start(["sh", "-c", f"for i in 1 2 3; do echo $i; read line < {tmp_path}/gate-$i; done"])
    live = next(iter(folder.glob("tool-outputs/shell/*.stdout.live")))
    told = []
    for number, gate in enumerate(gates, start=1):
        while live.stat().st_size < 2 * number:
            time.sleep(0.001)
        told.append(time.time_ns())
        gate.write_text("\n")
    receipt = job.wait()
    assert receipt is not None
    found = marks(live.parent, receipt, SidecarKind.TIMES)
    assert [offset for offset, _ in found] == [0, 2, 4]
    assert found[0][1] < told[0] < found[1][1] < told[1] < found[2][1] < told[2]


def test_a_reader_never_sees_a_record_beyond_the_text(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path))
    code = "import sys\nfor n in range(3000): print(f'\\x1b[{30 + n % 8}m{n}\\x1b[0m', flush=n % 50 == 0)"
    job = conversation.start([sys.executable, "-c", code])
    folder = tmp_path / "tool-outputs" / "shell"
    text = next(iter(folder.glob("*.stdout.live")))
    beyond, stop, looks = list[Mark](), threading.Event(), 0
    descriptor = os.open(text, os.O_RDONLY)

    def look() -> None:
        nonlocal looks
        while not stop.is_set():
            for sidecar in (*folder.glob("*.stdout.sgr"), *folder.glob("*.stdout.times")):
                found = decode(sidecar.read_bytes())
                beyond.extend(mark for mark in found[-1:] if mark.offset >= os.fstat(descriptor).st_size)
                looks += 1

    thread = threading.Thread(target=look)
    thread.start()
    receipt = job.wait()
    stop.set()
    thread.join()
    os.close(descriptor)
    assert receipt is not None
    assert looks
    assert beyond == []
    assert receipt.streams["stdout"].sidecars["sgr"].records > 3000


def test_a_full_sidecar_is_marked_and_the_text_is_complete(tmp_path: Path) -> None:
    limit = 16 * 1024
    code = "for n in range(1000): print(f'\\x1b[31m{n:03}\\x1b[0m', end=' ')"
    folder, receipt = run(tmp_path, code, Limits(capture_bytes=limit))
    stdout = receipt.streams["stdout"]
    assert (receipt.capture.state, stdout.retained) == (CaptureState.COMPLETE, 4000)
    sgr = stdout.sidecars["sgr"]
    found = marks(folder, receipt, SidecarKind.SGR)
    assert sgr.state is SidecarState.FULL
    assert sum(sidecar.retained for sidecar in stdout.sidecars.values()) <= limit // 8
    assert (sgr.records, sgr.retained) == (len(found), len(found) * RECORD_BYTES)
    assert found[0] == (0, RED)
    assert [offset for offset, _ in found][:5] == [0, 3, 4, 7, 8]
    assert found[-1].value == 0, "no style goes on that nothing is said of"
    assert sgr.end is not None
    assert found[-1].offset <= sgr.end <= found[-1].offset + 4


def test_sidecars_end_at_a_cut_and_take_nothing_from_the_text(tmp_path: Path) -> None:
    limit = 64 * 1024
    code = "for n in range(40_000): print(f'\\x1b[31m{n:03}\\x1b[0m')"
    folder, receipt = run(tmp_path, code, Limits(capture_bytes=limit))
    stdout = receipt.streams["stdout"]
    assert receipt.capture.state is CaptureState.PARTIAL
    beside = sum(sidecar.retained for sidecar in stdout.sidecars.values())
    assert (stdout.retained, beside <= limit // 8) == (limit, True)
    for kind in stdout.sidecars:
        assert all(offset < (stdout.retained or 0) for offset, _ in marks(folder, receipt, SidecarKind(kind)))


def test_a_limit_without_room_for_a_record_makes_no_file(tmp_path: Path) -> None:
    folder, receipt = run(tmp_path, "print('\\x1b[1mx\\x1b[0m')", Limits(capture_bytes=100))
    assert (folder / receipt.streams["stdout"].file).read_bytes() == b"x\n"
    assert receipt.capture.state is CaptureState.COMPLETE
    expected = SidecarFacts(file=None, state=SidecarState.FULL, retained=0, records=0, end=0)
    assert receipt.streams["stdout"].sidecars == {"sgr": expected, "times": expected}
    assert not [path for path in folder.iterdir() if path.suffix in (".sgr", ".times")]


def test_a_name_that_is_taken_fails_the_sidecar_and_not_the_text(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path))
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"read line < {gate}; echo hello"])
    folder = tmp_path / "tool-outputs" / "shell"
    [live] = folder.glob("*.stdout.live")
    taken = live.with_suffix(".times")
    taken.write_text("not ours")
    gate.write_text("\n")
    receipt = job.wait()
    assert receipt is not None
    assert receipt.capture.state is CaptureState.COMPLETE
    times = receipt.streams["stdout"].sidecars["times"]
    assert times == SidecarFacts(file=None, state=SidecarState.FAILED, retained=0, records=0, end=0)
    assert taken.read_text() == "not ours"


def test_a_command_that_cannot_be_started_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SpawnFailed):
        Conversation.open(str(tmp_path / "c")).start(["/nonexistent/command"])
    assert list(tmp_path.iterdir()) == []


# -- one file -------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Iterator[list[NewFile]]:
    made: list[NewFile] = []
    yield made
    for file in made:
        file.discard()


def sidecar(kind: SidecarKind, files: list[NewFile], place: Path, budget: Budget) -> SidecarFile:
    directory, _ = open_own(str(place))

    def make(kind: SidecarKind) -> tuple[str, NewFile]:
        files.append(NewFile(directory, directory, "scratch"))
        return f"x.{kind}", files[-1]

    return SidecarFile(kind, make, budget)


def content(files: list[NewFile]) -> tuple[Mark, ...]:
    return decode(os.pread(files[0].fd, 10**6, 0))


@pytest.mark.parametrize("kind", SidecarKind)
@pytest.mark.parametrize(
    "turns", [[[1, 2, 3, 4, 5, 6, 7]], [[1], [2, 3], [4, 5], [6], [7]], [[n] for n in range(1, 8)]]
)
def test_what_fits_does_not_depend_on_the_turns(
    kind: SidecarKind, turns: list[list[int]], files: list[NewFile], tmp_path: Path
) -> None:
    budget = Budget(8 * (4 * RECORD_BYTES + 3))
    file = sidecar(kind, files, tmp_path, budget)
    for turn in turns:
        file.append(Marks((number, 100 + number) for number in turn))
    whole = [(1, 101), (2, 102), (3, 103)]
    assert content(files) == ((*whole, (4, 0)) if kind is SidecarKind.SGR else (*whole, (4, 104)))
    facts = file.facts()
    assert (facts.state, facts.records, facts.end) == (SidecarState.FULL, 4, 4 if kind is SidecarKind.SGR else 5)
    assert budget.left_to_sidecars < RECORD_BYTES


def test_records_take_nothing_from_the_text(files: list[NewFile], tmp_path: Path) -> None:
    """Where a limit cut the text depended on when it arrived."""
    budget = Budget(1000)
    file = sidecar(SidecarKind.TIMES, files, tmp_path, budget)
    file.append(Marks([(0, 1)]))
    assert (budget.left, file.facts().state) == (1000, SidecarState.WHOLE)


def test_a_write_that_fails_half_way_counts_whole_records(files: list[NewFile], tmp_path: Path) -> None:
    file = sidecar(SidecarKind.TIMES, files, tmp_path, Budget(10**6))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * RECORD_BYTES + 5, hard))
    try:
        file.append(Marks([(1, 11), (2, 12), (3, 13), (4, 14)]))
        file.append(Marks([(5, 15)]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    facts = file.facts()
    assert (facts.state, facts.records, facts.end) == (SidecarState.FAILED, 2, 3)
    assert content(files) == ((1, 11), (2, 12))


def test_a_place_that_refuses_is_a_fact() -> None:
    def refuse(kind: SidecarKind) -> tuple[str, NewFile]:
        raise PlaceRefused(kind)

    sidecars = Sidecars(refuse, Budget(10**6))
    sidecars.append(0, 10, Marks([(3, RED)]), 7)
    sidecars.append(10, 20, Marks([(13, 0)]), None)
    sidecars.seal()
    sidecars.discard()
    failed = SidecarFacts(file=None, state=SidecarState.FAILED, retained=0, records=0, end=3)
    assert sidecars.facts() == {
        "sgr": failed,
        "times": SidecarFacts(file=None, state=SidecarState.FAILED, retained=0, records=0, end=0),
    }
