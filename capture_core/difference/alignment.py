"""Which rows of two windows are counterparts: the most that can be where few are looked at, else along unique ones."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Final

from capture_core.limits.difference import DIFFERENCE_EXACT_CELLS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEPTH: Final = 4
"""A row that is not unique in a window may be so between two others: looked for this often."""


class Run(NamedTuple):
    """``length`` rows from ``first`` on in the one are counterparts of those from ``second`` on in the other."""

    first: int
    second: int
    length: int


def align(one: Sequence[int], other: Sequence[int]) -> list[Run]:
    """The runs of counterparts, ascending on both sides, none touching the next."""
    pairs = sorted(_between(one, other, (0, len(one)), (0, len(other)), depth=_DEPTH))
    runs: list[Run] = []
    for first, second, length in pairs:
        last = runs[-1] if runs else Run(0, 0, 0)
        if runs and (last.first + last.length, last.second + last.length) == (first, second):
            runs[-1] = last._replace(length=last.length + length)
        else:
            runs.append(Run(first, second, length))
    return runs


def _between(
    one: Sequence[int], other: Sequence[int], own: tuple[int, int], its: tuple[int, int], *, depth: int
) -> Iterator[Run]:
    """Counterparts within ``own`` of the one and ``its`` of the other; ``depth``: how often to look for unique ones."""
    (start, end), (low, high) = own, its
    head = _common(one, other, start, low, min(end - start, high - low))
    if head:
        yield Run(start, low, head)
        start, low = start + head, low + head
    while end > start and high > low and one[end - 1] == other[high - 1]:
        end, high = end - 1, high - 1
        yield Run(end, high, 1)
    if (end - start) * (high - low) <= DIFFERENCE_EXACT_CELLS:
        yield from _exact(one, other, (start, end), (low, high))
    elif depth:
        at, its_at = start, low
        for anchor, its_anchor in _anchors(one, other, (start, end), (low, high)):
            yield from _between(one, other, (at, anchor), (its_at, its_anchor), depth=depth - 1)
            yield Run(anchor, its_anchor, 1)
            at, its_at = anchor + 1, its_anchor + 1
        yield from _between(one, other, (at, end), (its_at, high), depth=depth - 1)


def _common(one: Sequence[int], other: Sequence[int], start: int, low: int, most: int) -> int:
    count = 0
    while count < most and one[start + count] == other[low + count]:
        count += 1
    return count


def _exact(one: Sequence[int], other: Sequence[int], own: tuple[int, int], its: tuple[int, int]) -> Iterator[Run]:
    """The longest common subsequence, by the table of its lengths from each place on."""
    rows, columns = one[slice(*own)], other[slice(*its)]
    lengths = [[0] * (len(columns) + 1)]
    for row in reversed(rows):
        below, line = lengths[-1], [0] * (len(columns) + 1)
        for at in range(len(columns) - 1, -1, -1):
            line[at] = below[at + 1] + 1 if row == columns[at] else max(below[at], line[at + 1])
        lengths.append(line)
    lengths.reverse()
    at = its_at = 0
    while at < len(rows) and its_at < len(columns):
        if rows[at] == columns[its_at]:
            yield Run(own[0] + at, its[0] + its_at, 1)
            at, its_at = at + 1, its_at + 1
        elif lengths[at + 1][its_at] >= lengths[at][its_at + 1]:
            at += 1
        else:
            its_at += 1


def _anchors(
    one: Sequence[int], other: Sequence[int], own: tuple[int, int], its: tuple[int, int]
) -> list[tuple[int, int]]:
    """Rows that either side has once, as many as stand in the same order on both."""
    counts, its_counts = Counter(one[slice(*own)]), Counter(other[slice(*its)])
    places = {other[at]: at for at in range(*its) if its_counts[other[at]] == 1}
    pairs = [(at, places[one[at]]) for at in range(*own) if counts[one[at]] == 1 and one[at] in places]
    return _ascending(pairs)


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs whose second numbers ascend, too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        at = bisect_left(ends, second)
        before.append(last[at - 1] if at else -1)
        if at == len(ends):
            ends.append(second)
            last.append(index)
        else:
            ends[at], last[at] = second, index
    found: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]
