"""The same scanner without hyperscan, for machines that have none: as exact, and thousands of times slower."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from capture_core.record import NamedTuple
from capture_core.redact.breaks import placed, without_breaks
from capture_core.redact.exact import Exact
from capture_core.redact.rules import RULES
from capture_core.strip import CONTROL, NOT_PLAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.redact.rule import Rule
    from capture_core.redact.scanning import Candidate


_BRACKETS = re.compile(rb"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|[()|]|^.")
"""What groups a pattern, and what hides brackets: escapes and classes."""


class _Led(NamedTuple):
    """Patterns that begin alike, numbered; ``lead`` matches where any of them may, or is not there."""

    lead: re.Pattern[bytes] | None
    patterns: tuple[tuple[int, re.Pattern[bytes]], ...]

    def found(self, text: bytes) -> list[Candidate]:
        """Return where they match."""
        if self.lead is None:
            matches = ((number, at) for number, pattern in self.patterns for at in pattern.finditer(text))
        else:
            starts = [at.start() for at in self.lead.finditer(text)]
            matches = (
                (number, at)
                for number, pattern in self.patterns
                for start in starts
                if (at := pattern.match(text, start))
            )
        return [(number, at.start(), at.start("end")) for number, at in matches]


class SlowEngine:
    """The rules as Python's own expressions; immutable, and its own scanner.

    The candidates of the rules are bounded, so that an expression which steps back does so within a bound too.
    """

    def __init__(self, rules: Sequence[Rule] = RULES) -> None:
        self.exact = Exact(rules)
        self._plain, self._joined = _by_lead(self.exact.plain), _by_lead(self.exact.joined)
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


def _by_lead(patterns: Sequence[tuple[int, bytes]]) -> list[_Led]:
    """Compile patterns by what they begin with: dozens begin with the same names, which are looked for once."""
    by_lead: dict[bytes, list[tuple[int, re.Pattern[bytes]]]] = {}
    for number, pattern in patterns:
        # Within a look-ahead, so that of matches which overlap none is missed.
        whole = re.compile(b"(?=(?:%b)(?P<end>))" % pattern)
        by_lead.setdefault(_lead(pattern), []).append((number, whole))
    return [
        _Led(re.compile(b"(?=%b)" % lead) if lead and len(led) > 1 else None, tuple(led))
        for lead, led in by_lead.items()
    ]


def _lead(pattern: bytes) -> bytes:
    """Return the group that every match of a pattern begins with; nothing where it begins with none."""
    depth = 0
    for at in _BRACKETS.finditer(pattern):
        if at.start() == 0 and at[0] != b"(":
            return b""
        depth += {b"(": 1, b")": -1}.get(at[0], 0)
        if depth == 0:
            rest = pattern[at.end() :]
            return b"" if not pattern.startswith(b"(") or rest[:1] in b"?*+{" or _divided(rest) else pattern[: at.end()]
    return b""


def _divided(pattern: bytes) -> bool:
    """Tell whether a pattern is one of two outside of all its groups."""
    depth = 0
    for at in _BRACKETS.finditer(pattern):
        depth += {b"(": 1, b")": -1}.get(at[0], 0)
        if depth == 0 and at[0] == b"|":
            return True
    return False


def _found(patterns: Sequence[_Led], text: bytes) -> list[Candidate]:
    return [candidate for led in patterns for candidate in led.found(text)]
