r"""Regular expressions of a small, linear kind, taken apart: how a match begins, how it looks broken over lines.

The syntax: literals, ``.``, classes, ``\d \w \s`` and their opposites, groups, alternatives, and the repeats ``? * +
{m} {m,} {m,n}``.  It has no anchors, look-around, back-references or lazy repeats, so that every expression means
the same to any engine, and every beginning of what it matches is itself matched by an expression.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, assert_never

from capture_core.errors import BadInput
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_REPEATS = 4096
"""Of a bounded repeat: what engines take."""

_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]")
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|[dDwWsS]|[^A-Za-z0-9])")
_REPEAT = re.compile(r"[?*+]|\{([0-9]{1,4})(?:(,)([0-9]{0,4}))?\}")
_SIGNS: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_FORBIDDEN = "^$?*+{})]"


class Unit(NamedTuple):
    """Exactly one byte: a literal or a class, as its source."""

    source: str


class Sequence(NamedTuple):
    """One after another; of none: nothing."""

    parts: tuple[Pattern, ...]


class Either(NamedTuple):
    """Any one of them."""

    options: tuple[Pattern, ...]


class Repeat(NamedTuple):
    """``least`` to ``most`` times; without ``most`` any number beyond."""

    part: Pattern
    least: int
    most: int | None


Pattern = Unit | Sequence | Either | Repeat


class PatternRefused(BadInput):
    """An expression that is not of this kind; ``position`` is where, counted in characters from 0."""

    def __init__(self, why: str, position: int) -> None:
        super().__init__(f"{why} at position {position}")
        self.position = position


def parse(source: str) -> Pattern:
    """Take an expression apart.  Raises :exc:`PatternRefused`."""
    pattern, end = _either(source, 0)
    if end != len(source):
        raise PatternRefused(f"unexpected {source[end]!r}", end)
    return pattern


def render(pattern: Pattern) -> str:
    """Return the expression for an engine."""
    return _rendered(pattern, lambda unit: unit.source)


def broken(pattern: Pattern, breaks: str) -> str:
    """Return the expression for the same with ``breaks``, an expression, allowed before each byte."""
    return _rendered(pattern, lambda unit: breaks + unit.source)


def widened(pattern: Pattern, more: str) -> Pattern:
    """Return the pattern with the bytes ``more``, the inside of a class, allowed wherever a class stands."""
    match pattern:
        case Unit(source):
            return Unit(f"[{more}{source[1:]}") if source.startswith("[") and source[1] != "^" else pattern
        case Either(options):
            return Either(tuple(widened(option, more) for option in options))
        case Sequence(parts):
            return Sequence(tuple(widened(part, more) for part in parts))
        case Repeat(part, least, most):
            return Repeat(widened(part, more), least, most)
    assert_never(pattern)


def loosened(pattern: Pattern, many: int) -> Pattern:
    """Return the pattern with every bounded repeat of more than ``many`` without a bound."""
    match pattern:
        case Unit():
            return pattern
        case Either(options):
            return Either(tuple(loosened(option, many) for option in options))
        case Sequence(parts):
            return Sequence(tuple(loosened(part, many) for part in parts))
        case Repeat(part, least, most):
            bound = None if most is not None and most > many else most
            return Repeat(loosened(part, many), least, bound)
    assert_never(pattern)


def shortest(pattern: Pattern) -> Pattern:
    """Return the pattern without what may follow the earliest possible end of a match."""
    match pattern:
        case Unit():
            return pattern
        case Either(options):
            return Either(tuple(map(shortest, options)))
        case Repeat(part, least, _):
            return Repeat(part, least, least) if least else Sequence(())
        case Sequence(parts):
            kept = list(parts)
            while kept and _may_be_empty(kept[-1]):
                del kept[-1]
            return Sequence((*kept[:-1], shortest(kept[-1]))) if kept else Sequence(())
    assert_never(pattern)


def beginnings(pattern: Pattern) -> Pattern:
    """Return a pattern for every beginning of what ``pattern`` matches, all of it too, but not for nothing."""
    match pattern:
        case Unit():
            return pattern
        case Either(options):
            return Either(tuple(map(beginnings, options)))
        case Repeat(part, _, most):
            return beginnings(part) if most == 1 else Sequence((Repeat(part, 0, most and most - 1), beginnings(part)))
        case Sequence((Unit() as first, *rest)):
            return Sequence((first, Repeat(beginnings(Sequence(tuple(rest))), 0, 1))) if rest else first
        case Sequence((first, *rest)):
            begun = beginnings(first)
            return Either((Sequence((first, beginnings(Sequence(tuple(rest))))), begun)) if rest else begun
        case Sequence():
            return pattern
    assert_never(pattern)


def spelt(pattern: Pattern) -> Iterator[tuple[str, ...]]:
    """Yield every way to write a pattern without unbounded repeats as one byte after another, each as its source."""
    match pattern:
        case Unit(source):
            yield (source,)
        case Either(options):
            for option in options:
                yield from spelt(option)
        case Sequence(parts):
            yield from _spelt_together(parts)
        case Repeat(part, least, most):
            for times in range(least, (least if most is None else most) + 1):
                yield from _spelt_together((part,) * times)


def _spelt_together(parts: tuple[Pattern, ...]) -> Iterator[tuple[str, ...]]:
    for chosen in itertools.product(*map(spelt, parts)):
        yield tuple(itertools.chain.from_iterable(chosen))


def longest(pattern: Pattern) -> int | None:
    """Return the length of the longest match in bytes; ``None`` without a bound."""
    match pattern:
        case Unit():
            return 1
        case Either(options):
            return _total(map(longest, options), max)
        case Sequence(parts):
            return _total(map(longest, parts), lambda a, b: a + b)
        case Repeat(part, _, most):
            each = longest(part)
            return None if each is None or most is None else each * most
    assert_never(pattern)


def fewest(pattern: Pattern) -> int:
    """Return the length of the shortest match in bytes."""
    match pattern:
        case Unit():
            return 1
        case Either(options):
            return min(map(fewest, options))
        case Sequence(parts):
            return sum(map(fewest, parts))
        case Repeat(part, least, _):
            return least * fewest(part)
    assert_never(pattern)


def _total(lengths: Iterator[int | None], add: Callable[[int, int], int]) -> int | None:
    total = 0
    for length in lengths:
        if length is None:
            return None
        total = add(total, length)
    return total


def _may_be_empty(pattern: Pattern) -> bool:
    return fewest(pattern) == 0


def _rendered(pattern: Pattern, unit: Callable[[Unit], str]) -> str:
    match pattern:
        case Unit():
            return unit(pattern)
        case Either(options):
            return f"(?:{'|'.join(_rendered(option, unit) for option in options)})"
        case Sequence(parts):
            return "".join(_rendered(part, unit) for part in parts)
        case Repeat(part, least, most):
            inner = _rendered(part, unit)
            return f"{inner if _is_one(inner) else f'(?:{inner})'}{_times(least, most)}"
    assert_never(pattern)


def _is_one(source: str) -> bool:
    return len(source) == 1 or bool(_CLASS.fullmatch(source) or _ESCAPE.fullmatch(source))


def _times(least: int, most: int | None) -> str:
    if most is None:
        return f"{{{least},}}"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _either(source: str, position: int) -> tuple[Pattern, int]:
    options = []
    while True:
        option, position = _sequence(source, position)
        options.append(option)
        if not source.startswith("|", position):
            return options[0] if len(options) == 1 else Either(tuple(options)), position
        position += 1


def _sequence(source: str, position: int) -> tuple[Pattern, int]:
    parts: list[Pattern] = []
    while position < len(source) and source[position] not in "|)":
        part, position = _repeated(source, position)
        parts.extend(part.parts if isinstance(part, Sequence) else [part])
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts)), position


def _repeated(source: str, position: int) -> tuple[Pattern, int]:
    start = position
    part, position = _single(source, position)
    found = _REPEAT.match(source, position)
    if found is None:
        return part, position
    least, most = _bounds(found)
    if (most is not None and most < least) or max(least, most or 0) > MOST_REPEATS:
        raise PatternRefused(f"a repeat {found[0]!r} out of order or beyond {MOST_REPEATS}", found.start())
    if source[found.end() : found.end() + 1] in ("?", "+"):
        raise PatternRefused("a lazy or possessive repeat", found.end())
    if fewest(part) == 0:
        raise PatternRefused("a repeat of what may be nothing", start)
    return Repeat(part, least, most), found.end()


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    if found[0] in _SIGNS:
        return _SIGNS[found[0]]
    least = int(found[1])
    return least, least if found[2] is None else int(found[3]) if found[3] else None


def _single(source: str, position: int) -> tuple[Pattern, int]:
    character = source[position]
    if character == "(":
        return _group(source, position)
    if character == "[":
        return _matched(_CLASS, source, position, "a class that is not closed")
    if character == "\\":
        return _matched(_ESCAPE, source, position, f"an unknown escape {source[position : position + 2]!r}")
    if character in _FORBIDDEN:
        raise PatternRefused(f"{character!r}, which has no meaning here", position)
    if character == ".":
        return Unit(r"[^\r\n]"), position + 1
    return _literal(character), position + 1


def _group(source: str, position: int) -> tuple[Pattern, int]:
    inside = position + 1
    if source.startswith("?:", inside):
        inside += 2
    elif source.startswith("?", inside):
        raise PatternRefused("a group of a kind that is not known", position)
    pattern, end = _either(source, inside)
    if not source.startswith(")", end):
        raise PatternRefused("a group that is not closed", position)
    return pattern, end + 1


def _matched(what: re.Pattern[str], source: str, position: int, otherwise: str) -> tuple[Pattern, int]:
    found = what.match(source, position)
    if found is None:
        raise PatternRefused(otherwise, position)
    if not found[0].isascii():
        raise PatternRefused("a class with characters beyond ASCII", position)
    return Unit(found[0]), found.end()


def _literal(character: str) -> Pattern:
    """A character is as many bytes as UTF-8 takes for it."""
    if character.isascii():
        return Unit(re.escape(character))
    return Sequence(tuple(Unit(f"\\x{byte:02x}") for byte in character.encode()))
