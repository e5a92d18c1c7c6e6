"""What is waited for in the foreground: given back whole and in no file when it is small, a capture when it is not.

The naive implementation collects output in memory and writes a file at the end: it fails by the folders that it leaves,
by an allowance or a quota that it does not ask, and by what it forgets to say of a cut.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from capture_core import Conversation, Limits, Receipt, Result, RunningJob
from capture_core.errors import BadInput, PlaceRefused, SpawnFailed, StreamGone
from capture_core.facts import CaptureReason, CaptureState, ProcessState
from capture_core.job import Job
from tests.faults.grounds import tmpfs


def ran(conversation: Conversation, *argv: str, **options: object) -> Result:
    result = conversation.run(argv, **options)  # type: ignore[arg-type]
    assert isinstance(result, Result)
    return result


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def new(tmp_path: Path, **limits: float) -> Conversation:
    return Conversation.open(str(tmp_path / "c"), limits=Limits(**limits))  # type: ignore[arg-type]


def test_a_small_result_is_given_back_and_leaves_nothing(tmp_path: Path) -> None:
    result = ran(new(tmp_path), "sh", "-c", "echo out; echo API_KEY=0123456789abcdef >&2; exit 7")
    assert (result.exit_code, result.ref, result.receipt.ref) == (7, None, "")
    assert result.texts == {"stdout": b"out\n", "stderr": b"API_KEY=[redacted:assignment]\n"}
    assert (result.text(), result.text("stderr")) == ("out\n", "API_KEY=[redacted:assignment]\n")
    assert result.receipt.capture.state is CaptureState.COMPLETE
    assert [stream.file for stream in result.receipt.streams.values()] == ["", ""]
    assert result.receipt.allowance is None, "nothing is retained, so nothing is counted"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("argv", [["true"], ["false"], ["sh", "-c", "printf 'no end'; kill -9 $$"]])
def test_so_is_one_that_prints_nothing_fails_or_is_killed(tmp_path: Path, argv: list[str]) -> None:
    result = ran(new(tmp_path), *argv)
    assert result.receipt.capture.state is CaptureState.COMPLETE
    assert result.exit_code == {"true": 0, "false": 1, "sh": None}[argv[0]]
    assert list(tmp_path.iterdir()) == []


def test_at_the_limits_of_a_preview(tmp_path: Path) -> None:
    conversation = new(tmp_path, preview_stdout_chars=100, preview_stderr_chars=10, preview_total_bytes=150)
    for text, kept in (("x" * 100, False), ("x" * 101, True), ("é" * 75, False), ("é" * 76, True)):
        assert (ran(conversation, "printf", "%s", text).texts is None) is kept, text
    assert ran(conversation, "sh", "-c", "printf 12345678901 >&2").texts is None
    assert ran(conversation, "sh", "-c", "printf 1234567890 >&2").texts is not None


def test_what_has_outgrown_it_is_what_a_job_in_the_background_leaves(tmp_path: Path) -> None:
    conversation = new(tmp_path)
    code = "seq 5000; printf '\\033[31mred\\033[0m\\n'"
    started = conversation.start(["sh", "-c", code]).wait()
    result = ran(conversation, "sh", "-c", code)
    assert started is not None
    assert (result.texts, result.ref) == (None, result.receipt.ref)
    ours, theirs = result.receipt.streams["stdout"], started.streams["stdout"]
    assert (ours.sha256, ours.lines, ours.retained) == (theirs.sha256, theirs.lines, theirs.retained)
    assert ours.sidecars["sgr"].records == theirs.sidecars["sgr"].records
    assert result.text().endswith("5000\nred\n")
    with pytest.raises(StreamGone):
        result.text("content")
    assert "capview read" in result.render_inline(300)


@pytest.mark.parametrize("kept", [0, 10, 5_000, 20_000])
def test_of_an_allowance_it_takes_what_a_job_in_the_background_would(tmp_path: Path, kept: int) -> None:
    receipts: list[Receipt] = []
    for name in ("background", "foreground"):
        conversation = Conversation.open(str(tmp_path / name), limits=Limits(conversation_bytes=kept))
        if name == "background":
            receipt = conversation.start(["seq", "5000"]).wait()
            assert receipt is not None
            receipts.append(receipt)
        else:
            receipts.append(ran(conversation, "seq", "5000").receipt)
    ours, theirs = (receipt.streams["stdout"] for receipt in reversed(receipts))
    assert (ours.retained, ours.reason, ours.sha256) == (theirs.retained, theirs.reason, theirs.sha256)
    assert ours.reason is CaptureReason.CONVERSATION_QUOTA


def test_a_full_conversation_gives_small_results_as_ever(tmp_path: Path) -> None:
    conversation = new(tmp_path, conversation_bytes=0)
    assert ran(conversation, "echo", "hi").receipt.capture.state is CaptureState.COMPLETE


@pytest.mark.parametrize("budget", ["5", 2.5, 0, -1, True, 4 * 1024 * 1024 + 1])
def test_what_is_no_budget_is_refused_in_one_line(tmp_path: Path, budget: object) -> None:
    conversation = new(tmp_path)
    job = conversation.start(["true"])
    job.join()
    for given in (ran(conversation, "echo", "hi"), job):
        with pytest.raises(BadInput, match=r"^budget must be a whole number of bytes, 1 to 4194304, not "):
            given.render_inline(budget)  # type: ignore[arg-type]


def test_a_quota_of_0_is_said(tmp_path: Path) -> None:
    result = ran(new(tmp_path, capture_bytes=0), "echo", "hi")
    assert (result.receipt.capture.state, result.receipt.capture.reason) == (CaptureState.FAILED, CaptureReason.QUOTA)
    assert result.texts == {"stdout": b"", "stderr": b""}
    assert "hi\n" in result.render_inline()
    assert list(tmp_path.iterdir()) == []


def test_a_timeout_is_one(tmp_path: Path) -> None:
    result = ran(new(tmp_path), "sh", "-c", "echo up; exec sleep 60", timeout=0.2)
    assert result.receipt.process.state is ProcessState.TIMEOUT
    assert list(tmp_path.iterdir()) == []


def test_one_who_holds_the_pipe_is_waited_for_no_longer_than_the_drain_window(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    result = ran(new(tmp_path, drain_seconds=0.05), "sh", "-c", f"(read x < {gate}; echo late) & echo now")
    assert result.receipt.capture.reason is CaptureReason.DRAIN_TIMEOUT
    assert result.text() == "now\n"
    gate.write_text("go\n")
    result.join()
    assert list(tmp_path.iterdir()) == [gate]


def test_binary_output_is_left_out_with_a_mark(tmp_path: Path) -> None:
    result = ran(new(tmp_path), "head", "-c", "3000", sys.executable)
    assert result.receipt.capture.reason is CaptureReason.BINARY_OMITTED
    assert result.texts is not None
    assert b"\0" not in result.texts["stdout"]


def test_exact_bytes_are_always_in_files(tmp_path: Path) -> None:
    result = ran(new(tmp_path), "printf", "\\000\\377", raw_binary=True)
    assert result.texts is None
    assert Path(tmp_path, "c", "tool-outputs", "shell", result.receipt.streams["stdout"].file).read_bytes() == b"\0\xff"


def test_what_is_not_started_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SpawnFailed):
        new(tmp_path).run(["no-such-command-at-all"])
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_for_its_receipt_refuses_a_command_before_it_runs(tmp_path: Path) -> None:
    # A small disk of its own: what does not fit is taken as far as it goes before that is known.
    with tmpfs(tmp_path / "disk", "size=1m") as disk:
        conversation = Conversation.open(str(disk / "c"), limits=Limits(receipt_bytes=2**21))
        with pytest.raises(PlaceRefused):
            conversation.run(["touch", str(disk / "ran")])
        assert list(disk.iterdir()) == []


def test_what_others_made_beside_it_stays(tmp_path: Path) -> None:
    conversation = new(tmp_path)

    def keep_one(_job: RunningJob) -> None:
        assert conversation.start(["echo", "kept"]).wait() is not None

    ran(conversation, "echo", "hi", on_start=keep_one)
    assert any(name.endswith(".stdout.txt") for name in files(tmp_path))


HOST = """
import os, signal, sys
from capture_core import Conversation
def die(job):
    print("up", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
Conversation.open(sys.argv[1]).run(["sh", "-c", "echo hi; sleep 60"], on_start=die)
"""


def test_a_host_that_is_killed_leaves_no_file_of_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOST, str(tmp_path / "c")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (-9, "up\n")
    assert files(tmp_path) == ["c/tool-outputs/.gitignore"]


def test_what_ends_the_waiting_ends_the_command(tmp_path: Path) -> None:
    jobs: list[RunningJob] = []

    def interrupt(job: RunningJob) -> None:
        jobs.append(job)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        new(tmp_path).run(["sleep", "60"], on_start=interrupt)
    receipt = jobs[0].wait(0)
    assert receipt is not None
    assert receipt.process.state is ProcessState.CANCELLED


@pytest.mark.parametrize("count", [1, 100_000])
def test_the_text_of_one_stream_needs_no_name_and_a_wrong_one_is_told_those_there_are(
    tmp_path: Path, count: int
) -> None:
    """``text()`` of a small result with ``merge`` said that a capture is unknown, of which there was none."""
    result = new(tmp_path).run(["seq", str(count)], merge=True)
    assert isinstance(result, Result)
    assert result.text().startswith("1\n")
    assert result.text() == result.text("output")
    with pytest.raises(StreamGone, match=r"no stream 'stdout' is here; there is: output"):
        result.text("stdout")


def test_a_text_that_cannot_be_noted_is_given_and_says_so(tmp_path: Path) -> None:
    """Whoever handed it out was sure that it can be shown again."""
    result = ran(new(tmp_path), "seq", "100000")
    assert (result.render_inline(300) != "", result.unnoted) == (True, None)
    shown = tmp_path / "c" / ".capview" / "shown"
    shown.rename(shown.with_name("away"))
    shown.write_text("")
    assert result.render_inline(300)
    assert "no directory" in (result.unnoted or "")


def test_it_renders_the_same_in_threads_other_than_the_one_that_ran_it(tmp_path: Path) -> None:
    """Fails where what reads the capture, or notes what was given, belongs to the thread that made it."""
    for argv in (("echo", "small"), ("seq", "20000")):
        result = ran(new(tmp_path), *argv)
        expected = result.render_inline(2000)
        with ThreadPoolExecutor(max_workers=4) as threads:
            given = [threads.submit(result.render_inline, 2000) for _ in range(8)]
        assert {one.result() for one in given} == {expected}
        assert result.unnoted is None


def test_calls_on_completion_are_made_when_supervising_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waited for the call, and not for the job, waited for ever."""

    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(Job, "_exited", fail)
    job = new(tmp_path).start(["sh", "-c", "sleep 0.1"])
    called: list[RunningJob] = []
    job.on_complete(called.append)
    with pytest.raises(RecursionError):
        job.join()
    assert called == [job]
