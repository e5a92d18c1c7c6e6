"""SIGKILL of the owner before each call by which it changes its disk: readers see what is so, and never more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core import durable
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, Liveness, ProcessState
from capture_core.limits import Limits
from tests.commands import Here
from tests.death.conversations import assert_true, files, seen, texts
from tests.death.stepped import STDERR, STDOUT, StoppedOwner, recorded, run_job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from capture_core.source import Entry

DIED = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.OWNER_DIED)
EXIT = 3


def deaths(
    tmp_path: Path, work: Callable[[Path], object], *, every: int, at_the_end: int = 1
) -> Iterator[tuple[str, Path, StoppedOwner]]:
    """Owners, each stopped so many calls later than the last, and the conversations of their own.

    ``at_the_end``: how much later from the call on by which the owner begins to publish.
    """
    number, end = 0, publishing(tmp_path / "whole", work)
    while True:
        conversation = tmp_path / str(number)
        owner = StoppedOwner(conversation, number, lambda: work(conversation))  # noqa: B023 — it forks at once
        if not owner.before:
            owner.kill()
            return
        yield f"{number}, {owner.before}", conversation, owner
        number = min(number + every, end) if number < end else number + at_the_end


def publishing(conversation: Path, work: Callable[[Path], object]) -> int:
    """The number of the call before the first sync: by it the live receipt says ``finalizing``."""
    calls = recorded(conversation, lambda: work(conversation))
    return next(number for number, call in enumerate(calls) if call.name == "fsync") - 1


def the_one(conversation: Path) -> Entry | None:
    """The capture that has a receipt, if it has one."""
    found = seen(conversation)
    for entry in found.entries:
        assert_true(conversation, entry)
    for bad in found.unreadable:
        assert "has no receipt" in bad.words
    assert len(found.entries) + len(found.unreadable) <= 1
    return found.entries[0] if found.entries else None


def assert_lives(entry: Entry, state: CaptureState) -> None:
    if entry.liveness is Liveness.FINAL:
        assert entry.capture.state is state
    else:
        assert entry.liveness is Liveness.LIVE
        assert entry.capture.state is CaptureState.PENDING


def assert_died(entry: Entry, before: Entry) -> None:
    if before.liveness is Liveness.FINAL:
        assert (entry.liveness, entry.capture) == (Liveness.FINAL, before.capture)
        return
    assert (entry.liveness, entry.capture) == (Liveness.OWNER_DIED, DIED)
    process = entry.process
    assert (process.state, process.exit_code) in ((ProcessState.UNKNOWN, None), (ProcessState.EXITED, EXIT))


def assert_told(here: Here, entry: Entry, text: bytes) -> None:
    """Every command takes it for an end, and says how it ended."""
    is_final = entry.liveness is Liveness.FINAL
    for command in ("wait", "follow"):
        code, _, err = here(command, "@last", *(["--timeout", "5"] if command == "wait" else []))
        assert code == (EXIT if is_final else 1), err
        assert (b"owner died" in err) == (not is_final)
    assert (b"owner-died" in here("show", "@last", "--json")[1]) == (not is_final)
    assert here("read", "@last", "--stream", "stdout")[1] == text
    assert here("ls", "--running")[0] == 1
    assert here("verify")[0] == (0 if is_final else 1)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.long)])
def test_an_owner_that_dies_before_any_of_its_steps(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], every: int
) -> None:
    last: object = None
    kept: dict[str, bytes] = {}
    reasons = set()
    for where, conversation, owner in deaths(tmp_path, run_job, every=every):
        living = the_one(conversation)
        if living is not None:
            assert_lives(living, CaptureState.COMPLETE)
            kept = texts(conversation, living)
            reasons.add((living.liveness, living.capture.reason))
        owner.kill()
        dead = the_one(conversation)
        assert (dead is None) == (living is None), where
        if dead is None or living is None:
            continue
        assert_died(dead, living)
        assert texts(conversation, dead) == kept, where
        assert STDOUT.startswith(kept["stdout"]), where
        if last != (now := (dead.liveness, dead.process, tuple(kept.values()), len(files(conversation)))):
            assert_told(Here(conversation, capfdbinary), dead, kept["stdout"])
            before = files(conversation)
            run_job(conversation)
            assert files(conversation).items() >= before.items(), f"{where}: a later start changed what was left"
        last = now
    assert kept == {"stdout": STDOUT, "stderr": STDERR}
    live, final = Liveness.LIVE, Liveness.FINAL
    assert reasons == {(live, None), (live, CaptureReason.FINALIZING), (final, None)}


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("what", ["cut at its limit", "without O_TMPFILE"])
def test_other_ways_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, every: int) -> None:
    limits, state = Limits(), CaptureState.COMPLETE
    if what == "cut at its limit":
        limits, state = Limits(capture_bytes=5), CaptureState.PARTIAL
    else:
        monkeypatch.setattr(durable, "_O_TMPFILE", None)
    ends = set()
    work: Callable[[Path], object] = lambda place: run_job(place, limits=limits)  # noqa: E731
    for where, conversation, owner in deaths(tmp_path, work, every=every, at_the_end=min(every, 4)):
        living = the_one(conversation)
        kept = {} if living is None else texts(conversation, living)
        owner.kill()
        dead = the_one(conversation)
        assert (dead is None) == (living is None), where
        if dead is not None and living is not None:
            assert_lives(living, state)
            assert_died(dead, living)
            assert texts(conversation, dead) == kept, where
            ends.add(dead.liveness)
    assert Liveness.OWNER_DIED in ends
    assert every > 1 or Liveness.FINAL in ends


def test_a_final_file_that_lost_bytes_is_damaged_never_complete(tmp_path: Path) -> None:
    run_job(tmp_path)
    [file] = tmp_path.rglob("*.stdout.txt")
    file.chmod(0o600)
    os.truncate(file, len(STDOUT) - 1)
    entry = the_one(tmp_path)
    assert entry is not None
    assert entry.capture == CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DAMAGED)
    assert texts(tmp_path, entry)["stdout"] == STDOUT[:-1]
