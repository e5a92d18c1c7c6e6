"""A job that goes from the foreground to the background: the same capture goes on, whenever and by whom that is asked.

The naive implementation, which collects output in memory and writes it into a new file when a call moves to the
background, fails here: by the inode, the capture id, a chunk that was queued just then, and the offset.
"""

from __future__ import annotations

import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, Limits
from capture_core.facts import CaptureState, ProcessState, RequestKind
from capture_core.job_state import JobState, Promotion
from capture_core.news import Watched
from capture_core.request import ask_owner
from capture_core.result import Result
from capture_core.running import RunningJob

if TYPE_CHECKING:
    from concurrent.futures import Future

    from capture_core.facts import Receipt

TEXT = "né 😀\r\nghp_0123456789abcdefghijABCDEFGHIJ012345\n\x1b[31mr\x1b[0m\n"


class Stepped:
    """``Conversation.run`` in a thread of its own, and the command that it waits for, fed byte by byte."""

    def __init__(self, folder: Path, conversation: Conversation, promote_after: float | None = None) -> None:
        self.pipe = folder / "pipe"
        os.mkfifo(self.pipe)
        jobs: SimpleQueue[RunningJob] = SimpleQueue()
        self._pool = ThreadPoolExecutor(1)
        self.answer: Future[Result | RunningJob] = self._pool.submit(
            conversation.run, ["cat", str(self.pipe)], promote_after=promote_after, on_start=jobs.put
        )
        self.job = jobs.get()
        self._fd = os.open(self.pipe, os.O_WRONLY)
        self._fed = 0

    def feed(self, data: bytes) -> None:
        """Have the command print, and wait until the owner has taken that."""
        while data:
            done = os.write(self._fd, data)
            self._fed, data = self._fed + done, data[done:]
        handoff = self.job._job._handoff
        while (counts := handoff.counts("stdout")).observed < self._fed or counts.queued:
            assert self.job.wait(0.0005) is None

    def inode(self) -> int:
        """The stream's, whether it has a name or not."""
        return os.fstat(self.job._job.capture.spools["stdout"].file.fd).st_ino

    def end(self) -> None:
        """Let the command end."""
        os.close(self._fd)
        self.pipe.unlink()

    def close(self) -> None:
        """Wait until nothing is left."""
        self.job.join()
        self._pool.shutdown()


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation.open(str(tmp_path / "c"))


def final(job: RunningJob) -> Receipt:
    receipt = job.wait()
    assert receipt is not None
    return receipt


def file_of(conversation: Conversation, receipt: Receipt) -> Path:
    return Path(conversation.path, "tool-outputs", "shell", receipt.streams["stdout"].file)


def unpromoted(conversation: Conversation, data: bytes, folder: Path) -> bytes:
    source = folder / "source"
    source.write_bytes(data)
    return file_of(conversation, final(conversation.start(["cat", str(source)]))).read_bytes()


def promoted_at(position: int, data: bytes, tmp_path: Path, conversation: Conversation) -> tuple[Receipt, bytes]:
    stepped = Stepped(tmp_path, conversation)
    stepped.feed(data[:position])
    inode, ref = stepped.inode(), stepped.job.ref
    assert stepped.job.promote() is Promotion.PROMOTED
    job = stepped.answer.result()
    assert isinstance(job, RunningJob)
    adopted_at = Watched(conversation.path, ref).entry().receipt.streams["stdout"].adopted_at
    stepped.feed(data[position:])
    stepped.end()
    receipt = final(job)
    assert (receipt.ref, file_of(conversation, receipt).stat().st_ino) == (ref, inode)
    assert receipt.streams["stdout"].adopted_at == adopted_at, "said when it was so, and never changed"
    stepped.close()
    return receipt, file_of(conversation, receipt).read_bytes()


