"""Rows of a file against a naive split of the same bytes: lines, redraws, wide characters, huge lines, page edges."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capview.pager.folds import Folds
from capview.pager.rows import Cuts, Row, Rows
from tests.view.naive import SMALL, TEXTS, naive_rows
from tests.view.readings import read


def walk_down(data: bytes, rows: Rows) -> list[Row]:
    found: list[Row] = []
    at = 0
    while at < len(data):
        found.append(read(data, rows.row(at), rows.cuts.page))
        at = found[-1].next
    return found


def walk_up(data: bytes, rows: Rows) -> list[Row]:
    found: list[Row] = []
    at = len(data)
    while (row := read(data, rows.before(at), rows.cuts.page)) is not None:
        found.append(row)
        at = row.covers
    return found[::-1]


def rows_of(data: bytes, cuts: Cuts) -> Rows:
    return Rows(cuts, len(data), Folds(block=cuts.page, redraw=cuts.redraw))


CUTS = st.sampled_from([SMALL, replace(SMALL, fold=False), replace(SMALL, page=24), replace(SMALL, page=8)])


@given(TEXTS, CUTS)
@settings(max_examples=250)
def test_rows_walked_down_and_up_are_those_of_a_naive_split(data: bytes, cuts: Cuts) -> None:
    expected = naive_rows(data, cuts)
    assert walk_down(data, rows_of(data, cuts)) == expected
    assert walk_up(data, rows_of(data, cuts)) == expected


@given(TEXTS, CUTS)
@settings(max_examples=100)
def test_every_byte_leads_to_the_row_that_covers_it(data: bytes, cuts: Cuts) -> None:
    rows = rows_of(data, cuts)
    expected = naive_rows(data, cuts)
    for offset in range(len(data)):
        row = next(row for row in expected if row.covers <= offset < row.next)
        assert read(data, rows.containing(offset, exact=True), cuts.page) == row
        found = read(data, rows_of(data, cuts).containing(offset), cuts.page)
        assert found in (row, replace(row, covers=row.start, redraws=None))


@given(TEXTS, st.data(), CUTS)
@settings(max_examples=100)
def test_what_was_remembered_of_folds_stays_true_while_the_file_grows(
    data: bytes, draw: st.DataObject, cuts: Cuts
) -> None:
    folds = Folds(block=cuts.page, redraw=cuts.redraw)
    for length in sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=6))):
        part = data[:length]
        walk_up(part, Rows(cuts, length, folds))
        walk_down(part, Rows(cuts, length, folds))
    assert walk_up(data, Rows(cuts, len(data), folds)) == naive_rows(data, cuts)
    assert walk_down(data, Rows(cuts, len(data), folds)) == naive_rows(data, cuts)


@given(TEXTS, TEXTS)
@settings(max_examples=100)
def test_rows_above_the_last_line_never_change_when_the_file_grows(data: bytes, more: bytes) -> None:
    lines = data.rfind(b"\n") + 1
    before = [row for row in naive_rows(data, SMALL) if row.next <= lines]
    assert walk_down(data + more, rows_of(data + more, SMALL))[: len(before)] == before


@pytest.mark.parametrize("size", [8, 9, 15, 16, 17, 32_768, 65_535, 65_536, 65_537])
def test_a_long_line_is_shown_in_pieces_that_add_up(size: int) -> None:
    data = b"x" * size + b"\nafter\n"
    found = walk_down(data, rows_of(data, SMALL))
    assert b"".join(row.data for row in found[:-1]) == b"x" * size
    assert all(len(row.data) < 2 * SMALL.piece for row in found)
    assert found[-1].data == b"after"


def test_ten_thousand_redraws_are_one_row_with_their_count() -> None:
    data = b"start\n" + b"".join(b"\r%5d/10000" % n for n in range(10_001)) + b"\nend\n"
    found = walk_down(data, rows_of(data, Cuts()))
    assert [(row.data, row.redraws) for row in found] == [(b"start", 0), (b"10000/10000", 10_000), (b"end", 0)]
    assert walk_up(data, rows_of(data, Cuts())) == found
