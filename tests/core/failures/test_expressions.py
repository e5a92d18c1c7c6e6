"""Signs and expressions: what a text is passed over by, and what a line is asked."""

from __future__ import annotations

import sys

import pytest

from capture_core.errors import EngineUnavailable
from capture_core.failures.expressions import Signs, matches


def test_signs_are_texts_and_may_be_tied_to_the_start_of_a_line() -> None:
    signs = Signs(("a.c", "^FAIL", "^[x] "))
    text = b"a.c\nabc FAIL\nFAIL\n[x] a.c\n"
    assert signs.ends(text) == [3, 17, 22, 25]
    assert [set(signs.numbers(line)) for line in text.splitlines()] == [{0}, set(), {1}, {0, 2}]


def test_no_expression_matches_nothing() -> None:
    assert not matches("", b"")
    assert not matches("", b"error")
    assert matches("^e", b"error")


def test_without_the_engine_it_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    with pytest.raises(EngineUnavailable, match="hyperscan cannot be loaded"):
        Signs(("error",))
