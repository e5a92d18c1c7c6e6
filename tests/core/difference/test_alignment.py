"""Counterparts are equal, in order, and as many as can be in small windows; along unique rows in large ones."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.difference import alignment
from capture_core.difference.alignment import align

rows = st.lists(st.integers(0, 5), max_size=30)
sparse = st.lists(st.integers(0, 200), max_size=60)


def check(one: list[int], other: list[int]) -> int:
    runs = align(one, other)
    for first, second, length in runs:
        assert length > 0
        assert one[first : first + length] == other[second : second + length]
    for before, after in pairwise(runs):
        assert before.first + before.length <= after.first
        assert before.second + before.length <= after.second
        assert (before.first + before.length, before.second + before.length) != (after.first, after.second)
    return sum(run.length for run in runs)


def longest(one: list[int], other: list[int]) -> int:
    line = [0] * (len(other) + 1)
    for row in one:
        before = 0
        for at, column in enumerate(other):
            before, line[at + 1] = line[at + 1], before + 1 if row == column else max(line[at + 1], line[at])
    return line[-1]


@given(rows, rows)
def test_small_ones_have_the_most_that_can_be(one: list[int], other: list[int]) -> None:
    assert check(one, other) == longest(one, other)


@given(sparse, sparse)
def test_large_ones_are_in_order_all_the_same(one: list[int], other: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "DIFFERENCE_EXACT_CELLS", 4)
        assert check(one, other) <= longest(one, other)


def test_rows_that_each_side_has_once_are_found_across_large_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "DIFFERENCE_EXACT_CELLS", 4)
    one = [0, 1, 2, 3, 0, 4, 5, 0, 6]
    other = [9, 8, 1, 2, 3, 7, 7, 4, 5, 7, 6]
    assert check(one, other) == 6
