"""One child under capture, from launch to receipt: real children, real pipes, the library's thread as owner."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, Limits, Receipt, RunningJob, writer
from capture_core.capture import Capture
from capture_core.catalog import Catalogue
from capture_core.errors import EngineUnavailable, PlaceRefused, SpawnFailed
from capture_core.facts import CaptureReason, CaptureState, EndReason, ProcessState, RequestKind
from capture_core.happenings import Signal
from capture_core.job_state import JobState, Promotion
from capture_core.masking import EngineMasking
from capture_core.request import ask_owner
from tests.core.test_parts import refuse_thread

if TYPE_CHECKING:
    from capture_core.receipt import Request
    from capture_core.source import Entry

PYTHON = sys.executable


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation.open(str(tmp_path / "conversation"))


def finished(conversation: Conversation, *argv: str, merge: bool = False) -> Receipt:
    receipt = conversation.start(argv, merge=merge).wait()
    assert receipt is not None
    return receipt


def folder(conversation: Conversation) -> Path:
    return Path(conversation.path) / "tool-outputs" / "shell"


def text(conversation: Conversation, receipt: Receipt, stream: str = "stdout") -> bytes:
    return (folder(conversation) / receipt.streams[stream].file).read_bytes()


def script(code: str) -> tuple[str, ...]:
    return (PYTHON, "-c", code)


def test_both_streams_exit_code_and_a_complete_capture(conversation: Conversation) -> None:
    receipt = finished(conversation, "sh", "-c", "echo out; echo err >&2; exit 7")
    assert text(conversation, receipt) == b"out\n"
    assert text(conversation, receipt, "stderr") == b"err\n"
    assert (receipt.process.state, receipt.process.exit_code, receipt.process.signal) == (ProcessState.EXITED, 7, None)
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.COMPLETE, None)
    stdout = receipt.streams["stdout"]
    assert (stdout.observed, stdout.accepted, stdout.pending, stdout.discarded) == (4, 4, 0, 0)
    assert (stdout.retained, stdout.end, stdout.lines, stdout.final_newline, stdout.eof) == (4, 4, 1, True, True)
    assert stdout.sha256 == hashlib.sha256(b"out\n").hexdigest()


def test_a_signal_is_a_signal_and_never_0(conversation: Conversation) -> None:
    receipt = finished(conversation, "sh", "-c", "echo last words; kill -9 $$")
    assert (receipt.process.exit_code, receipt.process.signal) == (None, signal.SIGKILL)
    assert text(conversation, receipt) == b"last words\n"
    assert receipt.capture.state is CaptureState.COMPLETE


def test_the_final_receipt_is_last_and_alone(conversation: Conversation) -> None:
    receipt = finished(conversation, "echo", "hi")
    names = sorted(path.name for path in folder(conversation).iterdir())
    assert names == sorted(
        f"{receipt.capture_id}.{end}" for end in ("json", "stderr.txt", "stdout.times", "stdout.txt")
    )
    assert all(path.stat().st_mode & 0o777 == 0o400 for path in folder(conversation).iterdir())
    stored = json.loads((folder(conversation) / f"{receipt.capture_id}.json").read_text())
    assert stored["ref"] == f"tool-outputs/shell/{receipt.capture_id}"
    assert stored["capture"] == {"state": "complete", "reason": None}
    assert str(conversation.path) not in json.dumps(stored), "a receipt holds no local path"


def test_the_live_receipt_is_there_before_the_child_runs_and_the_inode_stays(
    conversation: Conversation, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"ls {folder(conversation)}; read x < {gate}"])
    live = folder(conversation) / f"{job.ref.rsplit('/', 1)[1]}.stdout.live"
    inode = live.stat().st_ino
    gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    seen = text(conversation, receipt).decode().split()
    assert seen == sorted(f"{receipt.capture_id}.{end}" for end in ("live.json", "stderr.live", "stdout.live"))
    assert (folder(conversation) / receipt.streams["stdout"].file).stat().st_ino == inode
    assert not live.exists()


def test_a_quota_cuts_at_its_byte_and_the_child_runs_on(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path), limits=Limits(capture_bytes=1000))
    receipt = finished(conversation, *script("print('x' * 99 + '\\n' + 'y' * 5_000_000); print('the end'); exit(5)"))
    stdout = receipt.streams["stdout"]
    assert (receipt.process.exit_code, receipt.capture.reason) == (5, CaptureReason.QUOTA)
    assert (stdout.retained, stdout.observed) == (1000, 100 + 5_000_001 + 8)
    assert stdout.observed == (stdout.accepted or 0) + (stdout.discarded or 0)
    assert stdout.uncommitted
    assert (receipt.preview["stdout"].tail_text or "").endswith("y\nthe end\n")
    assert len(text(conversation, receipt)) == 1000


@pytest.mark.parametrize("size", [65535, 65536, 65537, 2**20, 4 * 2**20 + 1])
def test_one_long_line_is_one_line(conversation: Conversation, size: int) -> None:
    receipt = finished(conversation, *script(f"import os; os.write(1, b'z' * 10); print('a' * {size}, end='')"))
    assert text(conversation, receipt) == b"z" * 10 + b"a" * size
    assert (receipt.streams["stdout"].lines, receipt.streams["stdout"].final_newline) == (0, False)


def test_no_last_line_is_lost_at_an_instant_exit(conversation: Conversation) -> None:
    jobs = [conversation.start(script(f"import os; os.write(1, b'{n} done'); os._exit(0)")) for n in range(20)]
    for n, job in enumerate(jobs):
        receipt = job.wait()
        assert receipt is not None
        assert text(conversation, receipt) == f"{n} done".encode()


def test_merged_streams_keep_their_order(conversation: Conversation) -> None:
    receipt = finished(conversation, "sh", "-c", "echo 1; echo 2 >&2; echo 3; echo 4 >&2", merge=True)
    assert text(conversation, receipt, "output") == b"1\n2\n3\n4\n"
    assert set(receipt.streams) == {"output"}


def test_a_holder_of_the_pipe_is_waited_for_no_longer_than_the_drain_window(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path / "c"), limits=Limits(drain_seconds=0.05))
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"(read x < {gate}; echo late; echo $? > {tmp_path}/survived) & echo now"])
    receipt = job.wait()
    assert receipt is not None
    assert text(conversation, receipt) == b"now\n"
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.DRAIN_TIMEOUT)
    assert receipt.process.exit_code == 0
    survived = tmp_path / "survived"
    os.mkfifo(survived)
    gate.write_text("go\n")
    assert survived.read_text() == "0\n", "what is left behind must not die of a closed pipe"
    assert text(conversation, receipt) == b"now\n", "a final never changes"


def test_cancelling_ends_the_whole_group_and_keeps_the_code(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path), limits=Limits(kill_grace_seconds=0.05))
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    job = conversation.start(["sh", "-c", f"trap '' TERM; echo started; echo x > {ready}; while :; do sleep 1; done"])
    ready.read_text()
    job.cancel("not needed password=hunter2hunter2")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.state, receipt.process.signal) == (ProcessState.CANCELLED, signal.SIGKILL)
    assert receipt.process.reason is not None
    assert receipt.process.reason.kind is EndReason.USER
    assert "hunter2" not in receipt.process.reason.words
    assert text(conversation, receipt) == b"started\n"


@pytest.mark.parametrize("listens", [True, False])
def test_a_group_is_ended_whole_also_when_its_leader_goes_first(tmp_path: Path, *, listens: bool) -> None:
    """Kill reached the shell only, and the tree lived on."""
    conversation = Conversation.open(str(tmp_path / "c"), limits=Limits(kill_grace_seconds=0.1))
    up = tmp_path / "up"
    os.mkfifo(up)
    ignore = "" if listens else "trap '' TERM; "
    job = conversation.start(["sh", "-c", f"({ignore}sh -c 'echo $$ > {up}; exec sleep 60') & wait"])
    tree = int(up.read_text())
    job.cancel()
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.state, receipt.process.signal) == (ProcessState.CANCELLED, signal.SIGTERM)
    assert receipt.capture.state is CaptureState.COMPLETE, "nobody holds the pipes any more"
    job.join()
    assert not Path(f"/proc/{tree}").exists() or " Z " in Path(f"/proc/{tree}/stat").read_text()


def entry_of(conversation: Conversation) -> Entry:
    catalogue = Catalogue(conversation.path)
    catalogue.refresh()
    (entry,) = catalogue.listing().entries
    return entry


def test_a_request_file_cancels_the_job_and_is_taken_away(conversation: Conversation) -> None:
    job = conversation.start(["sh", "-c", "echo up; exec sleep 60"])
    ask_owner(conversation.path, entry_of(conversation), RequestKind.CANCEL, "no API_TOKEN=hunter2hunter2 needed")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.state, receipt.process.signal) == (ProcessState.CANCELLED, signal.SIGTERM)
    assert receipt.process.reason is not None
    assert "API_TOKEN=[redacted:" in receipt.process.reason.words
    assert not list(folder(conversation).glob("*.request"))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"[]", b'{"kind": "explode", "reason": ""}', b"[" * 100_000])
def test_a_request_that_is_none_is_taken_away_and_nothing_happens(
    conversation: Conversation, tmp_path: Path, data: bytes
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    wait_until_gone = 'read x < $1; while [ -n "$(ls $0/*.request)" ]; do sleep 0.01; done'
    job = conversation.start(["sh", "-c", wait_until_gone, str(folder(conversation)), str(gate)])
    (folder(conversation) / f"{job.ref.rsplit('/', 1)[1]}.request").write_bytes(data)
    gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.process.state, receipt.process.exit_code) == (ProcessState.EXITED, 0)
    assert not list(folder(conversation).glob("*.request"))


def test_a_timeout_is_a_timeout(conversation: Conversation) -> None:
    receipt = conversation.start(["sleep", "60"], timeout=0.05).wait()
    assert receipt is not None
    assert (receipt.process.state, receipt.process.signal) == (ProcessState.TIMEOUT, signal.SIGTERM)


@pytest.mark.parametrize("argv", [["no-such-command-at-all"], ["/etc/passwd"], ["a\0b"]])
def test_a_child_that_cannot_start_leaves_nothing_behind(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(SpawnFailed) as failed:
        Conversation.open(str(tmp_path / "new" / "c")).start(argv)
    assert "\n" not in str(failed.value)
    assert list(tmp_path.iterdir()) == []


def test_a_script_without_a_first_line_runs_as_in_a_shell(conversation: Conversation, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("echo ran with $1\n")
    plain.chmod(0o700)
    assert text(conversation, finished(conversation, str(plain), "me")) == b"ran with me\n"


def test_a_place_that_is_refused_starts_no_child(tmp_path: Path) -> None:
    (tmp_path / "tool-outputs").symlink_to(tmp_path)
    with pytest.raises(PlaceRefused):
        Conversation.open(str(tmp_path)).start(["touch", str(tmp_path / "ran")])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tool-outputs"]


def test_a_job_is_not_ending_for_a_hangup_that_its_child_ignores(conversation: Conversation, tmp_path: Path) -> None:
    """Whoever asked was told that a nohup'ed command was being ended, for as long as it ran."""
    gate, up = tmp_path / "gate", tmp_path / "up"
    for fifo in (gate, up):
        os.mkfifo(fifo)
    job = conversation.start(["sh", "-c", f"trap '' HUP; echo > {up}; read x < {gate}; echo > {up}; read x < {gate}"])
    up.read_text()
    job._job.ask(Signal(signal.SIGHUP))
    gate.write_text("go\n")
    up.read_text()
    assert job.promote() is Promotion.BACKGROUND
    assert job.state is JobState.RUNNING
    gate.write_text("go\n")
    assert job.wait() is not None


