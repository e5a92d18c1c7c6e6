"""What a running job seems to be doing: how its last line looks, how long it is silent, and what that may mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from capture_core.activity import (
    NOTHING_SAID,
    Activity,
    Asked,
    Said,
    Waits,
    is_active,
    is_to_be_asked,
    judge,
    read_end,
    together,
)
from capture_core.facts import (
    CaptureFacts,
    CaptureReason,
    CaptureState,
    Liveness,
    ProcessFacts,
    ProcessState,
    Producer,
    Receipt,
    RepresentationFacts,
    StreamFacts,
    TimeFacts,
)
from capture_core.limits.reading import BUFFERING_SECONDS, PROMPT_SECONDS, SILENT_SECONDS
from capture_core.source import Address, Entry, StreamStatus

PROMPTS = (
    "Overwrite existing file? [y/N] ",
    "Do you want to continue? [Y/n]",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Password: ",
    "Enter passphrase for key '/home/me/.ssh/id': ",
    ">>> ",
    "sqlite> ",
    "me@host:~/project$ ",
    "Proceed (y/n)",
    "Project name [demo]: ",
    "Press ENTER to continue",
    "What now?",
    "compiling\nDelete 3 files? ",
)
NO_PROMPTS = (
    "Overwrite existing file? [y/N] \n",
    "compiling module 12",
    "Building [====>       ] 23/154",
    "tests/test_it.py ....   [ 61%]",
    "Downloading: 61%",
    "Password:\r",
    "",
    "x" * 300 + "?",
)


def entry(*streams: str, state: ProcessState = ProcessState.RUNNING, liveness: Liveness = Liveness.LIVE) -> Entry:
    streams = streams or ("stdout", "stderr")
    receipt = Receipt(
        capture_id="c",
        tool="shell",
        ref="tool-outputs/shell/c",
        conversation="c",
        producer=Producer(adapter="test", version="0", source="process"),
        host="h",
        boot_id=None,
        process=ProcessFacts(state=state),
        capture=CaptureFacts(state=CaptureState.PENDING),
        representation=RepresentationFacts(),
        streams={name: StreamFacts(file=name) for name in streams},
        times=TimeFacts(started="2026-11-30T12:00:00Z"),
    )
    return Entry(
        address=Address("c", receipt.ref),
        receipt=receipt,
        liveness=liveness,
        process=receipt.process,
        capture=receipt.capture,
        streams=tuple(StreamStatus(name=name, committed=1, modified=None) for name in streams),
    )


@pytest.mark.parametrize("text", PROMPTS, ids=map(str, range(len(PROMPTS))))
def test_a_question_and_nothing_after_it(text: str) -> None:
    said = read_end(text.encode(), is_cut=False)
    assert (said.asks, said.is_unfinished) == (True, True)
    assert judge(entry(), said, PROMPT_SECONDS).waits is Waits.ASKS
    assert judge(entry(), said, PROMPT_SECONDS / 2).waits is None, "what comes next may be under way"


@pytest.mark.parametrize("text", NO_PROMPTS, ids=map(str, range(len(NO_PROMPTS))))
def test_what_is_no_question(text: str) -> None:
    """Fails where an unfinished line is enough, as a bar has, or a question that was answered counts."""
    said = read_end(text.encode(), is_cut=False)
    assert not said.asks
    assert judge(entry(), said, PROMPT_SECONDS).waits is None


def test_what_the_os_says_is_worth_more_than_how_a_line_looks() -> None:
    said = Said(asks=True)
    assert judge(entry(), said, PROMPT_SECONDS, Asked(reads=True)).waits is Waits.READS
    assert judge(entry(), said, PROMPT_SECONDS, Asked(reads=False, hears=True)).waits is Waits.ASKS, "it may poll"
    assert judge(entry(), NOTHING_SAID, PROMPT_SECONDS).waits is None
    assert is_to_be_asked(NOTHING_SAID, PROMPT_SECONDS)
    assert not is_to_be_asked(read_end(b"a line\n", is_cut=False), SILENT_SECONDS)


def test_silence_is_told_from_some_time_on() -> None:
    assert judge(entry(), NOTHING_SAID, SILENT_SECONDS - 1).silent_seconds is None
    assert judge(entry(), NOTHING_SAID, SILENT_SECONDS).silent_seconds == SILENT_SECONDS


def test_nobody_waits_for_input_who_has_no_stdin() -> None:
    """Fails where the look of the last line is enough: of a job with ``/dev/null`` for stdin it said ``input?``."""
    assert judge(entry(), Said(asks=True), PROMPT_SECONDS, Asked(reads=False, hears=False)).waits is None


def test_one_that_is_stopped_neither_waits_for_input_nor_buffers() -> None:
    """Fails where silence and a pipe are enough."""
    stopped = Asked(reads=True, hears=True, is_stopped=True, buffers=True)
    assert judge(entry(), Said(asks=True), BUFFERING_SECONDS, stopped) == Activity(silent_seconds=BUFFERING_SECONDS)


def test_only_what_works_and_prints_on_a_pipe_may_be_buffering() -> None:
    """Fails where every silent job is told so: one with a terminal flushes its lines, and ``sleep`` has none."""
    works = Asked(buffers=True)
    assert judge(entry(), NOTHING_SAID, BUFFERING_SECONDS, works).may_be_buffering
    assert judge(entry("output", state=ProcessState.NONE), NOTHING_SAID, BUFFERING_SECONDS).may_be_buffering
    assert not judge(entry(), NOTHING_SAID, BUFFERING_SECONDS, Asked(buffers=False)).may_be_buffering
    assert not judge(entry(), NOTHING_SAID, BUFFERING_SECONDS).may_be_buffering, "nobody knows"
    assert not judge(entry(), NOTHING_SAID, BUFFERING_SECONDS - 1, works).may_be_buffering
    assert not judge(entry(), Said(asks=True), BUFFERING_SECONDS, works).may_be_buffering, "it waits, it does not print"


def test_the_os_is_asked_of_what_may_wait_or_buffer() -> None:
    line = read_end(b"a line\n", is_cut=False)
    assert not is_to_be_asked(line, BUFFERING_SECONDS - 1)
    assert is_to_be_asked(line, BUFFERING_SECONDS)


def test_nothing_is_told_of_what_is_over() -> None:
    assert is_active(entry())
    assert is_active(entry("output", state=ProcessState.NONE))
    assert not is_active(entry(state=ProcessState.EXITED))
    assert not is_active(entry(liveness=Liveness.OWNER_DIED))
    assert not is_active(entry(liveness=Liveness.UNKNOWN))
    ending = replace(entry(), capture=CaptureFacts(state=CaptureState.PENDING, reason=CaptureReason.FINALIZING))
    assert not is_active(ending)


def test_the_newest_stream_has_the_last_line_and_any_may_have_the_progress() -> None:
    bar, line = read_end(b"[12/340] a\n", is_cut=False), read_end(b"Go on? ", is_cut=False)
    said = together((line, bar))
    assert (said.asks, said.progress) == (True, bar.progress)
    assert together((bar, line)).asks is False
    assert together(()) == NOTHING_SAID


def test_half_a_character_at_the_beginning_of_a_tail_is_no_error() -> None:
    said = read_end("€\n[12/340] a".encode()[1:], is_cut=True)
    assert said.progress is not None
