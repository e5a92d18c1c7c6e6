"""The lines on screen against a naive list of all screen lines of the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from capview.pager.folds import Folds
from capview.pager.rows import Cuts, Rows
from capview.tui.layout import Layout, ScreenLine
from capview.tui.text import show, wrap
from tests.view.naive import SMALL, TEXTS, naive_rows
from tests.view.readings import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from capview.pager.pages import Reading
    from capview.tui.layout import Window

WIDTHS = st.one_of(st.none(), st.integers(8, 20))
HEIGHTS = st.integers(1, 12)


def all_lines(data: bytes, width: int | None) -> list[ScreenLine]:
    lines = []
    for row in naive_rows(data, SMALL):
        shown = show(row.data)
        starts = [0] if width is None else wrap(shown.text, width)
        ends = [*starts[1:], len(shown.text)]
        lines += [ScreenLine(row, shown, first, last) for first, last in zip(starts, ends, strict=True)]
    return lines


def layout_of(data: bytes, height: int, width: int | None, cuts: Cuts = SMALL) -> Layout:
    rows = Rows(cuts, len(data), Folds(block=cuts.page, redraw=cuts.redraw))
    return Layout(rows, height=height, width=width)


def shown(window: Window) -> list[tuple[int, int, str]]:
    return [(line.start, line.end, line.text) for line in window.lines]


def expected(lines: list[ScreenLine], first: int, height: int) -> list[tuple[int, int, str]]:
    first = max(0, min(first, len(lines) - height))
    return [(line.start, line.end, line.text) for line in lines[first : first + height]]


@given(TEXTS, HEIGHTS, WIDTHS)
@settings(max_examples=150)
def test_both_ends(data: bytes, height: int, width: int | None) -> None:
    lines = all_lines(data, width)
    top = read(data, layout_of(data, height, width).at(0), SMALL.page)
    end = read(data, layout_of(data, height, width).at_end(), SMALL.page)
    assert shown(top) == expected(lines, 0, height)
    assert shown(end) == expected(lines, len(lines), height)
    assert end.at_end


@given(TEXTS.filter(bool), HEIGHTS, WIDTHS, st.data())
@settings(max_examples=300)
def test_any_byte_and_any_move(data: bytes, height: int, width: int | None, draw: st.DataObject) -> None:
    lines = all_lines(data, width)
    anchor = draw.draw(st.integers(0, len(data) - 1))
    down = draw.draw(st.integers(-20, 20))
    row = next(line.row for line in lines if line.row.covers <= anchor < line.row.next)
    own = [index for index, line in enumerate(lines) if line.row == row]
    index = max((i for i in own if lines[i].start <= anchor), default=own[0])
    window = read(data, layout_of(data, height, width).at(anchor, down=down), SMALL.page)
    assert shown(window) == expected(lines, max(0, index + down), height)


@given(TEXTS, HEIGHTS, WIDTHS)
@settings(max_examples=100)
def test_walking_by_single_lines_shows_every_line_once(data: bytes, height: int, width: int | None) -> None:
    lines = all_lines(data, width)
    layout = layout_of(data, height, width)
    window = read(data, layout.at(0), SMALL.page)
    found = shown(window)
    while not window.at_end:
        window = read(data, layout.at(window.start, down=1), SMALL.page)
        found.append(shown(window)[-1])
    assert found == expected(lines, 0, len(lines))


def test_a_line_of_300_mb_opens_anywhere_by_reading_a_few_pages() -> None:
    size = 300 * 1024 * 1024
    rows = Rows(Cuts(), size, Folds(block=Cuts().page, redraw=Cuts().redraw))
    page = b"x" * Cuts().page
    for anchor in (0, size // 2 + 17, size - 1):
        asked: set[int] = set()
        window = answer(Layout(rows, height=50, width=100).at(anchor), asked.add, page)
        assert len(window.lines) == 50
        assert len(asked) <= 8


def answer(reading: Reading[Window], note: Callable[[int], None], page: bytes) -> Window:
    """Answer every page with the same bytes, and note its number."""
    try:
        note(next(reading))
        while True:
            note(reading.send(page))
    except StopIteration as done:
        window: Window = done.value
        return window
