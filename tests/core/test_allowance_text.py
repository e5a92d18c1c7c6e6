"""Where a conversation's allowance cuts a text: between characters, outside of marks, exactly at the last that fits."""

from __future__ import annotations

import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core.account import account
from capture_core.conversation import Conversation
from capture_core.cutting import cut_before
from capture_core.errors import SpawnFailed
from capture_core.facts import AllowanceState, CaptureReason, CaptureState
from capture_core.limits import Limits
from capture_core.upstream import WHOLE

if TYPE_CHECKING:
    from capture_core.facts import Receipt

TOKEN = "ghp_" + "a1B2" * 9
LINES = [f"zähler → {number}: {TOKEN} ✓\n" for number in range(12)]
MASKED = "".join(LINES).replace(TOKEN, "[redacted:gh-token]").encode()


def saved(place: Path, allowance: int, parts: list[str], capture: int = 10**6) -> tuple[Receipt, bytes]:
    limits = Limits(conversation_bytes=allowance, capture_bytes=capture)
    receipt = Conversation.open(str(place), limits=limits).save("text", parts, upstream=WHOLE)
    return receipt, (place / "tool-outputs" / "text" / receipt.streams["content"].file).read_bytes()


@cache
def cuts(text: bytes) -> list[int]:
    return [cut_before(text, size) for size in range(len(text) + 1)]


@given(st.integers(1, len(MASKED) + 40), st.sets(st.integers(1, 400)))
@settings(max_examples=60)
def test_a_text_is_cut_at_an_exact_boundary_however_it_came(allowance: int, places: set[int]) -> None:
    text = "".join(LINES)
    edges = [0, *sorted(places), len(text)]
    parts = [text[start:end] for start, end in pairwise(edges)]
    with tempfile.TemporaryDirectory() as home:
        receipt, kept = saved(Path(home) / "conversation", allowance, parts)
        room = allowance - allowance // 32 // 16 * 16
        assert MASKED.startswith(kept)
        assert len(kept) == cuts(MASKED)[min(room, len(MASKED))]
        if len(kept) < len(MASKED):
            assert receipt.capture.reason is CaptureReason.CONVERSATION_QUOTA
        else:
            assert receipt.capture.state is CaptureState.COMPLETE
        assert receipt.allowance is not None
        assert receipt.allowance.used_bytes == account(str(Path(home) / "conversation")).kept <= allowance


def test_the_captures_own_limit_is_named_where_it_comes_first(tmp_path: Path) -> None:
    receipt, kept = saved(tmp_path, 300, LINES, capture=100)
    assert receipt.capture.reason is CaptureReason.QUOTA
    assert len(kept) == cuts(MASKED)[100]
    receipt, kept = saved(tmp_path, 300, LINES, capture=250)
    assert receipt.capture.reason is CaptureReason.CONVERSATION_QUOTA
    assert receipt.allowance is not None
    assert receipt.allowance.state is AllowanceState.COUNTED


def test_both_streams_of_a_job_share_it_and_draining_goes_on(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path), limits=Limits(conversation_bytes=50_000), slow_engine=True)
    job = conversation.start(["sh", "-c", "seq 20000 | tee /dev/stderr"], raw_binary=True)
    receipt = job.wait()
    assert receipt is not None
    assert receipt.process.exit_code == 0
    assert {stream.observed for stream in receipt.streams.values()} == {108_894}
    assert sum(stream.retained or 0 for stream in receipt.streams.values()) == 50_000 - 50_000 // 32 // 16 * 16
    assert {stream.reason for stream in receipt.streams.values()} == {CaptureReason.CONVERSATION_QUOTA}
    assert account(str(tmp_path)).kept == account(str(tmp_path)).counted


def test_a_job_that_fails_to_start_takes_nothing(tmp_path: Path) -> None:
    place = tmp_path / "conversation"
    conversation = Conversation.open(str(place), limits=Limits(conversation_bytes=50_000), slow_engine=True)
    with pytest.raises(SpawnFailed):
        conversation.start(["no-such-command-here"])
    assert not place.exists()
