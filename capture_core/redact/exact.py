"""The rules' exact patterns: which candidates open a value, where it ends, and what may yet become one."""

from __future__ import annotations

import re
from bisect import insort
from functools import cached_property
from typing import TYPE_CHECKING

from capture_core.limits import JUDGED_VALUE_BYTES, LOOK_BACK_BYTES, UNJUDGED_VALUE_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.breaks import is_text, secret_from
from capture_core.redact.veil import VEIL_CLASS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    from capture_core.redact.rule import Rule, Token
    from capture_core.redact.scanning import Candidate

_APART_BYTES = 6
"""How far a token looks back to see whether it continues a word."""

_MASKED = re.compile(f"[{VEIL_CLASS}]+[),;:\\]}}\"'&]*".encode())


class Form:
    """One rule, ready to be applied.  Few are in any one stream, so patterns are compiled when first needed."""

    def __init__(self, rule: Rule, order: int, opening_bytes: int) -> None:
        """``opening_bytes``: no opening is longer."""
        self.order = order
        """Of two rules that are known at once, the one that comes first masks."""
        self.name = rule.name
        self.marker = f"[redacted:{rule.name}]".encode()
        """What takes the place of a value."""
        self.marker_bytes = len(self.marker)
        self._rule = rule
        self._opening_bytes = opening_bytes
        self.is_token = rule.token is not None
        """Whether lines may be broken in its values."""
        self._has_no_judge = rule.token is not None and rule.spared is None and rule.within is None

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

    def opened(self, text: bytes, start: int) -> tuple[int, int] | None:
        """Return where the value begins that opens at ``start``, and the end of what opened it."""
        found = self.opening.match(text, start)
        return None if found is None or self._is_text(found) else self._placed(text, found)

    def opened_within(self, text: bytes, start: int, end: int, floor: int) -> tuple[int, int] | None:
        """Return the same for the first value, beginning at ``floor`` or later, that opens in ``start:end``."""
        while start < end:
            found = self.opening.search(text, start, end + self._opening_bytes)
            if found is None or found.start() >= end:
                return None
            placed = self._placed(text, found)
            if placed[0] >= floor and not self._is_text(found):
                return placed
            start = found.start() + 1
        return None

    def _is_text(self, found: re.Match[bytes]) -> bool:
        return self.is_token and found["broken"] is not None and is_text(found["broken"])

    def _placed(self, text: bytes, found: re.Match[bytes]) -> tuple[int, int]:
        value = found.start("value")
        if self._rule.token is not None and found["broken"] is not None:
            value = secret_from(text, value, found.end())
        return value, found.end()

    def secret(self, value: bytes) -> tuple[int, int] | None:
        """Return which part of a whole value is secret; ``None`` when nothing is."""
        if self._has_no_judge and value.isascii():
            return 0, len(value)
        if self.spares(value):
            return None
        if self._within is None:
            return 0, len(value)
        found = self._within.fullmatch(value)
        return found and found.span("secret")

    def spares(self, value: bytes) -> bool:
        """Tell whether a value is no secret after all: nothing, what the rule spares, or masked already."""
        if not value:
            return True
        if len(value) <= JUDGED_VALUE_BYTES and self._spared is not None and self._spared.fullmatch(value):
            return True
        if value.isascii():
            return False
        found = self._within and self._within.fullmatch(value)
        return _MASKED.fullmatch(found["secret"] if found else value) is not None


Value = tuple[Form, int, int, int, int | None]
"""A secret: its form, where its value begins, where of that the secret does, where it opened, and where it ends.

Without an end, that is to be looked for from where it opened.  A plain tuple, since there may be thousands.
"""


class Undecided(NamedTuple):
    """Where the end of a text may be a value's beginning.

    Once an introducer is complete: of what form, and what follows the introducer.
    """

    start: int
    begun: Form | None = None
    body: bytes = b""


