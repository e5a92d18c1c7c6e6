"""Without hyperscan: the same candidates, the same text, hundreds of times slower."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits import KIB
from capture_core.redact.engine import shared_engine
from capture_core.redact.rules import RULES
from capture_core.redact.slow import SlowEngine
from capture_core.sanitise import Sanitiser, sanitised
from tests.cuts import pieces, places

if TYPE_CHECKING:
    import pytest

SLOW = SlowEngine()
FAST = shared_engine()
examples = [re.sub("[«»]", "", text) for rule in RULES for text in rule.masks + rule.passes]
filling = st.integers(min_value=0, max_value=70).map(lambda length: "x" * length)
"""Of all lengths: a scanner may miss what lies across the blocks that it works in."""
texts = st.lists(
    st.sampled_from([*examples, " ", "\n", "\r\n", "ghp_", "sk-", "token=", "\x1b[1m", "é"]) | filling, max_size=8
).map(lambda parts: "".join(parts).encode())


@given(text=texts, at=places)
def test_both_engines_give_one_text(text: bytes, at: list[int]) -> None:
    slow = sanitised(text, pending_bytes=64 * KIB, engine=lambda: SLOW)
    fast = Sanitiser(pending_bytes=64 * KIB, engine=lambda: FAST)
    assert slow == b"".join(map(fast.feed, pieces(text, at))) + fast.finish(eof=True)


@given(text=texts, cut=st.integers(min_value=0, max_value=300))
def test_both_scanners_find_the_same_across_the_edge_of_a_block(text: bytes, cut: int) -> None:
    ends = {(pattern, end) for pattern, _, end in FAST.scanner().candidates(text[:cut], text[cut:])}
    # What hyperscan tells is each end; the other tells of each beginning one.
    assert {(pattern, end) for pattern, _, end in SLOW.candidates(text[:cut], text[cut:])} <= ends


@given(text=texts, cut=st.integers(min_value=0, max_value=300))
def test_both_scanners_see_the_same_at_the_end(text: bytes, cut: int) -> None:
    assert sorted(SLOW.tails(text[:cut])) == sorted(FAST.scanner().tails(text[:cut]))


@given(texts)
def test_controls_are_the_same(text: bytes) -> None:
    assert SLOW.has_control(text) == FAST.scanner().has_control(text)
    assert SLOW.is_plain(text) == FAST.scanner().is_plain(text)


def test_it_needs_no_hyperscan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert sanitised(b"TOKEN=hunter2 ", pending_bytes=64 * KIB, engine=SlowEngine) == b"TOKEN=[redacted:assignment] "
