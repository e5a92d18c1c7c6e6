"""Matching lines of one stream, found in bounded blocks and in linear time, across every edge of a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

from capture_core.cursor import floor_edge
from capture_core.errors import Refused
from capture_core.limits.reading import (
    SEARCH_BLOCK_BYTES,
    SEARCH_HIT_TEXT_BYTES,
    SEARCH_LINE_BYTES,
    SEARCH_PATTERN_BYTES,
)
from capture_core.names import raw_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import hyperscan

    from capture_core.lines import Read

_OVERLAP: Final = SEARCH_LINE_BYTES // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A hit without its address; see :class:`capture_core.source.Hit`."""

    line: int
    line_start: int
    line_end: int
    start: int
    end: int
    text: bytes
    text_start: int


class Finder(Protocol):
    """Looks for matches in one piece of data."""

    def candidate(self, data: bytes, start: int) -> int | None:
        """The offset of a byte in the first line at or after ``start`` that may match; ``None``: none does."""

    def match(self, line: bytes, start: int) -> tuple[int, int] | None:
        """The leftmost match in ``line`` that begins at or after ``start``; the longest of those."""


class Matcher(Protocol):
    """What a match is.  There is one definition of it, for every surface."""

    def over(self, data: bytes) -> Finder:
        """What finds matches in ``data`` and in its parts."""


def compile_pattern(pattern: str, *, fixed: bool = False) -> Matcher:
    """Make a matcher of a literal, or of a regular expression that runs in linear time on any text.

    Raises :class:`Refused` for what is empty, spans lines, is too long, or has no linear form.
    """
    needle = raw_text(pattern)
    if not needle:
        raise Refused("the pattern is empty; give some text to look for")
    if len(needle) > SEARCH_PATTERN_BYTES:
        raise Refused(f"the pattern has {len(needle)} bytes; at most {SEARCH_PATTERN_BYTES} are searched for")
    if b"\n" in needle:
        raise Refused("the pattern holds a line break; hits are single lines")
    return _Literal(needle) if fixed else _Expression(needle)


def search(read: Read, end: int, matcher: Matcher) -> Iterator[tuple[Found, ...]]:
    """Search ``0:end``; gives the hits of each block that was read, in order, so that a caller can stop between.

    A line longer than ``SEARCH_LINE_BYTES`` is searched in overlapping pieces; each piece with a match counts as a
    line, all with the same number.
    """
    scan = _Scan(matcher)
    position = 0
    while position < end:
        block = read(position, min(position + SEARCH_BLOCK_BYTES, end))
        position += len(block)
        yield scan.feed(block)
    yield scan.finish()


