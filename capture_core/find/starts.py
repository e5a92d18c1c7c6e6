"""Matches within a line by hyperscan alone, where RE2 is not installed.

Hyperscan tells for each place where a match ends the first one where such a match begins.  A match that begins within
another one can hide one that begins behind that; what lies behind is looked at again then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import hyperscan

from capture_core.find.expression import ANY_BYTE, NO_WORD, followed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.find.expression import Forms
    from capture_core.find.second import Spans

_FLAGS: Final = hyperscan.HS_FLAG_MULTILINE | hyperscan.HS_FLAG_SOM_LEFTMOST


def spans(forms: Forms, *, word: bool) -> Spans | None:
    """What finds the matches of expressions that are never empty; ``None`` where hyperscan cannot."""
    try:
        return _Words(forms) if word else _Spans(forms)
    except hyperscan.error:
        return None


class _Spans:
    def __init__(self, forms: Forms) -> None:
        self._first = _compiled(forms.lines(word=False))
        # Behind one byte, which tells whether a word begins there.
        self._later = _compiled(forms.opened(ANY_BYTE, at_start=False, word=False))

    def over(self, line: bytes) -> Iterator[tuple[int, int]]:
        events = _events(self._first, line)
        while events:
            at = -1
            for start, end in events:
                if start < at < end:
                    break
                if start >= at:
                    yield start, end
                    at = end
            else:
                return
            events = [(start + at, end + at - 1) for start, end in _events(self._later, line[at - 1 :])]


class _Words:
    """Matches with no word's character on either side."""

    def __init__(self, forms: Forms) -> None:
        self._first = _compiled(forms.opened("\\A", at_start=True, word=True))
        self._later = _compiled(forms.opened(NO_WORD, at_start=False, word=True))
        # Up to the line's end and before what is no word's; from the line's start on, then from behind one byte.
        opened = f"\\A{ANY_BYTE}"
        self._ends = {
            True: (_compiled(followed("\\A", forms.whole, "$")), _compiled(followed("\\A", forms.at_start, NO_WORD))),
            False: (
                _compiled(followed(opened, forms.at_end, "$")),
                _compiled(followed(opened, forms.anywhere, NO_WORD)),
            ),
        }

    def over(self, line: bytes) -> Iterator[tuple[int, int]]:
        start = 0 if _events(self._first, line) else self._next(line, 0)
        while start is not None:
            end = self._end(line, start)
            yield start, end
            start = self._next(line, end - 1)

    def _next(self, line: bytes, at: int) -> int | None:
        events = _events(self._later, line[at:])
        return events[0][0] + at + 1 if events else None

    def _end(self, line: bytes, start: int) -> int:
        low = max(0, start - 1)
        last, inside = self._ends[start == 0]
        if _events(last, line[low:]):
            return len(line)
        return max(end for _, end in _events(inside, line[low:])) + low - 1


def _events(database: hyperscan.Database | None, data: bytes) -> list[tuple[int, int]]:
    """What is told, by start, the longest of those that begin together first."""
    found: list[tuple[int, int]] = []
    if database is None:
        return found

    def told(_id: int, start: int, end: int, _flags: int, _context: object) -> None:
        found.append((start, end))

    database.scan(data, match_event_handler=told, scratch=hyperscan.Scratch(database))
    return sorted(found, key=lambda span: (span[0], -span[1]))


def _compiled(expression: str | None) -> hyperscan.Database | None:
    if expression is None:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(expressions=[expression.encode()], ids=[0], flags=[_FLAGS])
    except hyperscan.error as error:
        if is_impossible(error):
            return None
        raise
    return database


def is_impossible(error: hyperscan.error) -> bool:
    """Whether hyperscan refuses an expression because nothing matches it."""
    return "can never match" in str(error)
