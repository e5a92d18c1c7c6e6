"""The table of patterns, asked by the signs that a line holds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from capture_core.failures.expressions import Signs
from capture_core.failures.table import PATTERNS, RUN_ENDS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.failures.pattern import Pattern, RunEnd, Section


class Look(NamedTuple):
    """What a line may be, by its signs: the patterns in their order, and what it may open, close or end."""

    patterns: tuple[Pattern, ...]
    sections: tuple[Section, ...]
    run_ends: tuple[RunEnd, ...]


class Rules:
    """All patterns in their order: the first that matches a line is what the line is taken for."""

    def __init__(self, patterns: Sequence[Pattern] = PATTERNS, run_ends: Sequence[RunEnd] = RUN_ENDS) -> None:
        """Compile their signs; raises ``EngineUnavailable`` where hyperscan cannot be loaded."""
        self._patterns, self._run_ends = patterns, run_ends
        self._sections = tuple(dict.fromkeys(each.within for each in patterns if each.within is not None))
        having = [each.signs for each in patterns] + [each.signs for each in self._sections]
        having += [each.signs for each in run_ends]
        self._signs = tuple(dict.fromkeys(sign for signs in having for sign in signs))
        self._looks: dict[frozenset[int], Look] = {}
        """Of those sets of signs that lines had so far: few."""
        self.signs = Signs(self._signs)

    def look(self, line: bytes) -> Look:
        """Tell what a line may be."""
        numbers = self.signs.numbers(line)
        found = self._looks.get(numbers)
        if found is None:
            found = self._looks[numbers] = self._made(frozenset(self._signs[number] for number in numbers))
        return found

    def _made(self, signs: frozenset[str]) -> Look:
        return Look(
            tuple(each for each in self._patterns if not signs.isdisjoint(each.signs)),
            tuple(each for each in self._sections if not signs.isdisjoint(each.signs)),
            tuple(each for each in self._run_ends if not signs.isdisjoint(each.signs)),
        )


@cache
def rules() -> Rules:
    """All patterns, made ready once, for all scans of the process."""
    return Rules()
