"""The lines before and after a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.hits.matches import excerpt
from capture_core.hits.pieces import line_end, line_of
from capture_core.source import NearLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.hits.matches import Found
    from capture_core.hits.pieces import Text


def before(found: Found, number: int | None, text: Text, count: int) -> tuple[NearLine, ...]:
    """The ``count`` lines before a hit, whose line has this number; fewer where there are no more."""
    lines: list[NearLine] = []
    start = found.line_start
    while start > 0 and len(lines) < count:
        end = start - 1
        start = line_of(text, end)
        number = None if number is None else number - 1
        lines.append(_line(number, start, end, text))
    return tuple(reversed(lines))


def after(found: Found, number: int | None, text: Text, committed: int, count: int) -> tuple[NearLine, ...]:
    """The ``count`` lines after a hit."""
    return tuple(_after(found.line_end + 1, number, text, committed, count))


def _after(start: int, number: int | None, text: Text, committed: int, count: int) -> Iterator[NearLine]:
    while start < committed and count > 0:
        end = line_end(text, start, committed)
        number = None if number is None else number + 1
        yield _line(number, start, end, text)
        start, count = end + 1, count - 1


def _line(number: int | None, start: int, end: int, text: Text) -> NearLine:
    low, high = excerpt(start, end, start, text.read)
    return NearLine(number, start, end, text.read(low, high), low)
