"""Three ways to cut one input: whole, byte by byte, and anywhere; a stream must not show which it was."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, AnyStr

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

places = st.lists(st.integers(min_value=0, max_value=10_000), max_size=8)
"""Where to cut; taken modulo the length of what is cut."""


def pieces(data: AnyStr, at: Sequence[int]) -> list[AnyStr]:
    """Cut at the places given; two at one place leave an empty piece."""
    edges = [0, *sorted(place % (len(data) + 1) for place in at), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def three_ways(data: AnyStr, at: Sequence[int]) -> Iterator[list[AnyStr]]:
    """Yield bytes whole, byte by byte, and cut at the places given; text likewise, by characters."""
    yield [data]
    yield [data[index : index + 1] for index in range(len(data))]
    yield pieces(data, at)
