"""Hides what the user's own rules match, in place, before the built-in rules look at the text.

The rules are run by hyperscan alone: their matches, and for each rule a second expression that tells what at the end
of the text may yet become a match.  Time is linear whatever the rule.
"""

from __future__ import annotations

import functools
import itertools
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

from capture_core.decode import weight
from capture_core.errors import BadInput
from capture_core.limits import USER_RULE_BYTES, USER_RULE_FEWEST_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.library import hyperscan
from capture_core.redact.pattern import PatternRefused, Sequence, Unit, beginnings, fewest, parse, render
from capture_core.redact.veil import SHORTEST_VEIL, VEIL, VEIL_NAMES, continued, veiled
from capture_core.user_rule import UserRule, why_no_name

if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from capture_core.redact.pattern import Pattern

# Of a byte in UTF-8, what tells that it continues a character.
_MARK_BITS = 0xC0
_CONTINUATION = 0x80


class Span(NamedTuple):
    """What a rule matches: its range in the text, and the index of the rule."""

    start: int
    end: int
    rule: int


class CompiledRules:
    """The user's rules, compiled; immutable."""

    def __init__(self, rules: abc.Sequence[UserRule]) -> None:
        """Compile.  Raises ``BadInput`` with the name of the rule and the place in it; :exc:`EngineUnavailable`."""
        _check_names(rules)
        self.names = tuple(rule.name for rule in rules)
        hs = hyperscan()
        patterns = [_pattern(rule) for rule in rules]
        self._introducers = tuple(map(_introducer_bytes, patterns))
        flags = [hs.HS_FLAG_SOM_LEFTMOST | (hs.HS_FLAG_CASELESS if rule.ignore_case else 0) for rule in rules]
        wholes = [render(pattern).encode() for pattern in patterns]
        # What the end of a text looks like that may become a match.
        tails = [rf"{render(beginnings(pattern))}\z".encode() for pattern in patterns]
        for rule, whole, tail, flag in zip(rules, wholes, tails, flags, strict=True):
            _check(hs, rule, whole, flag)
            _check(hs, rule, tail, flag)
        self._matches = _compiled(hs, wholes, flags)
        self._tails = _compiled(hs, tails, flags)
        self._scratch = hs.Scratch

    def stage(self, *, first_name: int, pending_bytes: int) -> RuleVeils:
        """A stage for one stream; ``first_name``: the index that the veils of the first rule bear."""
        matches = functools.partial(self._matches.scan, scratch=self._scratch(self._matches))
        tails = functools.partial(self._tails.scan, scratch=self._scratch(self._tails))
        return RuleVeils(matches, tails, self._introducers, first_name=first_name, pending_bytes=pending_bytes)


class RuleVeils:
    """Takes text without terminal control; gives back the same length of text, with veils in place of matches."""

    def __init__(
        self,
        matches: Callable[..., object],
        tails: Callable[..., object],
        introducers: abc.Sequence[int],
        *,
        first_name: int,
        pending_bytes: int,
    ) -> None:
        """``introducers``: how many bytes introduce a match of each rule."""
        self.accepted = 0
        """Raw bytes of hidden values less those of their veils, for which later stages account: 0 or less."""
        self.discarded = 0
        """Raw bytes of omitted fragments."""
        self.omitted = 0
        """Omitted fragments: none but at an end, and without a mark in the text."""
        self.redactions: Counter[str] = Counter()
        """Hidden values for which there was no room for a veil: none."""
        self._matches = matches
        self._tails = tails
        self._introducers = introducers
        self._first_name = first_name
        self._pending_bytes = pending_bytes
        self._undecided = b""
        self._overlong = False
        """In a match that grew too long: all of its line is hidden."""

    @property
    def held(self) -> int:
        """Raw bytes that are not decided."""
        return weight(self._undecided)

    def feed(self, text: bytes) -> bytes:
        """Return the text that is decided now."""
        out: list[bytes] = []
        while text:
            given, text = self._rest_of_line(text) if self._overlong else self._decide(text)
            out.append(given)
        return b"".join(out)

    def _decide(self, text: bytes) -> tuple[bytes, bytes]:
        """Return what is decided, and what is to be looked at again."""
        text = self._undecided + text
        spans, begun = self._spans(text), self._begun(text)
        undecided = begun.start if begun else len(text)
        # A match over which another one may yet reach waits with it.
        hold = next((span.start for span in spans if span.end > undecided), undecided)
        given = self._veiled(text[:hold], spans)
        if begun and len(text) - hold > self._pending_bytes:
            hidden, rest = self._give_up(text[hold:], begun.rule)
            return given + hidden, rest
        self._undecided = text[hold:]
        return given, b""

    def finish(self, *, eof: bool) -> bytes:
        """Settle what is held: what is past what introduces it is hidden as if it were whole.

        Other text is given out when the stream truly ended (``eof``), and omitted when more was to come.
        """
        text, self._undecided, self._overlong = self._undecided, b"", False
        spans, begun = self._spans(text), self._begun(text)
        if begun is None:
            return self._veiled(text, spans)
        if 0 < self._introducers[begun.rule] < len(text) - begun.start and len(text) - begun.start >= SHORTEST_VEIL:
            return self._veiled(text, _merged([*spans, begun]))
        if eof:
            return self._veiled(text, spans)
        self.discarded += weight(text[begun.start :])
        self.omitted += 1
        return self._veiled(text[: begun.start], spans)

    def _spans(self, text: bytes) -> list[Span]:
        """Return what is matched, overlapping matches as one."""
        return _merged(_found(self._matches, text))

    def _begun(self, text: bytes) -> Span | None:
        """Return the longest end of the text that may become a match."""
        return min(_found(self._tails, text), default=None)

    def _veiled(self, text: bytes, spans: Iterable[Span]) -> bytes:
        return b"".join(self._pieces(text, spans))

    def _pieces(self, text: bytes, spans: Iterable[Span]) -> Iterator[bytes]:
        done = 0
        for start, end, rule in spans:
            if end > len(text):
                break
            yield text[done:start]
            yield self._hidden(rule, text[start:end])
            done = end
        yield text[done:]

    def _hidden(self, rule: int, text: bytes) -> bytes:
        self.accepted += weight(text) - len(text)
        return veiled(self._first_name + rule, len(text))

    def _give_up(self, text: bytes, rule: int) -> tuple[bytes, bytes]:
        """Hide a match that goes on for too long as if it were whole, and what follows it on its line."""
        end = _line_break(text, self._pending_bytes)
        self._undecided, self._overlong = b"", end == len(text)
        return self._hidden(rule, text[:end]), text[end:]

    def _rest_of_line(self, text: bytes) -> tuple[bytes, bytes]:
        end = _line_break(text, 0)
        self.accepted += weight(text[:end]) - end
        self._overlong = end == len(text)
        return continued(end), text[end:]


