"""Marks are columns that read as pairs, and say that they are merged only where they are."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from capture_core.marks import Marks
from capture_core.sidecar import StyleRuns
from capture_core.strip import Stripper

u64 = st.integers(0, 2**64 - 1)
pairs = st.lists(st.tuples(u64, u64))
output = st.lists(
    st.sampled_from([b"\x1b[1m", b"\x1b[0m", b"\x1b[0;1m", b"\x1b[K", b"\x1b(B", b"\x1bc", b"\0", b"a", b"bc"]),
    max_size=12,
)


@given(pairs, pairs)
def test_columns_read_as_the_pairs_that_went_in(first: list[tuple[int, int]], more: list[tuple[int, int]]) -> None:
    marks, others = Marks(first), Marks(more)
    marks.extend(others.offsets, others.values)
    assert list(marks) == first + more
    assert len(marks) == len(first) + len(more)
    assert list(marks.part(1, 3)) == (first + more)[1:3]
    assert [marks.pop() for _ in first + more] == (first + more)[::-1]


def test_all_move_together() -> None:
    marks = Marks([(3, 1), (5, 2)])
    marks.shift(-2)
    assert list(marks) == [(1, 1), (3, 2)]


def test_what_is_added_may_not_be_merged() -> None:
    marks = Marks()
    marks.extend([1, 2], [5, 6], are_merged=True)
    known = [marks.is_merged, marks.part(1).is_merged]
    marks.append(2, 6)
    known.append(marks.is_merged)
    marks.extend([2], [7], are_merged=True)
    assert [*known, marks.is_merged] == [True, True, False, False]


@given(output)
def test_what_is_said_to_be_merged_is(parts: list[bytes]) -> None:
    stripper = Stripper()
    length = len(stripper.feed(b"".join(parts)) + stripper.finish())
    styles = stripper.take_styles()
    if styles.is_merged:
        assert all(first[0] < second[0] and first[1] != second[1] for first, second in pairwise(styles))
    known, unknown = StyleRuns(), StyleRuns()
    assert list(known.marks(styles, length)) == list(unknown.marks(Marks(styles), length))
