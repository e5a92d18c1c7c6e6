"""A table of one line a row: aligned, and on a terminal never wider than it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from capview.cli.colour import painted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capview.present import Tone

_GAP: Final = "  "
_LAST_CELLS: Final = 16
"""The last column keeps at least this much; other columns are left out for it."""


class Cell(NamedTuple):
    """One value: safe text, and its tone where it has one."""

    text: str
    tone: Tone | None = None


Row = dict[str, Cell]
"""Cells by their column's heading, in order; all rows have the same."""


def lines(rows: Sequence[Row], *, room: int | None, coloured: bool, dropped_first: Sequence[str] = ()) -> Iterator[str]:
    """Headings and rows.  In ``room`` cells: without some of ``dropped_first``, the last column cut."""
    widths = {name: max(cells(name), *(cells(row[name].text) for row in rows)) for name in rows[0]}
    last = widths.popitem()[0]
    if room is not None:
        for name in dropped_first:
            if _left(room, widths) >= _LAST_CELLS:
                break
            widths.pop(name, None)
    for row in ({name: Cell(name) for name in rows[0]}, *rows):
        padded = [painted(_padded(row[name].text, widths[name]), row[name].tone, coloured=coloured) for name in widths]
        end = row[last].text if room is None else _cut(row[last].text, max(_left(room, widths), 1))
        yield _GAP.join((*padded, end)).rstrip()


def cells(text: str) -> int:
    """How many cells of a terminal ``text`` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _left(room: int, widths: Mapping[str, int]) -> int:
    return room - sum(widths.values()) - len(_GAP) * len(widths)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _cut(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"
