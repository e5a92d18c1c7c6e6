"""Two streams side by side: line by line where they agree, window by window where they do not; in fixed memory.

Lines in windows are compared by 64-bit hashes, whose key is another one in every process.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from capture_core.difference.alignment import align
from capture_core.difference.comparison import Alone, Comparison, Side
from capture_core.limits.difference import (
    DIFFERENCE_LINES_KEPT,
    DIFFERENCE_LOOKED_LINES,
    DIFFERENCE_LOOKED_TIMES,
    DIFFERENCE_MOST_WINDOW_LINES,
    DIFFERENCE_RUN_LINES,
    DIFFERENCE_TEXT_BYTES,
    DIFFERENCE_WINDOW_LINES,
)

if TYPE_CHECKING:
    from capture_core.difference.alignment import Run
    from capture_core.difference.rows import Place, Rows

_GROWTH: Final = 4
_STEP: Final = 256
"""Lines that are compared at once while nothing differs."""


class _Lines:
    """The lines that one side has alone."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._kept: list[Alone] = []
        self._count = 0

    def take(self, count: int) -> None:
        """The next rows are such."""
        for place, row in self.rows.take(count):
            self._count += 1
            if len(self._kept) < DIFFERENCE_LINES_KEPT:
                text = row[:DIFFERENCE_TEXT_BYTES].rstrip(b"\n")
                self._kept.append(Alone(place.line, place.offset, place.offset + len(row), text))

    def side(self, end: int) -> Side:
        """What is said of them, of ``end`` bytes in all."""
        return Side(tuple(self._kept), self._count, end - self.rows.place.offset)


class Walk:
    """Goes through two streams once."""

    def __init__(self, one: Rows, other: Rows) -> None:
        self._one, self._other = _Lines(one), _Lines(other)
        self._first: tuple[Place, Place] | None = None
        self._lost: tuple[Place, Place] | None = None
        self._normalised = 0
        self._met = 0
        self._looked = 0

    def run(self, end: int, other_end: int) -> Comparison:
        """Compare them to their ends."""
        while self._go_along() and self._meet():
            pass
        sides = self._one.side(end), self._other.side(other_end)
        return Comparison(self._first, sides, self._met, self._lost, self._normalised)

    # -- while they agree ---------------------------------------------------------------------------------------------

    def _go_along(self) -> bool:
        """Pass over what is the same; whether anything comes behind it."""
        one, other = self._one.rows, self._other.rows
        while (count := min(one.fill(_STEP), other.fill(_STEP))) > 0:
            rows, its = one.ahead(count), other.ahead(count)
            same = count if rows == its else self._same(rows, its)
            one.skip(rows[:same])
            other.skip(its[:same])
            if same < count:
                break
        if not one.fill(1) and not other.fill(1):
            return False
        if self._first is None:
            self._first = one.place, other.place
        return True

    def _same(self, rows: list[bytes], its: list[bytes]) -> int:
        """How many of them are the same, in lines of which some are not as they stand."""
        normal, its_normal = self._one.rows.normal, self._other.rows.normal
        for at, (row, its_row) in enumerate(zip(rows, its, strict=True)):
            if row != its_row:
                if normal(row) != its_normal(its_row):
                    return at
                self._normalised += 1
        return len(rows)

    # -- where they do not --------------------------------------------------------------------------------------------

    def _meet(self) -> bool:
        """Go on to where they are side by side again, or to the end; whether to go on from there."""
        one, other, size = self._one.rows, self._other.rows, DIFFERENCE_WINDOW_LINES
        while True:
            count, its_count = one.fill(size), other.fill(size)
            if not count or not its_count:
                self._take([], count, its_count)
                return bool(count or its_count)
            keys, its_keys = _keys(one, count), _keys(other, its_count)
            runs = align(keys, its_keys)
            if one.ends_within(count) and other.ends_within(its_count):
                self._take(runs, count, its_count)
                return False
            self._looked += count + its_count
            is_last = size >= DIFFERENCE_MOST_WINDOW_LINES or (count < size and its_count < size)
            good = _up_to_good(runs, keys, its_keys, is_last=is_last)
            if good and self._looked <= self._bound:
                self._take(good[:-1], good[-1].first, good[-1].second)
                self._met += 1
                return True
            if is_last or self._looked > self._bound:
                self._lost = one.place, other.place
                return False
            size *= _GROWTH

    @property
    def _bound(self) -> int:
        """How many lines of windows may have been looked at by now, so that all of it is linear."""
        passed = self._one.rows.place.line + self._other.rows.place.line
        return DIFFERENCE_LOOKED_LINES + DIFFERENCE_LOOKED_TIMES * passed

    def _take(self, runs: list[Run], end: int, its_end: int) -> None:
        """Go on by so many rows of each; those in ``runs`` are counterparts."""
        at = its_at = 0
        for first, second, length in runs:
            self._one.take(first - at)
            self._other.take(second - its_at)
            self._pass(length)
            at, its_at = first + length, second + length
            self._met += 1
        self._one.take(end - at)
        self._other.take(its_end - its_at)

    def _pass(self, count: int) -> None:
        rows, its = self._one.rows.ahead(count), self._other.rows.ahead(count)
        self._normalised += sum(row != its_row for row, its_row in zip(rows, its, strict=True))
        self._one.rows.skip(rows)
        self._other.rows.skip(its)


def _keys(rows: Rows, count: int) -> list[int]:
    return [hash(rows.normal(row)) for row in rows.ahead(count)]


def _up_to_good(runs: list[Run], keys: list[int], its_keys: list[int], *, is_last: bool) -> list[Run]:
    """The runs up to the last one by which the two are surely side by side; none when there is none.

    It is long, and one of its lines stands nowhere else; in the last window each counts.
    """
    if is_last:
        return runs
    counts, its_counts = Counter(keys), Counter(its_keys)
    for at in range(len(runs) - 1, -1, -1):
        first, _, length = runs[at]
        if length >= DIFFERENCE_RUN_LINES and any(
            counts[key] == its_counts[key] == 1 for key in keys[first : first + length]
        ):
            return runs[: at + 1]
    return []
