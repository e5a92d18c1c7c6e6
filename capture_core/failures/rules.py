"""The table of patterns, asked by the signs that a line holds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from capture_core.failures.expressions import Signs, matches
from capture_core.failures.table import PATTERNS, RUN_ENDS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.failures.pattern import Pattern, Section


class Look(NamedTuple):
    """What a line may be: the patterns in whose lines one of its signs stands, in their order."""

    patterns: tuple[Pattern, ...]
    ends_run: bool


class Rules:
    """All patterns in their order: the first that matches a line is what the line is taken for."""

    def __init__(self, patterns: Sequence[Pattern] = PATTERNS, run_ends: Sequence[str] = RUN_ENDS) -> None:
        """Compile their signs; raises ``EngineUnavailable`` where hyperscan cannot be loaded."""
        self._patterns = tuple(patterns)
        self._run_ends = tuple(run_ends)
        self.sections = tuple(dict.fromkeys(each.within for each in patterns if each.within is not None))
        signs = tuple(dict.fromkeys(sign for pattern in patterns for sign in pattern.signs))
        self._places = [frozenset(i for i, each in enumerate(patterns) if sign in each.signs) for sign in signs]
        self.signs = Signs(signs)

    def look(self, line: bytes) -> Look:
        """Tell what a line may be."""
        places = set[int]().union(*(self._places[number] for number in self.signs.numbers(line)))
        patterns = tuple(self._patterns[place] for place in sorted(places))
        return Look(patterns, bool(patterns) and any(matches(end, line) for end in self._run_ends))

    def opened(self, line: bytes) -> Section | None:
        """The section that a line opens."""
        return next((section for section in self.sections if matches(section.opens, line)), None)


@cache
def rules() -> Rules:
    """All patterns, made ready once; for one thread at a time, as what is compiled has room for one scan."""
    return Rules()
