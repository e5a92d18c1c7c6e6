"""Tables of the command line: aligned by cells, and never wider than the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capview.cli.table import Cell, Row, cells, lines
from capview.present import Tone

ROWS: list[Row] = [
    {"STATE": Cell("✓ ok", Tone.GOOD), "EXIT": Cell("0"), "NAME": Cell("日本"), "LABEL": Cell("make -j8")},
    {"STATE": Cell("✗ failed", Tone.BAD), "EXIT": Cell("2"), "NAME": Cell("abc"), "LABEL": Cell("日本語" * 9)},
]


def test_columns_are_aligned_by_cells() -> None:
    assert list(lines(ROWS, room=None, coloured=False)) == [
        "STATE     EXIT  NAME  LABEL",
        "✓ ok      0     日本  make -j8",
        "✗ failed  2     abc   " + "日本語" * 9,
    ]


def test_colours_take_no_cells() -> None:
    assert list(lines(ROWS, room=None, coloured=True))[1] == "\x1b[32m✓ ok    \x1b[0m  0     日本  make -j8"


def test_a_narrow_terminal_loses_what_matters_least_and_no_row_wraps() -> None:
    assert list(lines(ROWS, room=32, coloured=False, dropped_first=("EXIT", "NAME"))) == [
        "STATE     NAME  LABEL",
        "✓ ok      日本  make -j8",
        "✗ failed  abc   日本語日本語日…",
    ]


@given(st.integers(min_value=20, max_value=200), st.text(alphabet="ab 日👩\u200d", max_size=90))
def test_rows_fit(room: int, label: str) -> None:
    rows: list[Row] = [{"STATE": Cell("running"), "LABEL": Cell(label)}]
    assert all(cells(line) <= room for line in lines(rows, room=room, coloured=False, dropped_first=("STATE",)))
