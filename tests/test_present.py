"""Words for every combination of facts, quantities at their edges, and outside text that cannot do anything."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.facts import (
    ByteRange,
    CaptureFacts,
    CaptureReason,
    CaptureState,
    EndedBy,
    EndReason,
    Liveness,
    OtherProcess,
    PreviewFacts,
    ProcessFacts,
    ProcessState,
)
from capture_core.limits import MIB
from capture_core.source import Address, Entry
from capview import present
from capview.escaping import safe, safe_body
from capview.present import age, duration, moment, size
from tests.captures import COMPLETE, EXITED, FAILED, PENDING, RUNNING, Owner

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def running(tmp_path: Path) -> Entry:
    receipt = replace(Owner(tmp_path).receipt, limit_bytes=32 * MIB)
    return Entry(
        address=Address("c", receipt.ref),
        receipt=receipt,
        liveness=Liveness.LIVE,
        process=RUNNING,
        capture=PENDING,
        streams=(),
    )


QUOTA = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.QUOTA)
DIED = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.OWNER_DIED)
FULL = CaptureFacts(state=CaptureState.FAILED, reason=CaptureReason.DISK_FULL)
KILLED = ProcessFacts(state=ProcessState.EXITED, signal=9)


@pytest.mark.parametrize(
    ("process", "capture", "words"),
    [
        (RUNNING, PENDING, "running, log growing"),
        (FAILED, COMPLETE, "failed, log complete"),
        (EXITED, QUOTA, "ok, log cut at 32 MiB"),
        (KILLED, COMPLETE, "killed by SIGKILL, log complete"),
        (ProcessFacts(state=ProcessState.UNKNOWN), DIED, "end unknown, log cut: its owner died"),
        (EXITED, FULL, "ok, no log: disk full"),
        (ProcessFacts(state=ProcessState.CANCELLED), COMPLETE, "cancelled, log complete"),
    ],
)
def test_both_states_in_one_line(running: Entry, process: ProcessFacts, capture: CaptureFacts, words: str) -> None:
    entry = replace(running, liveness=Liveness.FINAL, process=process, capture=capture)
    assert present.summary(entry) == words


def test_a_cut_log_whose_end_was_kept_says_so_even_without_the_text(running: Entry) -> None:
    for text in ("the end", ""):
        preview = PreviewFacts(head=ByteRange(start=0, end=9), returned_bytes=9, omitted_bytes=0, tail_text=text)
        receipt = replace(running.receipt, preview={"stdout": preview})
        entry = replace(running, process=EXITED, capture=QUOTA, receipt=receipt)
        assert present.summary(entry) == "ok, log cut at 32 MiB, its end kept"


def test_every_combination_has_words_a_narrow_glyph_and_a_colour(running: Entry) -> None:
    ends = ((None, None), (0, None), (1, None), (None, 15), (None, 200))
    for state, liveness, (code, signal) in product(ProcessState, Liveness, ends):
        process = ProcessFacts(state=state, exit_code=code, signal=signal)
        look = present.state(replace(running, process=process, liveness=liveness))
        assert len(look.glyph) == 1
        assert look.words.isprintable()
        assert look.tone in present.COLOURS
        assert present.process_words(process)
        assert present.exit_words(process)
    for capture, reason in product(CaptureState, (None, *CaptureReason)):
        look = present.log(replace(running, capture=CaptureFacts(state=capture, reason=reason)))
        assert len(look.glyph) == 1
        assert "log" in look.words or "captured" in look.words


def test_a_process_that_nobody_can_vouch_for_is_not_simply_running(running: Entry) -> None:
    assert present.state(replace(running, liveness=Liveness.UNKNOWN)).words == "running, as far as known"


@pytest.mark.parametrize(
    ("process", "words"),
    [
        (EXITED, "ok, log complete"),
        (FAILED, "failed (exit code 2), log complete"),
        (KILLED, "killed by SIGKILL, log complete"),
        (ProcessFacts(state=ProcessState.TIMEOUT, exit_code=0), "timed out (exit code 0), log complete"),
        (
            ProcessFacts(
                state=ProcessState.CANCELLED, signal=15, reason=EndedBy(kind=EndReason.USER, words="too loud")
            ),
            "cancelled (SIGTERM, asked for: too loud), log complete",
        ),
    ],
)
def test_a_final_receipt_in_one_line(running: Entry, process: ProcessFacts, words: str) -> None:
    receipt = replace(running.receipt, process=process, capture=COMPLETE)
    assert present.receipt_line(receipt) == f"{words}: {receipt.ref}"


def test_who_ended_a_process_and_with_which_words() -> None:
    reason = EndedBy(kind=EndReason.USER, words="too loud\x1b[2J\nexit 0")
    process = ProcessFacts(state=ProcessState.CANCELLED, signal=15, reason=reason)
    assert present.process_words(process) == "cancelled, signal SIGTERM, asked for: too loud\\e[2J\\nexit 0"
    assert {present.process_words(replace(process, reason=EndedBy(kind=kind))) for kind in EndReason}
    unsaid = replace(process, reason=EndedBy(kind=EndReason.USER))
    assert present.process_words(unsaid) == "cancelled, signal SIGTERM, on request"


def others(*names: str) -> tuple[OtherProcess, ...]:
    return tuple(OtherProcess(pid=number, name=name) for number, name in enumerate(names, 7))


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), "cancelled (SIGTERM), log complete"),
        (("sleep",), "cancelled (SIGTERM, still running: sleep (7)), log complete"),
        (("sh", "a\x1b[2Jb"), "cancelled (SIGTERM, still running: sh (7) and a\\e[2Jb (8)), log complete"),
        (("sh", "sh", "cc", "as"), "cancelled (SIGTERM, still running: sh (7), sh (8) and 2 more), log complete"),
    ],
    ids=["nobody", "one", "control in a name", "many"],
)
def test_who_outlived_a_job_that_was_ended(running: Entry, names: tuple[str, ...], words: str) -> None:
    process = ProcessFacts(state=ProcessState.CANCELLED, signal=15, survivors=others(*names))
    receipt = replace(running.receipt, process=process, capture=COMPLETE)
    assert present.receipt_line(receipt) == f"{words}: {receipt.ref}"
    assert ("still running: " in present.process_words(process)) == bool(names)


@pytest.mark.parametrize(
    ("holders", "words"),
    [
        (None, "something kept its pipe open"),
        ((), "something kept its pipe open"),
        (others("sleep"), "sleep (7) kept its pipe open"),
        (others("sh", "sleep"), "sh (7) and sleep (8) kept its pipe open"),
        (others("sh", "sleep", "cc"), "sh (7), sleep (8) and 1 more kept its pipe open"),
    ],
    ids=["unknown", "nobody seen", "one", "two", "many"],
)
def test_who_keeps_a_pipe_open(running: Entry, holders: tuple[OtherProcess, ...] | None, words: str) -> None:
    """Each is named once, however many streams it holds."""
    drained = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DRAIN_TIMEOUT)
    streams = {name: replace(facts, held_by=holders) for name, facts in running.receipt.streams.items()}
    assert present.log_words(drained, replace(running.receipt, streams=streams)) == f"log cut: {words}"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (None, "–"),
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1434, "1.4 KiB"),
        (100 * 1024, "100 KiB"),
        (32 * MIB, "32 MiB"),
        (999 * MIB + MIB // 2, "1000 MiB"),
        (1 << 30, "1 GiB"),
        (5 << 40, "5 TiB"),
        (5000 << 40, "5000 TiB"),
    ],
)
def test_sizes(count: int | None, words: str) -> None:
    assert size(count) == words


@given(st.integers(min_value=0, max_value=1 << 60))
def test_sizes_are_short(count: int) -> None:
    assert len(size(count)) <= 11


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0, "0.0 s"),
        (-1, "0.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (200, "3 min 20 s"),
        (3599.6, "1 h"),
        (7500, "2 h 5 min"),
        (90_000, "1 d 1 h"),
        (10 * 86_400, "10 d"),
    ],
)
def test_durations(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("ago", "words"), [(-5, "now"), (0.5, "now"), (59, "59 s"), (60, "1 min"), (7199, "1 h"), (200_000, "2 d")]
)
def test_ages(ago: float, words: str) -> None:
    assert age(1000.0, 1000.0 + ago) == words


def test_moments() -> None:
    assert moment("1970-01-01T00:00:01.5Z") == 1.5
    assert moment("1970-01-01T01:00:00+01:00") == 0
    assert moment("1970-01-01T00:00:02") == 2
    for text in (None, "", "yesterday", "0000-00-00", "9" * 1000):
        assert moment(text) is None


def test_how_long_it_has_been_running(running: Entry) -> None:
    started = moment(running.receipt.times.started)
    assert started is not None
    assert present.elapsed(running, started + 5) == 5
    assert present.elapsed(running, started - 5) == 0
    assert present.elapsed(replace(running, liveness=Liveness.OWNER_DIED), started + 5) is None
    times = replace(running.receipt.times, duration_seconds=2.5)
    assert present.elapsed(replace(running, receipt=replace(running.receipt, times=times)), 0) == 2.5


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red] 100% {x}", "plain [red] 100% {x}"),
        ("\x1b]52;c;eA==\x07", "\\e]52;c;eA==\\x07"),
        ("a\r\nb\tc\0", "a\\r\\nb\\tc\\0"),
        ("\x9b31m", "\\x9b31m"),
        ("gpj.\u202egnp", "gpj.\\u202egnp"),
        ("a\u2028b\ufeff", "a\\u2028b\\ufeff"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\\ud800"),
        ("日本語 é 👩\u200d💻", "日本語 é 👩\u200d💻"),
    ],
)
def test_outside_text(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(st.text())
def test_outside_text_never_holds_control(text: str) -> None:
    shown = safe(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert shown.encode() or not text
    assert not any(ord(char) < 32 and char not in "\t\n\r" for char in safe_body(text))


def test_bodies_keep_their_lines() -> None:
    assert safe_body("a\tb\r\n\x1b[31m\x85\n") == "a\tb\r\n\\e[31m\\x85\n"