def _check_names(rules: abc.Sequence[UserRule]) -> None:
    if len(rules) > VEIL_NAMES // 2:
        raise BadInput(f"{len(rules)} redaction rules; at most {VEIL_NAMES // 2} can be told apart")
    for rule in rules:
        if why := why_no_name(rule.name):
            raise BadInput(f"redaction rule {rule.name[:80]!r}: its name {why}")


def _pattern(rule: UserRule) -> Pattern:
    if len(rule.pattern.encode(errors="surrogateescape")) > USER_RULE_BYTES:
        raise _refused(rule, f"longer than {USER_RULE_BYTES} bytes")
    try:
        pattern = parse(rule.pattern)
    except PatternRefused as refused:
        raise _refused(rule, str(refused)) from refused
    if fewest(pattern) < SHORTEST_VEIL:
        raise _refused(rule, f"it may match less than {SHORTEST_VEIL} bytes")
    if fewest(pattern) > USER_RULE_FEWEST_BYTES:
        raise _refused(rule, f"it matches nothing shorter than {USER_RULE_FEWEST_BYTES} bytes")
    return pattern


def _introducer_bytes(pattern: Pattern) -> int:
    """Return how many bytes every match begins with that are no class."""
    units = pattern.parts if isinstance(pattern, Sequence) else (pattern,)
    literal = itertools.takewhile(lambda unit: isinstance(unit, Unit) and not unit.source.startswith("["), units)
    return len(list(literal))


def _check(hs: ModuleType, rule: UserRule, whole: bytes, flag: int) -> None:
    try:
        _compiled(hs, [whole], [flag])
    except hs.error as error:
        raise _refused(rule, f"hyperscan does not take it: {error}") from error


def _refused(rule: UserRule, why: str) -> BadInput:
    return BadInput(f"redaction rule {rule.name!r}: {why}; mend its pattern")


def _compiled(hs: ModuleType, expressions: abc.Sequence[bytes], flags: abc.Sequence[int]) -> Any:  # noqa: ANN401
    database = hs.Database(mode=hs.HS_MODE_BLOCK)
    database.compile(expressions=expressions, ids=range(len(expressions)), flags=flags)
    return database


def _found(scan: Callable[..., object], text: bytes) -> list[Span]:
    """Return all that is found, widened to whole characters and whole veils."""
    found: list[Span] = []
    if text:
        scan(text, _note, context=found)
    if text.isascii():
        return sorted(found)
    veils = [part.span() for part in VEIL.finditer(text)]
    return sorted(_whole(text, veils, span) for span in found)


def _whole(text: bytes, veils: abc.Sequence[tuple[int, int]], span: Span) -> Span:
    start, end = _character(text, span.start), _character_end(text, span.end)
    for begin, stop in (_veil_at(veils, start), _veil_at(veils, end)):
        if begin < start < stop:
            start = begin
        if begin < end < stop:
            end = stop
    return Span(start, end, span.rule)


def _veil_at(veils: abc.Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
    number = bisect_right(veils, (place,)) - 1
    return veils[number] if number >= 0 else (0, 0)


def _note(rule: int, start: int, end: int, _flags: int, found: Any) -> None:  # noqa: ANN401
    found.append(Span(start, end, rule))


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Put together what overlaps, by the name of the first."""
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _character(text: bytes, place: int) -> int:
    """Return where the character begins that a place lies in."""
    while place < len(text) and text[place] & _MARK_BITS == _CONTINUATION:
        place -= 1
    return place


def _character_end(text: bytes, place: int) -> int:
    """Return where the character ends that a place lies in."""
    while place < len(text) and text[place] & _MARK_BITS == _CONTINUATION:
        place += 1
    return place


def _line_break(text: bytes, start: int) -> int:
    found = [place for sign in (b"\n", b"\r") if (place := text.find(sign, start)) >= 0]
    return min(found, default=len(text))
