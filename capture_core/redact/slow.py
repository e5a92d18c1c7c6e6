"""The same scanner without hyperscan, for machines that have none: as exact, and hundreds of times slower."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from capture_core.redact.breaks import placed, without_breaks
from capture_core.redact.exact import Exact
from capture_core.redact.rules import RULES
from capture_core.strip import CONTROL, NOT_PLAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.redact.rule import Rule
    from capture_core.redact.scanning import Candidate


class SlowEngine:
    """The rules as Python's own expressions; immutable, and its own scanner.

    The candidates of the rules are bounded, so that an expression which steps back does so within a bound too.
    """

    def __init__(self, rules: Sequence[Rule] = RULES) -> None:
        self.exact = Exact(rules)
        # Within a look-ahead, so that of matches which overlap none is missed.
        self._plain, self._joined = (
            [(number, re.compile(b"(?=(?:%b)(?P<end>))" % pattern)) for number, pattern in patterns]
            for patterns in (self.exact.plain, self.exact.joined)
        )
        self._tails = [(number, re.compile(pattern)) for number, pattern in self.exact.tails]
        self._control, self._not_plain = re.compile(CONTROL), re.compile(NOT_PLAIN)

    def scanner(self) -> SlowEngine:
        """Return a scanner for one stream."""
        return self

    def candidates(self, before: bytes, text: bytes) -> list[Candidate]:
        """Return the candidates in both."""
        text = before + text
        return _found(self._plain, text) + placed(_found(self._joined, without_breaks(text)), text)

    def tails(self, text: bytes) -> list[Candidate]:
        """Return which of the tails the text ends with, when its lines are joined, and where each begins."""
        joined = without_breaks(text)
        found = [(number, at.start(), at.end()) for number, tail in self._tails if (at := tail.search(joined))]
        return placed(found, text)

    def has_control(self, text: bytes) -> bool:
        """Tell whether the text holds a control."""
        return self._control.search(text) is not None

    def is_plain(self, raw: bytes) -> bool:
        """Tell whether these bytes are ASCII without control."""
        return self._not_plain.search(raw) is None


def _found(patterns: Sequence[tuple[int, re.Pattern[bytes]]], text: bytes) -> list[Candidate]:
    return [(number, at.start(), at.start("end")) for number, pattern in patterns for at in pattern.finditer(text)]
