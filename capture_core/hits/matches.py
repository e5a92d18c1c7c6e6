"""Where in a line its matches are, and what of its text is told with them; pure."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from capture_core.cursor import CODE_POINT_BYTES, floor_edge
from capture_core.limits.reading import SEARCH_HIT_TEXT_BYTES, SEARCH_LINE_BYTES
from capture_core.limits.searching import SEARCH_HIT_MATCHES, SEARCH_OVERLAP_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.find.matcher import Matcher
    from capture_core.hits.scan import Line
    from capture_core.lines import Read


class Found(NamedTuple):
    """A hit within its stream; see :class:`capture_core.source.Hit`."""

    line_start: int
    line_end: int
    start: int
    end: int
    text: bytes
    text_start: int
    matches: tuple[tuple[int, int], ...]


def found(line: Line, text: bytes | None, read: Read, matcher: Matcher | None, *, most: int = 1) -> Found:
    """The hit in ``line``, whose bytes are ``text``, or are read where that is ``None``.

    At most ``most`` matches are told.  Without a matcher it is the line itself that is wanted, for having none.
    """
    if text is None and line.end - line.start <= SEARCH_LINE_BYTES:
        text = read(line.start, line.end)
    if matcher is None:
        matches: tuple[tuple[int, int], ...] = ()
    elif text is not None:
        spans = islice(matcher.spans(text), most)
        matches = tuple([(line.start + start, line.start + end) for start, end in spans])
    else:
        first = max(line.start, line.match_end - SEARCH_OVERLAP_BYTES)
        matches = tuple(islice(spans_from(matcher, read, line.start, line.end, first), most))
    return _told(line.start, line.end, matches, text, read)


def found_from(offset: int, start: int, end: int, read: Read, matcher: Matcher, *, most: int = 1) -> Found | None:
    """The hit in the line ``start:end`` whose first match begins at ``offset`` or later."""
    matches = tuple(islice(spans_from(matcher, read, start, end, offset), most))
    return _told(start, end, matches, None, read) if matches else None


def spans_from(matcher: Matcher, read: Read, start: int, end: int, offset: int) -> Iterator[tuple[int, int]]:
    """The matches of the line ``start:end`` that begin at ``offset`` or later.

    A line of more than ``SEARCH_LINE_BYTES`` is looked at in pieces of that size.  A match longer than
    ``SEARCH_OVERLAP_BYTES`` may be told as ending where its piece does.
    """
    while offset <= end:
        # A character before it tells whether a word, or the line, begins here.
        low = max(start, offset - CODE_POINT_BYTES)
        high = min(end, low + SEARCH_LINE_BYTES)
        limit = end + 1 if high == end else high - SEARCH_OVERLAP_BYTES
        low = _edge(read, low, high)
        for begin, stop in _within(matcher, read(low, high), low, offset, limit):
            yield begin, stop
            offset = max(stop, begin + 1)
        offset = max(offset, limit)


def count_spans(line: Line, text: bytes | None, read: Read, matcher: Matcher) -> int:
    """How many matches the line has."""
    if text is None and line.end - line.start <= SEARCH_LINE_BYTES:
        text = read(line.start, line.end)
    spans = spans_from(matcher, read, line.start, line.end, line.start) if text is None else matcher.spans(text)
    return sum(1 for _ in spans)


def most_of(*, every_match: bool) -> int:
    """How many matches of a line are told."""
    return SEARCH_HIT_MATCHES if every_match else 1


def _within(matcher: Matcher, text: bytes, low: int, offset: int, limit: int) -> Iterator[tuple[int, int]]:
    for start, end in matcher.spans(text):
        if low + start >= limit:
            return
        if low + start >= offset:
            yield low + start, low + end
        elif low + end > offset:
            # It would take away the beginning of one that may begin where the piece before ended.
            yield from _within(matcher, text[offset - low :], offset, offset, limit)
            return


def _edge(read: Read, low: int, high: int) -> int:
    """Where the character begins that ``low`` lies in, or just behind it: what is cut is not matched."""
    head = read(low, min(low + CODE_POINT_BYTES, high))
    return low + next((n for n, byte in enumerate(head) if not 0x80 <= byte < 0xC0), 0)  # noqa: PLR2004 — RFC 3629


def _told(start: int, end: int, matches: tuple[tuple[int, int], ...], text: bytes | None, read: Read) -> Found:
    first = matches[0] if matches else (start, start)
    if text is not None and len(text) <= SEARCH_HIT_TEXT_BYTES:
        return Found(start, end, *first, text, start, matches)
    low, high = excerpt(start, end, first[0], read)
    return Found(start, end, *first, read(low, high), low, matches)


def excerpt(start: int, end: int, place: int, read: Read) -> tuple[int, int]:
    """The part of the line ``start:end`` that is told: bounded, around ``place``, cut between characters."""
    low = max(start, min(place - SEARCH_HIT_TEXT_BYTES // 4, end - SEARCH_HIT_TEXT_BYTES))
    high = min(end, low + SEARCH_HIT_TEXT_BYTES)
    return _floor(start, end, low, read), _floor(start, end, high, read)


def _floor(start: int, end: int, at: int, read: Read) -> int:
    if at in (start, end):
        return at
    low = max(start, at - CODE_POINT_BYTES)
    return low + floor_edge(read(low, min(at + 1, end)), at - low)
