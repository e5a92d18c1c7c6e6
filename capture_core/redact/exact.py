"""The rules' exact patterns: which candidates open a value, where it ends, and what may yet become one."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from capture_core.limits.sanitising import LOOK_BACK_BYTES, UNJUDGED_VALUE_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.breaks import secret_from
from capture_core.redact.form import Form, token_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from capture_core.redact.rule import Rule, Token
    from capture_core.redact.scanning import Candidate

_APART_BYTES = 6
"""How far a token looks back to see whether it continues a word."""

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
        self._forms = tuple(Form(rule, order) for order, rule in enumerate(rules))
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
            (number, candidate.encode())
            for number, token in self._tokens
            for candidate in token_shape().candidates(token)
        ]

    @property
    def on_lines(self) -> list[tuple[int, bytes]]:
        """What it is to look for instead in a text without carriage returns."""
        return [
            (number, candidate.encode())
            for number, token in self._tokens
            for candidate in token_shape().candidates_on_lines(token)
        ]

    @property
    def tails(self) -> list[tuple[int, bytes]]:
        """What it is to look for at the end of a text without breaks of lines."""
        return [(number, token_shape().tail(token).encode()) for number, token in self._tokens]

    @property
    def _tokens(self) -> list[tuple[int, Token]]:
        return list(enumerate((rule.token for rule in self.rules if rule.token), self._first_token))

    @cached_property
    def reach(self) -> int:
        """How many bytes at the end of a text :meth:`undecided` may look at."""
        return max((token_shape().reach(rule.token) for rule in self.rules if rule.token), default=0) + _APART_BYTES

    def values(self, text: bytes, candidates: Iterable[Candidate], floor: int, *, judged_bytes: int) -> Iterator[Value]:
        """Yield the secrets among the candidates that begin at ``floor`` or later, none within another.

        They come in the order in which they are decided however the text is cut: the leftmost first, and of those
        that begin together the one whose opening is known first.  A value of more than ``judged_bytes`` is a secret,
        whatever it looks like.
        """
        tried = [(self._of[number], start, end) for number, start, end in candidates]
        openings = _Openings(text, tried)
        masked = floor
        for place, (start, known, _, opened, number, at) in enumerate(openings.queue):
            form = tried[number][0]
            if start < floor:
                if start < masked:
                    openings.look_behind(place, masked)
                continue
            if form.is_token and known - at != form.bytes_each:
                # Else the candidate is of that length, none other ends together with it, and no line breaks in it.
                openings.look_behind(place, start + 1)
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
            (begins, max(opened, end), form.order, opened, number, at)
            for number, (form, start, end) in enumerate(tried)
            if (found := form.first(text, start, end))
            for at, begins, opened in (found,)
        )
        """Each: where its value begins, from where it is known, its rule, where it opened, its candidate, its place."""

    def end(self, form: Form, opened: int) -> int | None:
        """Return where the value of a form ends that opened there; ``None`` when that is still to come."""
        searched, end = self._ends.get(form, (opened, opened - 1))
        # What was found from an earlier place is found from here too: a line of openings is not searched for each.
        if searched <= opened and (end is None or opened <= end):
            return end
        found = form.ends.search(self._text, opened)
        self._ends[form] = opened, found and found.start()
        return self._ends[form][1]

    def look_behind(self, place: int, floor: int) -> None:
        """Look for another opening where the candidate of that place is, of a value that begins at ``floor`` or later.

        Of candidates that end together only the first is known.
        """
        number, at = self.queue[place][-2:]
        form, _, end = self._tried[number]
        if floor < end and (again := form.following(self._text, at, end, floor)):
            at, begins, opened = again
            entry = begins, max(opened, end), form.order, opened, number, at
            place = bisect_right(self.queue, entry, lo=place + 1)
            if self.queue[place - 1] != entry:
                self.queue.insert(place, entry)

    def with_crossing(self, value: Value, place: int) -> Value:
        """Return the value with all of a token that begins in it and goes on behind its end: a line was broken.

        It is the token's then.
        """
        form, begin, start, opened, end = value
        following = place + 1
        while end is not None and following < len(self.queue) and end - begin <= UNJUDGED_VALUE_BYTES:
            other_start, _, _, other_opened, number, _ = self.queue[following]
            if other_start >= end:
                break
            other = self._tried[number][0]
            if other.is_token:
                other_end = self.end(other, other_opened)
                if other_end is None or other_end > end:
                    form, opened, end = other, other_opened, other_end
                self.look_behind(following, other_start + 1)
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


def _hold_order(undecided: Undecided) -> tuple[int, bool]:
    """The longest first; of two as long, one that is past its introducer."""
    return undecided.start, undecided.begun is None
