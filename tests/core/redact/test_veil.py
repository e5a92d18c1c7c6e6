"""Veils: as long as what they hide, known from text, and each for one name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.redact.veil import SHORTEST_VEIL, VEIL, VEIL_BYTES, VEIL_NAMES, continued, index_of, veiled

indices = st.integers(0, VEIL_NAMES - 1)
lengths = st.integers(SHORTEST_VEIL, 100)


@given(indices, lengths)
def test_a_veil_is_as_long_as_the_value_and_tells_its_name(index: int, length: int) -> None:
    veil = veiled(index, length)
    assert len(veil) == length
    assert VEIL.fullmatch(veil)
    assert index_of(veil) == index


@given(indices, lengths, st.integers(0, 50))
def test_a_veil_goes_on(index: int, length: int, more: int) -> None:
    assert veiled(index, length) + continued(more) == veiled(index, length + more)


@given(st.lists(st.tuples(indices, lengths)))
def test_veils_side_by_side_are_told_apart(veils: list[tuple[int, int]]) -> None:
    found = VEIL.findall(b"".join(veiled(*each) for each in veils))
    assert [(index_of(run), len(run)) for run in found] == veils


@given(st.text())
def test_no_text_holds_a_byte_of_a_veil(text: str) -> None:
    assert not re.search(b"[" + VEIL_BYTES + b"]", text.encode())


def test_every_byte_of_a_veil_is_one_of_those() -> None:
    assert not b"".join(veiled(index, 9) for index in range(VEIL_NAMES)).strip(VEIL_BYTES)


@pytest.mark.parametrize(("index", "length"), [(0, SHORTEST_VEIL - 1), (-1, 9), (VEIL_NAMES, 9)])
def test_what_cannot_be_told_is_refused(index: int, length: int) -> None:
    with pytest.raises(ValueError, match="no veil"):
        veiled(index, length)
