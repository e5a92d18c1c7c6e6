"""A text that is saved: its files, its receipt, what is left out and why; it claims no more than is so."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, Limits, Upstream
from capture_core.facts import CaptureReason, CaptureState, Liveness, ProcessState, UpstreamKind
from tests.core.saved import TOKEN, limit, looked_at, run, text

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.text_source import Given


def test_a_saved_text_and_its_receipt(conversation: Conversation, place: Path) -> None:
    said = f"first line\ntoken {TOKEN}\n"
    receipt = conversation.save("browser", said, call_id="call_42", label="a page")
    kept = "first line\ntoken [redacted:gh-token]\n"
    assert text(place, receipt) == kept
    assert (receipt.process.state, receipt.process.pid, receipt.process.exit_code) == (ProcessState.NONE, None, None)
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.COMPLETE, None)
    assert (receipt.label, receipt.call_id, receipt.resources) == ("a page", "call_42", None)
    assert receipt.upstream == Upstream(kind=UpstreamKind.NONE)
    [(name, stream)] = receipt.streams.items()
    assert (name, stream.eof, stream.observed, stream.accepted) == ("content", True, len(said), len(said))
    assert (stream.pending, stream.discarded, stream.uncommitted, stream.retained) == (0, 0, 0, len(kept))
    assert stream.sha256 == hashlib.sha256(kept.encode()).hexdigest()
    assert receipt.representation.redactions == {"gh-token": 1}


def test_only_final_files_are_left_and_they_are_private(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", "\x1b[1mbold\x1b[m")
    folder = place / "tool-outputs" / "browser"
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"{receipt.capture_id}.{end}" for end in ("content.sgr", "content.txt", "json")]
    assert {path.stat().st_mode & 0o7777 for path in folder.iterdir()} == {0o400}
    assert {path.stat().st_mode & 0o7777 for path in (place, folder, folder.parent)} == {0o700}
    stored = json.loads((folder / names[-1]).read_text())
    assert stored["upstream"] == {"kind": "none", "limit": None, "unit": None}
    assert str(place) not in json.dumps(stored)


def test_readers_see_it_as_it_stands_in_its_receipt(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", "x\n", upstream="unknown: 10 pages")
    [entry] = looked_at(place)
    assert (entry.receipt, entry.liveness, entry.capture) == (receipt, Liveness.FINAL, receipt.capture)


def test_an_empty_text_is_one(conversation: Conversation, place: Path) -> None:
    nothing: list[Given] = ["", b"", [], iter(())]
    for empty in nothing:
        receipt = conversation.save("browser", empty)
        assert (text(place, receipt), receipt.streams["content"].observed) == ("", 0)
        assert receipt.capture.state is CaptureState.COMPLETE


CLIPPED = Upstream(kind=UpstreamKind.CLIPPED, limit=5, unit="items")


@pytest.mark.parametrize(
    ("upstream", "state", "reason"),
    [
        ("none", CaptureState.COMPLETE, None),
        ("head-kept: 10 pages", CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED),
        ("tail-kept", CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED),
        (CLIPPED, CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED),
        ("unknown", CaptureState.PARTIAL, CaptureReason.UPSTREAM_UNKNOWN),
    ],
)
def test_what_had_been_cut_before_is_never_complete(
    conversation: Conversation, upstream: Upstream | str, state: CaptureState, reason: CaptureReason | None
) -> None:
    # The second is nothing but control: all of it was taken, and nothing is left of it.
    for said in ("text\n", "\x1b[m"):
        receipt = conversation.save("browser", said, upstream=upstream)
        assert (receipt.capture.state, receipt.capture.reason) == (state, reason)
        stream = receipt.streams["content"]
        assert (stream.state, stream.reason, stream.eof) == (state, reason, True)
        assert (stream.accepted, stream.discarded) == (len(said), 0)


def test_lone_surrogates_and_bad_bytes_are_replaced_and_counted(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", ["a\ud800b", os.fsdecode(b"\xc3"), b"\xa9", b"\xfe!"])
    assert text(place, receipt) == "a\N{REPLACEMENT CHARACTER}bé\N{REPLACEMENT CHARACTER}!"
    assert receipt.representation.replaced_bytes == 2
    assert receipt.capture.state is CaptureState.COMPLETE


def test_binary_is_recognised_as_a_jobs_is(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 9)
    assert text(place, receipt) == "[omitted: binary output, PNG image]"
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.BINARY_OMITTED)


def test_a_limit_cuts_at_a_character_and_the_end_is_kept(place: Path) -> None:
    conversation = Conversation.open(str(place), limits=Limits(capture_bytes=1001))
    receipt = conversation.save("browser", ["é" * 400, "é" * 400, "the end"], upstream="tail-kept")
    stream = receipt.streams["content"]
    assert text(place, receipt) == "é" * 500
    assert (stream.reason, stream.retained, stream.observed) == (CaptureReason.QUOTA, 1000, 1607)
    assert stream.observed == (stream.accepted or 0) + (stream.discarded or 0)
    # What was cut here comes first: what had been cut before stands beside it.
    assert (receipt.capture.reason, receipt.upstream) == (CaptureReason.QUOTA, Upstream(kind=UpstreamKind.TAIL_KEPT))
    assert (receipt.preview["content"].tail_text or "").endswith("éthe end")


def test_the_allowance_of_a_conversation_holds_for_texts_too(place: Path) -> None:
    conversation = Conversation.open(str(place), limits=Limits(conversation_bytes=1000))
    assert conversation.save("browser", "x" * 700).capture.state is CaptureState.COMPLETE
    receipt = conversation.save("browser", "y" * 700, upstream="unknown")
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.CONVERSATION_QUOTA)
    kept = sum(path.stat().st_size for path in (place / "tool-outputs" / "browser").glob("*.txt"))
    assert 700 <= kept <= 1000


def test_a_write_that_fails_is_told(place: Path) -> None:
    code = "receipt = save('browser', ['line\\n' * 2_000] * 5); print(receipt.capture.state, receipt.capture.reason)"
    size = 32_768
    with run(code, str(place), preexec_fn=limit(size)) as saver:
        assert saver.communicate()[0] == b"partial write-error\n"
    [entry] = looked_at(place)
    stream = entry.receipt.streams["content"]
    assert (stream.end, stream.observed) == (size, 50_000)
    assert entry.capture.reason is CaptureReason.WRITE_ERROR


def test_without_hyperscan(place: Path) -> None:
    receipt = Conversation.open(str(place), slow_engine=True).save("browser", f"token {TOKEN}\n")
    assert text(place, receipt) == "token [redacted:gh-token]\n"
