"""Places in a text, in order, each with what is so from there on: a style, or when the text arrived."""

from __future__ import annotations

from array import array
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Marks:
    """Pairs of an offset and a value, 64 bits each, in two columns: a read has thousands, too many for a tuple each."""

    __slots__ = ("is_merged", "offsets", "values")

    def __init__(self, marks: Iterable[tuple[int, int]] = ()) -> None:
        self.offsets: array[int] = array("Q")
        self.values: array[int] = array("Q")
        self.is_merged = False
        """Whether it is known that no two are at one offset, and no neighbours equal."""
        for offset, value in marks:
            self.append(offset, value)

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.offsets, self.values, strict=True)

    def append(self, offset: int, value: int) -> None:
        """Add one."""
        self.offsets.append(offset)
        self.values.append(value)
        self.is_merged = False

    def extend(self, offsets: Iterable[int], values: Iterable[int], *, are_merged: bool = False) -> None:
        """Add as many values as offsets; ``are_merged``: what :attr:`is_merged` says."""
        self.is_merged = are_merged and not self.offsets
        self.offsets.extend(offsets)
        self.values.extend(values)

    def pop(self) -> tuple[int, int]:
        """Take the last one out."""
        return self.offsets.pop(), self.values.pop()

    def part(self, start: int, end: int | None = None) -> Marks:
        """Return those from the ``start``-th on, up to the ``end``-th."""
        part = Marks()
        part.extend(self.offsets[start:end], self.values[start:end], are_merged=self.is_merged)
        return part

    def shift(self, by: int) -> None:
        """Move all of them."""
        if by:
            self.offsets = array("Q", map(add, self.offsets, repeat(by)))
