"""When what is waited for in the foreground comes to be seen: once it says much or takes long; and where it cannot be.

The naive implementation names files when the text outgrows a preview and never else: a hung command is then nowhere,
and it fails by finding, cancelling and promoting nothing.
"""

from __future__ import annotations

import os
from threading import Event, Thread
from time import sleep
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, JobState, Limits, Result, RunningJob
from capture_core.capture_files import CaptureFiles
from capture_core.errors import NameTaken
from capture_core.facts import CaptureReason, CaptureState, ProcessState, StreamName
from capture_core.masking import EngineMasking
from tests.commands import Here

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "c", capfdbinary)


def new(tmp_path: Path, **limits: float) -> Conversation:
    return Conversation.open(str(tmp_path / "c"), limits=Limits(**limits))  # type: ignore[arg-type]


def files(folder: Path) -> set[str]:
    return {path.name.partition(".")[2] for path in folder.glob("tool-outputs/shell/*")}


def is_there(conversation: Conversation, job: RunningJob) -> bool:
    return os.path.exists(f"{conversation.path}/{job.ref}.live.json")


def run(conversation: Conversation, script: str, meanwhile: Callable[[RunningJob], object]) -> Result | RunningJob:
    """Run it, and do ``meanwhile`` once the job can be seen."""

    def seen(job: RunningJob) -> None:
        while not is_there(conversation, job):
            assert job.state is JobState.RUNNING
            sleep(0.01)
        meanwhile(job)

    threads: list[Thread] = []

    def begin(job: RunningJob) -> None:
        threads.append(Thread(target=seen, args=(job,)))
        threads[0].start()

    result = conversation.run(["sh", "-c", script], on_start=begin)
    threads[0].join()
    return result


def test_a_job_that_is_waited_for_long_can_be_found_and_cancelled(tmp_path: Path, here: Here) -> None:
    conversation = new(tmp_path, unseen_seconds=0.05)
    other = conversation.start(["true"])
    other.join()
    found: list[bytes] = []

    def cancel(job: RunningJob) -> None:
        found.append(here("ls", "--running", "--json")[1])
        found.append(job.ref.encode())
        assert here("cancel", "@last")[0] == 0

    result = run(conversation, "echo on; exec sleep 60", cancel)
    assert found[1] in found[0]
    assert isinstance(result, Result)
    assert (result.receipt.process.state, result.ref) == (ProcessState.CANCELLED, found[1].decode())
    assert (result.texts, result.text()) == (None, "on\n")


def test_it_ends_as_a_capture_though_it_is_small(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    result = run(new(tmp_path, unseen_seconds=0.05), f"read x < {gate}; exit 5", lambda _: gate.write_text("go\n"))
    assert isinstance(result, Result)
    assert (result.texts, result.exit_code, result.text()) == (None, 5, "")
    assert result.receipt.capture.state is CaptureState.COMPLETE
    assert files(tmp_path / "c") == {"json", "stdout.txt", "stderr.txt"}
    assert result.render_inline() == "[capview: exit 5, log complete; no output]\n"


def test_how_long_we_took_to_begin_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()
    load = EngineMasking.line

    def slow(masking: EngineMasking, text: str) -> str:
        ended.wait()
        return load(masking, text)

    monkeypatch.setattr(EngineMasking, "line", slow)

    def ends(job: RunningJob) -> None:
        while job.state is JobState.RUNNING:
            sleep(0.01)
        ended.set()

    result = new(tmp_path, unseen_seconds=0).run(["echo", "quick"], on_start=ends)
    assert isinstance(result, Result)
    assert (result.ref, result.text()) == (None, "quick\n")


def test_it_can_be_promoted_by_others(tmp_path: Path, here: Here) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = run(new(tmp_path, unseen_seconds=0.05), f"read x < {gate}", lambda _: here("promote", "@last"))
    assert isinstance(job, RunningJob)
    gate.write_text("go\n")
    receipt = job.wait()
    assert receipt is not None
    assert receipt.streams["stdout"].adopted_at == 0


def test_what_could_get_no_names_after_long_is_given_back_when_it_is_small(tmp_path: Path) -> None:
    script = f"rm -r {tmp_path}/c; sleep 1.2; echo all of it; exit 4"
    result = new(tmp_path, unseen_seconds=0.05).run(["sh", "-c", script])
    assert isinstance(result, Result)
    assert (result.exit_code, result.ref, result.text()) == (4, None, "all of it\n")
    assert result.receipt.capture.state is CaptureState.COMPLETE


def test_of_a_large_text_that_could_get_no_names_both_ends_are_given_back_and_the_rest_is_loss(tmp_path: Path) -> None:
    conversation = new(tmp_path)
    result = conversation.run(["sh", "-c", f"rm -r {tmp_path}/c; seq 100000; exit 3"])
    assert isinstance(result, Result)
    assert result.texts is not None
    stdout = result.receipt.streams["stdout"]
    assert stdout.retained == len(result.texts["stdout"])
    assert len(result.texts["stdout"]) <= Limits().preview_stdout_chars
    assert stdout.reason is CaptureReason.WRITE_ERROR
    assert (stdout.accepted or 0) + (stdout.discarded or 0) == stdout.observed == 588_895
    assert stdout.uncommitted == (stdout.accepted or 0) - len(result.texts["stdout"])
    assert result.receipt.streams["stderr"].state is CaptureState.COMPLETE
    end = result.receipt.preview["stdout"].tail_text
    assert end is not None
    assert len(end) <= Limits().tail_text_bytes
    assert end.endswith("\n99999\n100000\n")
    text = result.render_inline()
    assert text.startswith("[capview: exit 3, log cut: a write failed, its end kept; stdout]\n1\n2\n")
    assert text.endswith("\n100000\n")


def test_names_that_could_not_all_be_had_can_be_had_later(tmp_path: Path) -> None:
    place = str(tmp_path / "c")
    capture = "20261130T120000Z-aaaaaaaaaaaaaaaa"
    made = CaptureFiles(place, "shell", capture)
    stdout = made.make_stream(StreamName.STDOUT)
    made.make_stream(StreamName.STDERR)
    folder = tmp_path / "c" / "tool-outputs" / "shell"
    in_the_way = folder / f"{capture}.stderr.live"
    in_the_way.write_text("somebody's")
    with pytest.raises(NameTaken):
        made.give_names(b"{}")
    assert files(tmp_path / "c") == {"stderr.live"}
    in_the_way.unlink()
    made.give_names(b"{}")
    assert files(tmp_path / "c") == {"live.json", "stdout.live", "stderr.live"}
    assert os.path.samestat(os.fstat(stdout.fd), os.stat(folder / f"{capture}.stdout.live"))
    assert list((tmp_path / "c" / ".capview" / "tmp").iterdir()) == []
    made.close()