def test_a_request_whose_words_cannot_be_masked_ends_the_job_all_the_same(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It raised in the writer's thread: the capture was lost, and the job went on."""
    job = conversation.start(["sh", "-c", "echo up; exec sleep 60"])
    monkeypatch.setattr(job._job, "_mask", refuse_to_mask)
    job.cancel("password=hunter2hunter2")
    receipt = job.wait()
    assert receipt is not None
    assert receipt.process.reason is not None
    assert receipt.process.reason.words == "(the reason could not be masked, and is left out)"
    assert receipt.capture.state is CaptureState.COMPLETE


def test_whoever_stops_waiting_needs_no_mask_to_end_the_command(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not mask our own words took the place of the interrupt, and the command ran on."""
    started: list[RunningJob] = []

    def interrupt(job: RunningJob) -> None:
        started.append(job)
        monkeypatch.setattr(EngineMasking, "line", lambda _, text: refuse_to_mask(text))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        conversation.run(["sleep", "60"], on_start=interrupt)
    assert started[0].state is JobState.OVER


def refuse_to_mask(text: str) -> str:
    raise EngineUnavailable(f"no engine for {len(text)} characters")


@pytest.mark.parametrize("refused", ["digest", "write-back"])
def test_a_large_capture_is_sealed_where_no_thread_is_to_be_had(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    refuse_thread(monkeypatch, refused)
    receipt = finished(conversation, "seq", "900000")
    assert receipt.capture.state is CaptureState.COMPLETE
    assert receipt.streams["stdout"].sha256 == hashlib.sha256(text(conversation, receipt)).hexdigest()


def test_a_digest_that_fails_is_never_called_complete(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest of nothing stood in a complete receipt when the hashing thread had died of something unexpected."""
    monkeypatch.setitem(sys.modules, "hashlib", None)
    receipt = finished(conversation, "seq", "900000")
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.WRITE_ERROR)
    assert receipt.streams["stdout"].sha256 is None


def test_text_that_no_encoder_takes_does_not_lose_the_capture(conversation: Conversation) -> None:
    job = conversation.start(["echo", "hi"], label="cut emoji \ud83d", call_id="\ud83d")
    receipt = job.wait()
    assert receipt is not None
    assert (receipt.label, receipt.capture.state) == ("cut emoji ?", CaptureState.COMPLETE)


def test_a_folder_in_the_place_of_a_request_is_left_alone(conversation: Conversation, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"read x < {gate}; sleep 0.7"])
    planted = folder(conversation) / f"{job.ref.rsplit('/', 1)[1]}.request"
    planted.mkdir()
    gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    assert receipt.capture.state is CaptureState.COMPLETE
    assert planted.is_dir()


