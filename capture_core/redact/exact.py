"""The rules' exact patterns: which candidates open a value, where it ends, and what may yet become one."""

from __future__ import annotations

import re
from bisect import insort
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from capture_core.limits import JUDGED_VALUE_BYTES, LOOK_BACK_BYTES
from capture_core.redact.breaks import secret_from
from capture_core.redact.veil import VEIL_CLASS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    from capture_core.redact.rule import Rule
    from capture_core.redact.scanning import Candidate

_APART_BYTES = 6
"""How far a token looks back to see whether it continues a word."""

_MASKED = re.compile(f"[{VEIL_CLASS}]+[),;:\\]}}\"'&]*".encode())


class Form:
    """One rule, ready to be applied.  Few are in any one stream, so patterns are compiled when first needed."""

    def __init__(self, rule: Rule, opening_bytes: int) -> None:
        """``opening_bytes``: no opening is longer."""
        self.name = rule.name
        self.marker = f"[redacted:{rule.name}]".encode()
        """What takes the place of a value."""
        self._rule = rule
        self._opening_bytes = opening_bytes
        self._is_token = rule.token is not None and rule.spared is None and rule.within is None

    @cached_property
    def opening(self) -> re.Pattern[bytes]:
        """Tried where a candidate begins."""
        return _compiled(_shape().opening(self._rule.token) if self._rule.token else self._rule.opening)

    @cached_property
    def ends(self) -> re.Pattern[bytes]:
        """What is beyond the value."""
        return _compiled(_shape().ends(self._rule.token) if self._rule.token else self._rule.ends)

    @cached_property
    def unfinished(self) -> re.Pattern[bytes]:
        """A token that is not whole, at the end of a text; the group ``begun`` is what follows its introducer."""
        assert self._rule.token is not None, "only tokens are held before they open"  # noqa: S101 — a fault of ours
        return _compiled(_shape().unfinished(self._rule.token))

    @cached_property
    def _spared(self) -> re.Pattern[bytes] | None:
        return None if self._rule.spared is None else _compiled(self._rule.spared)

    @cached_property
    def _within(self) -> re.Pattern[bytes] | None:
        return None if self._rule.within is None else _compiled(self._rule.within)

    def opened(self, text: bytes, start: int, end: int, floor: int) -> tuple[int, int] | None:
        """Return where the first value begins, at ``floor`` or later, that opens in ``start:end``; and what opened it.

        That is the end of the opening.
        """
        found = self.opening.match(text, start)
        while True:
            if found is not None:
                value = found.start("value")
                if self._rule.token is not None and found["broken"] is not None:
                    value = secret_from(text, value, found.end())
                if value >= floor:
                    return value, found.end()
                start = found.start()
            # Where a candidate begins no value opens, or one that is over: others may begin within the candidate.
            found = self.opening.search(text, start + 1, end + self._opening_bytes)
            if found is None or found.start() >= end:
                return None

    def secret(self, value: bytes) -> tuple[int, int] | None:
        """Return which part of a whole value is secret; ``None`` when nothing is."""
        if self._is_token and value.isascii():
            return 0, len(value)
        if self.spares(value):
            return None
        if self._within is None:
            return 0, len(value)
        found = self._within.fullmatch(value)
        return found and found.span("secret")

    def spares(self, value: bytes) -> bool:
        """Tell whether a value is no secret after all: nothing, or masked already."""
        if not value:
            return True
        if len(value) <= JUDGED_VALUE_BYTES and self._spared is not None and self._spared.fullmatch(value):
            return True
        if value.isascii():
            return False
        found = self._within and self._within.fullmatch(value)
        return _MASKED.fullmatch(found["secret"] if found else value) is not None


class Value(NamedTuple):
    """A secret: its form, and its range in the text.  Without an end, that is to be looked for from ``opened``."""

    form: Form
    start: int
    opened: int
    end: int | None


class Undecided(NamedTuple):
    """Where the end of a text may be a value's beginning, and of what form once an introducer is complete."""

    start: int
    begun: Form | None