def test_promoted_at_every_byte_it_is_the_capture_that_it_would_have_been(
    tmp_path: Path, conversation: Conversation
) -> None:
    data = TEXT.encode()
    expected = unpromoted(conversation, data, tmp_path)
    offsets = []
    for position in range(len(data) + 1):
        receipt, text = promoted_at(position, data, tmp_path, conversation)
        assert text == expected, position
        stream = receipt.streams["stdout"]
        assert stream.sha256 == hashlib.sha256(expected).hexdigest()
        assert stream.adopted_at is not None
        assert text[: stream.adopted_at].decode() + text[stream.adopted_at :].decode() == expected.decode()
        assert receipt.capture.state is CaptureState.COMPLETE
        offsets.append(stream.adopted_at)
    assert offsets == sorted(offsets)
    assert (offsets[0], offsets[1] <= 1, offsets[-1] == len(expected)) == (0, True, True)


@pytest.mark.parametrize("around", [8_000, 32_768, 65_536])
@pytest.mark.parametrize("step", [-1, 0, 1])
def test_promoted_around_what_a_preview_or_a_block_holds(
    tmp_path: Path, conversation: Conversation, around: int, step: int
) -> None:
    line = b"0123456789abcde\n"
    data = line * (70_000 // len(line))
    receipt, text = promoted_at(around + step, data, tmp_path, conversation)
    assert text == data
    # Less what might have begun a secret.
    assert around + step - len(line) <= (receipt.streams["stdout"].adopted_at or 0) <= around + step


def test_a_time_limit_promotes_and_a_timeout_still_ends_it(conversation: Conversation) -> None:
    job = conversation.run(["sh", "-c", "echo up; exec sleep 60"], promote_after=0, timeout=0.1)
    assert isinstance(job, RunningJob)
    receipt = final(job)
    assert receipt.process.state is ProcessState.TIMEOUT
    assert receipt.streams["stdout"].adopted_at is not None


def test_a_request_file_promotes_what_can_be_seen(tmp_path: Path, conversation: Conversation) -> None:
    stepped = Stepped(tmp_path, conversation)
    stepped.feed(b"more than a preview holds\n" * 400)
    while not stepped.job._job.capture.is_seen:
        assert stepped.job.wait(0.0005) is None
    ask_owner(conversation.path, Watched(conversation.path, stepped.job.ref).entry(), RequestKind.PROMOTE, "")
    job = stepped.answer.result()
    assert isinstance(job, RunningJob)
    assert job.ref == stepped.job.ref
    stepped.end()
    assert final(job).streams["stdout"].adopted_at == 400 * 26
    stepped.close()


def test_promoting_what_nobody_waits_for_does_nothing(tmp_path: Path, conversation: Conversation) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"read x < {gate}"])
    assert job.promote() is Promotion.BACKGROUND
    gate.write_text("go\n")
    receipt = final(job)
    assert receipt.streams["stdout"].adopted_at == 0
    assert job.promote() is Promotion.BACKGROUND
    assert job.state is JobState.OVER


def test_what_has_ended_in_the_foreground_is_not_promoted(conversation: Conversation) -> None:
    jobs: list[RunningJob] = []
    result = conversation.run(["seq", "5000"], on_start=jobs.append)
    assert isinstance(result, Result)
    before = file_of(conversation, result.receipt).stat()
    assert jobs[0].promote() is Promotion.ENDED
    jobs[0].cancel("too late")
    assert jobs[0].wait() == result.receipt
    assert file_of(conversation, result.receipt).stat() == before
    assert result.receipt.streams["stdout"].adopted_at is None


class Race:
    """Everybody asks at the same time, once the command has been let go."""

    def __init__(self, stepped: Stepped, *, cancels: bool) -> None:
        self.answers: list[Promotion] = []
        self.receipts: list[Receipt | None] = []
        self.states: list[JobState] = []
        self._job = stepped.job
        work = [stepped.end, self._promote, self._promote, self._wait, self._look] + [self._cancel] * cancels
        self._start = threading.Barrier(len(work))
        self._threads = [threading.Thread(target=self._run, args=(one,)) for one in work]

    def run(self) -> None:
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()

    def _run(self, work: object) -> None:
        self._start.wait()
        work()  # type: ignore[operator]

    def _promote(self) -> None:
        self.answers.append(self._job.promote())

    def _cancel(self) -> None:
        self._job.cancel("raced")

    def _wait(self) -> None:
        self.receipts.append(self._job.wait())

    def _look(self) -> None:
        while not self.states or self.states[-1] is not JobState.OVER:
            if not self.states or self._job.state is not self.states[-1]:
                self.states.append(self._job.state)