def test_without_an_engine_nothing_is_started_unmasked(
    conversation: Conversation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("capture_core.masking.find_spec", lambda _name: None)
    with pytest.raises(EngineUnavailable):
        conversation.start(["touch", str(tmp_path / "ran")])
    assert list(tmp_path.iterdir()) == []


def test_the_child_gets_none_of_our_descriptors(conversation: Conversation) -> None:
    receipt = finished(conversation, *script("import os; print(*sorted(map(int, os.listdir('/proc/self/fd'))))"))
    assert text(conversation, receipt).split() == [b"0", b"1", b"2", b"3"], "3 is the listing's own"


def test_many_jobs_leave_no_thread_descriptor_or_zombie(conversation: Conversation) -> None:
    def resources() -> tuple[int, int]:
        gc.collect()
        return threading.active_count(), len(os.listdir("/proc/self/fd"))

    finished(conversation, "true")
    before = resources()
    jobs = [conversation.start(["echo", str(n)]) for n in range(30)]
    for job in jobs:
        assert job.wait() is not None
        job.join()
    assert resources() == before
    for job in jobs:
        with pytest.raises(ChildProcessError):
            os.waitpid(job.pid, os.WNOHANG)


def test_the_stored_text_of_a_random_binary_stream_accounts_for_every_byte(conversation: Conversation) -> None:
    receipt = finished(conversation, *script("import os; os.write(1, bytes(range(256)) * 300)"))
    stdout = receipt.streams["stdout"]
    assert stdout.observed == 256 * 300
    assert stdout.observed == (stdout.accepted or 0) + (stdout.discarded or 0)
    text(conversation, receipt).decode()


def test_a_job_that_prints_nothing_does_not_have_its_live_receipt_rewritten(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each look for a request counted as a change, so an idle job's receipt was replaced every second."""
    looks: list[int] = []
    replaced: list[bool] = []
    looked_often = threading.Event()
    take_request, replace_live = Capture.take_request, Capture.replace_live

    def look(capture: Capture) -> Request | None:
        looks.append(len(replaced))
        if len(looks) == 50:
            looked_often.set()
        return take_request(capture)

    def replace(capture: Capture, *, finalizing: bool = False) -> bool:
        replaced.append(finalizing)
        return replace_live(capture, finalizing=finalizing)

    monkeypatch.setattr(writer, "REQUEST_SECONDS", 0.001)
    monkeypatch.setattr(Capture, "take_request", look)
    monkeypatch.setattr(Capture, "replace_live", replace)
    os.mkfifo(tmp_path / "gate")
    quick = Conversation.open(conversation.path, limits=Limits(live_receipt_seconds=0.0))
    job = quick.start(["sh", "-c", f"read x < {tmp_path}/gate"])
    looked_often.wait(20)
    assert looks[-1] == looks[2], "something was replaced between one look and another"
    (tmp_path / "gate").write_text("go\n")
    job.wait()


def test_where_files_may_only_be_small_the_receipt_does_without_the_last_words(tmp_path: Path) -> None:
    """The receipt of a log that was cut was itself too large for the limit that had cut it, and lost."""
    place = tmp_path / "c"
    command = f"ulimit -f 8; exec capview run --quiet --conversation {place} -- sh -c 'seq 1 3000; exit 3'"
    done = subprocess.run(["sh", "-c", command], check=False, capture_output=True)
    assert done.returncode == 3, done.stderr
    [final] = (place / "tool-outputs" / "shell").glob("*.json")
    receipt = json.loads(final.read_text())
    assert receipt["capture"] == {"state": "partial", "reason": "write-error"}
    assert receipt["preview"] == {}
