"""The rules' exact patterns: which candidates open a value, where it ends, and what may yet become one."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from capture_core.limits import JUDGED_VALUE_BYTES
from capture_core.redact.rule import APART

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from capture_core.redact.rule import Introduction, Rule

_NOTHING = r"(?!)"
_APART_BYTES = 6
"""How far :data:`APART` looks back."""


class Form:
    """One rule, ready to be applied.  Few are in any one stream, so patterns are compiled when first needed."""

    def __init__(self, rule: Rule) -> None:
        self.name = rule.name
        self.marker = f"[redacted:{rule.name}]".encode()
        """What takes the place of a value."""
        self._rule = rule

    @cached_property
    def opening(self) -> re.Pattern[bytes]:
        """Tried where a candidate begins."""
        return _compiled(self._rule.opening)

    @cached_property
    def ends(self) -> re.Pattern[bytes]:
        """The first byte beyond the value."""
        return _compiled(self._rule.ends)

    @cached_property
    def _spared(self) -> re.Pattern[bytes]:
        return _compiled(self._rule.spared or _NOTHING)

    def spares(self, value: bytes) -> bool:
        """Tell whether a whole value is no secret after all."""
        return len(value) <= JUDGED_VALUE_BYTES and bool(self._spared.fullmatch(value))


class Candidate(NamedTuple):
    """What a scanner found: an index into :attr:`Exact.candidates`, and where in the text it matches."""

    pattern: int
    start: int


class Value(NamedTuple):
    """A secret: its form, and its range in the text, without an end when that is still to come."""

    form: Form
    start: int
    end: int | None


class Undecided(NamedTuple):
    """Where the end of a text may be a value's beginning, and of what form once an introducer is complete."""

    start: int
    begun: Form | None


class Exact:
    """The exact patterns of all rules; immutable."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._forms = tuple(map(Form, rules))
        patterns = tuple(dict.fromkeys(pattern for rule in rules for pattern in rule.candidates))
        self.candidates = tuple(pattern.encode() for pattern in patterns)
        """What a scanner is to look for."""
        self._tried = tuple(
            tuple(index for index, rule in enumerate(rules) if pattern in rule.candidates) for pattern in patterns
        )
        introduced = [(form, rule.introduction) for form, rule in zip(self._forms, rules, strict=True)]
        introductions = [(form, introduction) for form, introduction in introduced if introduction]
        self._introduced = tuple(form for form, _ in introductions)
        self._unfinished = _compiled(f"(?:{'|'.join(_unfinished(each) for _, each in introductions) or _NOTHING})\\Z")
        self._made_of = b"".join({_made_of(each) for _, each in introductions})
        self.reach = max((_reach(each) for _, each in introductions), default=0) + _APART_BYTES
        """How many bytes at the end of a text :meth:`undecided` may look at."""

    def values(self, text: bytes, candidates: Iterable[Candidate], floor: int) -> Iterator[Value]:
        """Yield the secrets among the candidates that begin at ``floor`` or later, none within another.

        They come in the order in which they are decided however the text is cut: the leftmost first, and of those
        that begin together the one whose opening is known first.
        """
        openings = sorted(
            (found.start("value"), found.end(), index)
            for pattern, start in candidates
            for index in self._tried[pattern]
            if (found := self._forms[index].opening.match(text, start))
        )
        for start, opened, index in openings:
            if start < floor:
                continue
            form = self._forms[index]
            end = form.ends.search(text, opened)
            if end is None:
                yield Value(form, start, None)
                return
            if form.spares(text[start : end.start()]):
                floor = start + 1
            else:
                floor = end.start()
                yield Value(form, start, floor)

    def undecided(self, text: bytes, start: int) -> Undecided:
        """Return what of ``text[start:]`` must wait for more: the longest end of it that may begin a value."""
        window = text[max(start, len(text) - self.reach) :]
        possible = len(window) - len(window.rstrip(self._made_of))
        found = self._unfinished.search(text, len(text) - possible)
        if found is None:
            return Undecided(len(text), None)
        return Undecided(found.start(), self._introduced[found.lastindex - 1] if found.lastindex else None)


def _unfinished(introduction: Introduction) -> str:
    """Return a pattern for what is not yet an opening; its only group is what follows a whole introducer."""
    literals = "|".join(map(re.escape, introduction.introducers))
    begun = f"(?:{literals})([{introduction.alphabet}]{{1,{introduction.least - 1}}})"
    return f"{APART if introduction.apart else ''}(?:{_beginnings(introduction.introducers)}|{begun})"


def _beginnings(literals: Iterable[str]) -> str:
    """Return a pattern for every beginning of the literals, and themselves: ``a(?:b|c(?:d)?)?``."""
    rests: dict[str, list[str]] = {}
    for literal in filter(None, literals):
        rests.setdefault(literal[0], []).append(literal[1:])
    return "|".join(
        re.escape(first) + (f"(?:{beginnings})?" if (beginnings := _beginnings(rest)) else "")
        for first, rest in rests.items()
    )


def _reach(introduction: Introduction) -> int:
    """Return the length of the longest text that is not yet an opening."""
    return max(map(len, introduction.introducers)) + introduction.least - 1


def _made_of(introduction: Introduction) -> bytes:
    """Return the bytes of which an opening is made."""
    alphabet = re.findall(f"[{introduction.alphabet}]".encode(), bytes(range(256)))
    return b"".join([*alphabet, *map(str.encode, introduction.introducers)])


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())