class _Scan:
    """The stage behind :func:`search`: blocks in, hits out."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._data = b""
        self._offset = 0
        """Of ``_data`` in the stream."""
        self._line = 1
        self._after = 0
        """Matches before this offset were given out, or lie in a line that was."""

    def feed(self, block: bytes) -> tuple[Found, ...]:
        self._data += block
        whole = self._data.rfind(b"\n") + 1
        if whole:
            return self._take(whole, whole)
        if len(self._data) >= SEARCH_LINE_BYTES:
            keep = floor_edge(self._data, len(self._data) - _OVERLAP)
            return self._take(len(self._data), keep)
        return ()

    def finish(self) -> tuple[Found, ...]:
        return self._take(len(self._data), len(self._data))

    def _take(self, size: int, consumed: int) -> tuple[Found, ...]:
        """Search the first ``size`` bytes, then forget the first ``consumed``."""
        data = self._data[:size]
        hits = tuple(self._hits(data))
        self._line += data.count(b"\n", 0, consumed)
        self._offset += consumed
        self._data = self._data[consumed:]
        return hits

    def _hits(self, data: bytes) -> Iterator[Found]:
        line, counted, at = self._line, 0, 0
        finder = self._matcher.over(data)
        while (found := finder.candidate(data, at)) is not None:
            start = data.rfind(b"\n", 0, found) + 1
            stop = data.find(b"\n", found)
            stop = len(data) if stop < 0 else stop
            line += data.count(b"\n", counted, start)
            counted = start
            match = finder.match(data[start:stop], max(0, self._after - self._offset - start))
            if match is not None:
                self._after = self._offset + start + max(match[1], match[0] + 1)
                yield self._found(data, line, (start, stop), match)
            at = stop + 1
            if at >= len(data):
                return

    def _found(self, data: bytes, line: int, bounds: tuple[int, int], match: tuple[int, int]) -> Found:
        start, stop = bounds
        low = max(start, min(start + match[0] - SEARCH_HIT_TEXT_BYTES // 4, stop - SEARCH_HIT_TEXT_BYTES))
        low = max(start, floor_edge(data, low))
        high = max(low, floor_edge(data, min(stop, low + SEARCH_HIT_TEXT_BYTES)))
        return Found(
            line=line,
            line_start=self._offset + start,
            line_end=self._offset + stop,
            start=self._offset + start + match[0],
            end=self._offset + start + match[1],
            text=data[low:high],
            text_start=self._offset + low,
        )


class _Literal:
    """Bytes that must occur as they are."""

    def __init__(self, needle: bytes) -> None:
        self._needle = needle

    def over(self, data: bytes) -> Finder:  # noqa: ARG002 — bytes are bytes
        return self

    def candidate(self, data: bytes, start: int) -> int | None:
        found = data.find(self._needle, start)
        return None if found < 0 else found

    def match(self, line: bytes, start: int) -> tuple[int, int] | None:
        found = line.find(self._needle, start)
        return None if found < 0 else (found, found + len(self._needle))


class _Expression:
    """A regular expression on hyperscan: no backtracking, so no text makes it slow."""

    def __init__(self, pattern: bytes) -> None:
        import hyperscan

        flags = hyperscan.HS_FLAG_MULTILINE
        self._text = _Database(pattern, flags | hyperscan.HS_FLAG_UTF8)
        # Hyperscan promises nothing about a UTF-8 pattern on other bytes.
        self._bytes = _Database(pattern, flags)

    def over(self, data: bytes) -> Finder:
        if data.isascii():
            return self._text
        try:
            data.decode()
        except UnicodeDecodeError:
            return self._bytes
        return self._text


class _Database:
    """One pattern compiled twice: to find that there is a match, and to find where it begins."""

    def __init__(self, pattern: bytes, flags: int) -> None:
        import hyperscan

        self._terminated = hyperscan.ScanTerminated
        self._ends = _compiled(pattern, flags)
        self._starts = _compiled(pattern, flags | hyperscan.HS_FLAG_SOM_LEFTMOST)

    def candidate(self, data: bytes, start: int) -> int | None:
        ends: list[int] = []

        def stop(_id: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            ends.append(end)
            return True

        try:
            # The extension takes any buffer; its types know only bytes and str.
            self._ends.scan(cast("bytes", memoryview(data)[start:]), match_event_handler=stop)
        except self._terminated:
            # The match's last byte lies in the line; its end may be the next line's beginning.
            return start + max(0, ends[0] - 1)
        return None

    def match(self, line: bytes, start: int) -> tuple[int, int] | None:
        best: tuple[int, int] | None = None

        def take(_id: int, begin: int, end: int, _flags: int, _context: object) -> None:
            nonlocal best
            if begin >= start and (best is None or (begin, -end) < (best[0], -best[1])):
                best = begin, end

        self._starts.scan(line, match_event_handler=take)
        return best


def _compiled(pattern: bytes, flags: int) -> hyperscan.Database:
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(expressions=[pattern], ids=[0], flags=[flags])
    except hyperscan.error as error:
        shown = ascii(pattern.decode("utf-8", "replace"))
        raise Refused(f"the pattern {shown} cannot be searched for: {error}") from error
    return database
