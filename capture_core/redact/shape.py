"""The expressions of a token, derived from its introducer and body: to find it, to hold it, to tell its end.

A token may be broken over lines anywhere.  It is looked for in the text without breaks of lines, and what is found
there is tried on the text as it is.  Where only line feeds break lines, which is nearly everywhere, there is a faster
way: what a break may leave of a token at the end of a line is looked for in the text as it is.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from capture_core.limits.sanitising import HARMLESS_BYTES, LINE_BREAK_BYTES
from capture_core.redact.pattern import (
    Sequence,
    Unit,
    beginnings,
    broken,
    fewest,
    longest,
    loosened,
    parse,
    render,
    shortest,
    spelt,
    widened,
)
from capture_core.redact.rule import APART
from capture_core.redact.veil import VEIL_CLASS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.redact.pattern import Pattern
    from capture_core.redact.rule import Token

_BREAK = rf"(?:(?=\n{{0,{LINE_BREAK_BYTES}}}\r)[\r\n]{{1,{LINE_BREAK_BYTES}}}|\n{{0,2}})"
"""What may stand between any two bytes of a token; more than two line feeds only together with a carriage return."""

_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2})?"
"""How the lines of many logs begin."""

_MANY = 64
"""A scanner that is to tell where a match begins takes no repeat of much more than this."""

_PIECES = 4
"""So many short lines of nothing else are text behind a token."""


_LEADING = 3
_MOST_WRITTEN_OUT = 256

_TELLING = 6
"""So many bytes of a context, and then a break, are found nowhere by chance."""


def candidates(token: Token) -> list[str]:
    """Return what to look for in the text without breaks of lines: the token, as short as it can be."""
    if token.candidate:
        return [token.candidate]
    return _written_out(token) or [token.context + render(shortest(_whole(token)))]


def candidates_on_lines(token: Token) -> list[str]:
    """Return what to look for in a text without carriage returns: the token, and each way in which it begins to break.

    Short repeats are written out: as literals they are found several times faster.
    """
    if token.solid:
        return candidates(token)
    begun = _written_out(token) or [f"{token.context}{token.introducer}(?:{render(beginnings(_body(token)))})?\\n"]
    ways = [
        f"{token.context}{''.join(units[:place])}{feeds}{more}"
        for units in spelt(parse(token.introducer))
        # Behind a context it may break before the token's first byte, too.
        for place in range(0 if token.context else 1, len(units))
        for feeds in (r"\n", r"\n\n")
        for more in _goes_on(units, place)
    ]
    return list(dict.fromkeys([*candidates(token), *begun, *ways, *_broken_contexts(token)]))


def _broken_contexts(token: Token) -> Iterator[str]:
    """Yield each way in which a context of literals begins to break; one of classes would be found everywhere."""
    if not _is_literal(token):
        return
    for units in spelt(parse(token.context)):
        for place in range(1, len(units)):
            for feeds in (r"\n", r"\n\n"):
                for more in _follows(units[place:], 1 if place >= _TELLING else _LEADING):
                    yield f"{''.join(units[:place])}{feeds}{more}"


def _follows(units: tuple[str, ...], count: int) -> Iterator[str]:
    """Yield how a line may go on: with so many bytes, or with fewer and another break."""
    first = units[:count]
    yield "".join(first)
    for place in range(1, len(first)):
        yield "".join(first[:place]) + r"\n"


def _is_literal(token: Token) -> bool:
    """Tell whether a token's context consists of literals, and may be broken over lines as the token may."""
    return not token.solid and bool(token.context) and "[" not in token.context


def _written_out(token: Token) -> list[str]:
    """Return all introducers of a token, as literals where it begins with classes alone; else none.

    Nobody writes these by chance, and literals are found several times faster than the classes.
    """
    introducer = parse(token.introducer)
    if not isinstance(introducer, Sequence):
        return []
    leading = [part for part in introducer.parts[:_LEADING] if isinstance(part, Unit) and part.source[0] == "["]
    if len(leading) < _LEADING:
        return []
    ways = list(itertools.product(*(_members(part.source) for part in leading)))
    assert len(ways) <= _MOST_WRITTEN_OUT, "too many introducers to be written out"  # noqa: S101 — a fault in a table
    rest = render(Sequence(introducer.parts[_LEADING:]))
    return [f"{token.context}{''.join(way)}{rest}" for way in ways]