class Exact:
    """The exact patterns of all rules; immutable."""

    def __init__(self, rules: Sequence[Rule], reach: int | None = None) -> None:
        """``reach``: :attr:`reach`, where it is known from an earlier time."""
        self.rules = tuple(rules)
        if reach is not None:
            self.reach = reach
        self._forms = tuple(Form(rule, order, max(self.reach, LOOK_BACK_BYTES)) for order, rule in enumerate(rules))
        of_plain = [form for form, rule in zip(self._forms, rules, strict=True) for _ in rule.candidates]
        of_tokens = [form for form in self._forms if form.is_token]
        self._first_token = len(of_plain)
        self._of = (*of_plain, *of_tokens)
        """The form of each pattern, by its number: those of :attr:`plain` first, then the tokens'."""

    @property
    def plain(self) -> list[tuple[int, bytes]]:
        """What a scanner is to look for in a text as it is, numbered."""
        candidates = (candidate for rule in self.rules for candidate in rule.candidates)
        return [(number, candidate.encode()) for number, candidate in enumerate(candidates)]

    @property
    def joined(self) -> list[tuple[int, bytes]]:
        """What it is to look for in a text without breaks of lines."""
        return [
            (number, candidate.encode()) for number, token in self._tokens for candidate in _shape().candidates(token)
        ]

    @property
    def on_lines(self) -> list[tuple[int, bytes]]:
        """What it is to look for instead in a text without carriage returns."""
        return [
            (number, candidate.encode())
            for number, token in self._tokens
            for candidate in _shape().candidates_on_lines(token)
        ]

    @property
    def tails(self) -> list[tuple[int, bytes]]:
        """What it is to look for at the end of a text without breaks of lines."""
        return [(number, _shape().tail(token).encode()) for number, token in self._tokens]

    @property
    def _tokens(self) -> list[tuple[int, Token]]:
        return list(enumerate((rule.token for rule in self.rules if rule.token), self._first_token))

    @cached_property
    def reach(self) -> int:
        """How many bytes at the end of a text :meth:`undecided` may look at."""
        return max((_shape().reach(rule.token) for rule in self.rules if rule.token), default=0) + _APART_BYTES

    def values(self, text: bytes, candidates: Iterable[Candidate], floor: int, *, judged_bytes: int) -> Iterator[Value]:
        """Yield the secrets among the candidates that begin at ``floor`` or later, none within another.

        They come in the order in which they are decided however the text is cut: the leftmost first, and of those
        that begin together the one whose opening is known first.  A value of more than ``judged_bytes`` is a secret,
        whatever it looks like.
        """
        tried = [(self._of[number], start, end) for number, start, end in candidates]
        openings = _Openings(text, tried)
        masked = floor
        for place, (start, _, _, opened, number) in enumerate(openings.queue):
            form = tried[number][0]
            if start < floor:
                if start < masked:
                    openings.look_behind(place, masked)
                continue
            stop = openings.end(form, opened)
            if stop is None:
                yield form, start, start, opened, None
                return
            secret = (0, stop - start) if stop - start > judged_bytes else form.secret(text[start:stop])
            if secret is None:
                continue
            value = openings.with_crossing((form, start, start + secret[0], opened, start + secret[1]), place)
            yield value
            if value[-1] is None:
                return
            floor = masked = value[-1]

    def undecided(self, text: bytes, start: int, tails: Callable[[bytes], Iterable[Candidate]]) -> Undecided:
        """Return what of ``text[start:]`` must wait for more: the longest end of it that may begin a value.

        ``tails`` tells which of :attr:`tails` a text ends with.
        """
        # What comes before a token may be decided already.
        window = max(0, start - LOOK_BACK_BYTES, len(text) - self.reach)
        # No token has a space in it: mostly there is one near, and little is left to be looked at.
        window = max(window, text.rfind(b" ", window) + 1)
        possible = [
            undecided
            for number, begin, _ in tails(text[window:])
            if (undecided := _unfinished(self._of[number], text, window + begin, start))
        ]
        return min(possible, key=_hold_order, default=Undecided(len(text)))


class _Openings:
    """Where values open in a text, in the order in which they begin and open."""

    def __init__(self, text: bytes, tried: Sequence[tuple[Form, int, int]]) -> None:
        self._text = text
        self._tried = tried
        self._ends: dict[Form, tuple[int, int | None]] = {}
        self.queue = sorted(
            (begins, max(opened, end), form.order, opened, number)
            for number, (form, start, end) in enumerate(tried)
            if (found := form.opened(text, start))
            for begins, opened in (found,)
        )
        """For each: where the value begins, by where it is known, whose it is, where it opened, which candidate."""

    def end(self, form: Form, opened: int) -> int | None:
        """Return where the value of a form ends that opened there; ``None`` when that is still to come."""
        searched, end = self._ends.get(form, (opened, opened - 1))
        # What was found from an earlier place is found from here too: a line of openings is not searched for each.
        if searched <= opened and (end is None or opened <= end):
            return end
        found = form.ends.search(self._text, opened)
        self._ends[form] = opened, found and found.start()
        return self._ends[form][1]

    def look_behind(self, place: int, masked: int) -> None:
        """Look for another opening of a candidate that began in what is masked up to there.

        Of candidates that end together only the first is known.
        """
        form, begin, end = self._tried[self.queue[place][-1]]
        if masked < end and (again := form.opened_within(self._text, begin + 1, end, masked)):
            begins, opened = again
            insort(self.queue, (begins, max(opened, end), form.order, opened, self.queue[place][-1]), lo=place + 1)

    def with_crossing(self, value: Value, place: int) -> Value:
        """Return the value with all of a token that begins in it and goes on behind its end: a line was broken.

        It is the token's then.
        """
        form, begin, start, opened, end = value
        following = place + 1
        while end is not None and following < len(self.queue) and end - begin <= UNJUDGED_VALUE_BYTES:
            other_start, _, _, other_opened, number = self.queue[following]
            if other_start >= end:
                break
            other = self._tried[number][0]
            if other.is_token:
                other_end = self.end(other, other_opened)
                if other_end is None or other_end > end:
                    form, opened, end = other, other_opened, other_end
            following += 1
        return form, begin, start, opened, end


def _unfinished(form: Form, text: bytes, begin: int, start: int) -> Undecided | None:
    """Return the longest end of ``text[start:]`` that may begin a token of the form; ``begin``: none is longer."""
    # Mostly it is there, and a match takes far less time than a search.
    found = form.unfinished.match(text, begin) or form.unfinished.search(text, begin + 1)
    while found:
        value = secret_from(text, found.start("value"), len(text))
        if value >= start:
            return Undecided(value, form, found["begun"]) if found["begun"] else Undecided(value)
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
