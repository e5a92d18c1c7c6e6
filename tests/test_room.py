"""How full a conversation is, in words: for each way in which that was known, and each limit that cut."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import AllowanceFacts, AllowanceState, CaptureFacts, CaptureReason, CaptureState
from capture_core.limits import MIB
from capview import present, room
from tests.captures import Owner

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.facts import Receipt

QUOTA = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.CONVERSATION_QUOTA)
MORE = "--limit N keeps more of one capture, --conversation-limit N of all; capview prune frees room"


@pytest.fixture
def receipt(tmp_path: Path) -> Receipt:
    return replace(Owner(tmp_path).receipt, capture=CaptureFacts(state=CaptureState.COMPLETE))


@pytest.mark.parametrize(
    ("state", "words", "mend"),
    [
        (AllowanceState.COUNTED, "the conversation's allowance is used up", MORE),
        (AllowanceState.SCANNED, "the conversation's allowance is used up", MORE),
        (
            AllowanceState.HELD_UP,
            "nobody could count what the conversation keeps",
            "let a stopped process of capview here go on, or end it",
        ),
        (
            AllowanceState.CROWDED,
            "too many captures wrote in the conversation at once",
            "spread them over several conversations",
        ),
        (
            AllowanceState.UNCOUNTED,
            "the system did not let capview count what the conversation keeps",
            "capview doctor looks for what is wrong",
        ),
    ],
)
def test_a_line_says_why_and_how_to_mend_it(receipt: Receipt, state: AllowanceState, words: str, mend: str) -> None:
    cut = replace(receipt, capture=QUOTA, allowance=AllowanceFacts(state=state, limit_bytes=MIB, used_bytes=MIB))
    line = present.receipt_line(cut)
    assert f"log cut: {words}" in line
    assert mend in line
    assert "that it may keep" not in line
    assert line.endswith(f": {cut.ref}")
    nothing = replace(cut, capture=replace(QUOTA, state=CaptureState.FAILED))
    assert words in present.log_words(nothing.capture, nothing)


def test_it_is_said_where_no_receipt_tells_how_it_was_known(receipt: Receipt) -> None:
    assert present.log_words(QUOTA, receipt) == "log cut: the conversation's allowance is used up"
    assert list(room.advice(replace(receipt, capture=QUOTA))) == []


@pytest.mark.parametrize(("used", "is_told"), [(None, False), (0, False), (800_000, False), (850_000, True)])
def test_from_four_fifths_of_the_setting_on_it_is_time(receipt: Receipt, used: int | None, *, is_told: bool) -> None:
    counted = AllowanceFacts(state=AllowanceState.COUNTED, limit_bytes=MIB, used_bytes=used)
    raised = replace(counted, limit_bytes=9 * MIB, raised_from=MIB)
    for facts in (counted, raised):
        assert ("may keep" in present.receipt_line(replace(receipt, allowance=facts))) is is_told


def test_all_that_a_receipt_says_of_it() -> None:
    facts = AllowanceFacts(state=AllowanceState.SCANNED, limit_bytes=3 * MIB, used_bytes=2 * MIB, raised_from=MIB)
    assert room.standing(facts) == (
        "the conversation has 2 MiB of the 1 MiB that it may keep; 3 MiB for this capture, by its --limit; "
        "by the files alone: captures at the same time may have gone beyond"
    )
    unknown = AllowanceFacts(state=AllowanceState.HELD_UP, limit_bytes=MIB)
    assert room.standing(unknown) == (
        "the conversation has – of the 1 MiB that it may keep; a stopped process held the tally"
    )