def _members(of_class: str) -> list[str]:
    return [re.escape(character) for character in map(chr, range(128)) if re.fullmatch(of_class, character)]


def _goes_on(units: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Return how the next line may begin: three bytes at the least are looked for, since two are found everywhere."""
    if place > 1 or len(units) == place + 1:
        return (units[place],)
    return units[place] + units[place + 1], units[place] + r"\n"


def tail(token: Token) -> str:
    """Return what that text ends with when the token has begun, whole or not; and perhaps more than that."""
    return rf"{token.context}{render(beginnings(loosened(_whole(token), _MANY)))}$"


def opening(token: Token) -> str:
    """Return what is to match the text as it is; the group ``value`` is the token without its context.

    The group ``broken`` is that too, when lines are broken in it.
    """
    whole = _whole(token)
    forms = f"{render(whole)}|(?P<broken>{'(?!)' if token.solid else broken(whole, _BREAK)})"
    return f"{_before(token)}(?P<value>{forms})"


def lead(token: Token) -> str:
    """Return what the first byte of its opening matches."""
    return "|".join(dict.fromkeys(units[0] for units in spelt(parse(token.context + token.introducer))))


def candidate_bytes(token: Token) -> int | None:
    """Return how long what is looked for is, without breaks of lines; ``None`` where that varies."""
    whole = parse(token.candidate) if token.candidate else shortest(_whole(token))
    parts = parse(token.context), whole
    length = longest(Sequence(parts))
    return length if length == sum(map(fewest, parts)) else None


def unfinished(token: Token) -> str:
    r"""Return what it ends with (``\Z``); the group ``begun`` is what follows the introducer, once that is whole."""
    between = "" if token.solid else _BREAK
    body = broken(beginnings(_body(token)), between)
    begun = f"{broken(parse(token.introducer), between)}{between}(?P<begun>{body})"
    introducer = broken(beginnings(parse(token.introducer)), between)
    return rf"{_before(token)}(?P<value>{begun}|{introducer}){between}\Z"


def ends(token: Token) -> str:
    """Return what ends it.

    A break of the line ends an exact one.  It ends another one too when what follows is short, or a word or a date
    with more behind it on its line: that is text which goes on, not the token.
    """
    if token.exact:
        return f"[^{VEIL_CLASS}{token.alphabet}]"
    inside = VEIL_CLASS + token.alphabet
    breaks = rf"[\r\n]{{1,{LINE_BREAK_BYTES}}}+"
    short = rf"[{inside}]{{1,{HARMLESS_BYTES}}}+"
    word = rf"(?:{short}|[A-Z]?[a-z]{{5,24}}+|[A-Z]{{6,24}}+|{_DATE})?"
    # Short lines do not tell for a while: they may be pieces of a token.
    few = rf"(?:{breaks}{short}){{0,{_PIECES - 1}}}{breaks}{word}[^\r\n{inside}]"
    many = rf"(?:{breaks}{short}){{{_PIECES}}}[^{inside}]"
    return rf"[^\r\n{inside}]|{few}|{many}|[\r\n]{{{LINE_BREAK_BYTES + 1}}}"


def reach(token: Token) -> int:
    """Return how long a token can be before it has opened, in bytes, its context and breaks of lines included."""
    length = longest(Sequence((parse(token.context), _whole(token))))
    assert length is not None, "a token's body is bounded"  # noqa: S101 — a fault in a table
    return length if token.solid else length * (1 + LINE_BREAK_BYTES)


def _before(token: Token) -> str:
    context = token.context
    if _is_literal(token):
        # None before its first byte.
        context = broken(parse(context), _BREAK).removeprefix(_BREAK)
    return (APART if token.apart else "") + context


def _body(token: Token) -> Pattern:
    """Return the body; what an earlier stage has masked may be anything in it."""
    return widened(parse(token.body), VEIL_CLASS)


def _whole(token: Token) -> Sequence:
    return Sequence((parse(token.introducer), _body(token)))