class Exact:
    """The exact patterns of all rules; immutable."""

    def __init__(self, rules: Sequence[Rule], reach: int | None = None) -> None:
        """``reach``: :attr:`reach`, where it is known from an earlier time."""
        self.rules = tuple(rules)
        if reach is not None:
            self.reach = reach
        self._forms = tuple(Form(rule, max(self.reach, LOOK_BACK_BYTES)) for rule in rules)
        self._of_plain = tuple(form for form, rule in zip(self._forms, rules, strict=True) for _ in rule.candidates)
        self._of_tokens = tuple(form for form, rule in zip(self._forms, rules, strict=True) if rule.token)

    @property
    def plain(self) -> tuple[bytes, ...]:
        """What a scanner is to look for in a text as it is."""
        return tuple(candidate.encode() for rule in self.rules for candidate in rule.candidates)

    @property
    def joined(self) -> tuple[bytes, ...]:
        """What it is to look for in a text without breaks of lines."""
        return tuple(_shape().candidate(rule.token).encode() for rule in self.rules if rule.token)

    @property
    def on_lines(self) -> tuple[tuple[int, bytes], ...]:
        """What it is to look for in a text without carriage returns, and for which of :attr:`joined`."""
        tokens = [rule.token for rule in self.rules if rule.token]
        return tuple(
            (number, candidate.encode())
            for number, token in enumerate(tokens)
            for candidate in _shape().candidates_on_lines(token)
        )

    @property
    def tails(self) -> tuple[bytes, ...]:
        """What it is to look for at the end of a text without breaks of lines."""
        return tuple(_shape().tail(rule.token).encode() for rule in self.rules if rule.token)

    @cached_property
    def reach(self) -> int:
        """How many bytes at the end of a text :meth:`undecided` may look at."""
        return max((_shape().reach(rule.token) for rule in self.rules if rule.token), default=0) + _APART_BYTES

    def values(
        self, text: bytes, plain: Iterable[Candidate], tokens: Iterable[Candidate], floor: int, most: int
    ) -> Iterator[Value]:
        """Yield the secrets among the candidates that begin at ``floor`` or later, none within another.

        They come in the order in which they are decided however the text is cut: the leftmost first, and of those
        that begin together the one whose opening is known first.  One of more than ``most`` bytes is not judged.
        """
        tried = [(self._of_plain[pattern], start, end) for pattern, start, end in plain]
        tried += [(self._of_tokens[pattern], start, end) for pattern, start, end in tokens]
        # Numbered, so that what begins and opens together has an order: forms have none.
        queue = sorted(
            (*found, number)
            for number, (form, start, end) in enumerate(tried)
            if (found := form.opened(text, start, end, floor))
        )
        for place, (start, opened, number) in enumerate(queue):
            form, begin, end = tried[number]
            if start < floor:
                if again := form.opened(text, begin, end, floor):
                    insort(queue, (*again, number), lo=place + 1)
                continue
            ends = form.ends.search(text, opened)
            if ends is None:
                yield Value(form, start, opened, None)
                return
            whole = text[start : ends.start()]
            secret = (0, len(whole)) if len(whole) > most else form.secret(whole)
            if secret is None:
                floor = start + 1
            else:
                floor = start + secret[1]
                yield Value(form, start + secret[0], opened, floor)

    def undecided(self, text: bytes, start: int, tails: Callable[[bytes], Iterable[Candidate]]) -> Undecided:
        """Return what of ``text[start:]`` must wait for more: the longest end of it that may begin a value.

        ``tails`` tells which of :attr:`tails` a text ends with.
        """
        # What comes before a token may be decided already.
        window = max(0, start - LOOK_BACK_BYTES, len(text) - self.reach)
        possible = [
            undecided
            for pattern, begin, _ in tails(text[window:])
            if (undecided := _unfinished(self._of_tokens[pattern], text, window + begin, start))
        ]
        return min(possible, key=_hold_order, default=Undecided(len(text), None))


def _unfinished(form: Form, text: bytes, begin: int, start: int) -> Undecided | None:
    """Return the longest end of ``text[start:]`` that may begin a token of the form; ``begin``: none is longer."""
    # Mostly it is there, and a match takes far less time than a search.
    found = form.unfinished.match(text, begin) or form.unfinished.search(text, begin + 1)
    while found:
        value = secret_from(text, found.start("value"), len(text))
        if value >= start:
            return Undecided(value, form if found["begun"] else None)
        found = form.unfinished.search(text, found.start() + 1)
    return None


def _shape() -> ModuleType:
    # Loaded when a token is met: taking patterns apart is nothing for the start of a stream.
    from capture_core.redact import shape

    return shape


def _hold_order(undecided: Undecided) -> tuple[int, bool]:
    """The longest first; of two as long, one that is past its introducer."""
    return undecided.start, undecided.begun is None


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())