@pytest.mark.parametrize("rounds", [12, pytest.param(500, marks=pytest.mark.long)], ids=["some", "many"])
@pytest.mark.parametrize("cancels", [False, True])
def test_while_it_ends_is_polled_and_cancelled_all_answers_agree(
    tmp_path: Path, conversation: Conversation, rounds: int, *, cancels: bool
) -> None:
    """False 0 after a promotion; output twice; a poll that got an answer which another poll did not."""
    data = b"a line of a few words\n" * 500
    for _ in range(rounds):
        stepped = Stepped(tmp_path, conversation)
        stepped.feed(data)
        race = Race(stepped, cancels=cancels)
        race.run()
        answer = stepped.answer.result()
        receipt = final(stepped.job)
        stepped.close()
        is_promoted = isinstance(answer, RunningJob)
        assert set(race.answers) <= ({Promotion.PROMOTED, Promotion.BACKGROUND} if is_promoted else {Promotion.ENDED})
        assert race.receipts == [receipt]
        assert race.states == sorted(race.states, key=list(JobState).index), "no state comes back"
        assert (receipt.streams["stdout"].adopted_at is not None) is is_promoted
        assert file_of(conversation, receipt).read_bytes() == data
        assert receipt.process.state in {ProcessState.EXITED, *[ProcessState.CANCELLED] * cancels}
        assert (receipt.process.exit_code == 0) is (receipt.process.signal is None)


def test_a_promotion_does_not_wait_for_a_disk_that_has_no_room_for_names(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path / "c"), limits=Limits(settle_seconds=5))
    stepped = Stepped(tmp_path, conversation)
    stepped.feed(b"kept in memory\n")
    # Somebody removes the folders: nothing can get a name there any more.
    for folder in ("c/tool-outputs/shell", "c/tool-outputs", "c/.capview/tmp", "c/.capview"):
        for file in (tmp_path / folder).iterdir():
            file.unlink()
        (tmp_path / folder).rmdir()
    assert stepped.job.promote() is Promotion.PROMOTED
    stepped.end()
    receipt = final(stepped.job)
    assert (receipt.ref, receipt.capture.state) == ("", CaptureState.PARTIAL)
    assert "kept in memory\n" in stepped.job.render_inline()
    stepped.close()


def test_what_is_written_after_the_final_of_a_promoted_job_changes_no_byte_of_it(tmp_path: Path) -> None:
    """Fails where a promoted job is read until EOF into the file of its capture: the holder of its pipe writes on."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    late = f"(read x < '{gate}'; echo late; echo late >&2; echo survived > '{tmp_path}/proof') &"
    limits = Limits(drain_seconds=0.1)
    conversation = Conversation.open(str(tmp_path / "c"), limits=limits, slow_engine=True)
    job = conversation.run(["sh", "-c", f"{late} echo early; exec sleep 0.5"], promote_after=0)
    assert isinstance(job, RunningJob)
    receipt = job.wait()
    assert receipt is not None
    stem = tmp_path / "c" / job.ref
    final = {path.name: path.read_bytes() for path in stem.parent.iterdir() if path.name.startswith(stem.name)}
    assert final[f"{stem.name}.stdout.txt"] == b"early\n"
    gate.write_text("go\n")
    job.join()
    assert (tmp_path / "proof").read_text() == "survived\n", "nobody died of a closed pipe"
    assert job.wait() == receipt
    assert {path.name: path.read_bytes() for path in stem.parent.iterdir() if path.name in final} == final
