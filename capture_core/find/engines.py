"""The engines that look for a tree: hyperscan, and RE2 where hyperscan takes too little.

Both run in time that grows as the text does, whatever the pattern.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, cast

import hyperscan

from capture_core.errors import Refused
from capture_core.find import second, starts
from capture_core.find.expression import ANY_BYTE, NO_WORD, Forms, either, forms
from capture_core.find.tree import NEVER, NOTHING, empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Buffer

    from capture_core.find.matcher import Ends
    from capture_core.find.places import Placed
    from capture_core.find.second import Spans

_HERE: Final = 0
_AT_NEWLINE: Final = 1
"""How many bytes behind the line's end what is told lies."""
_FLAGS: Final = hyperscan.HS_FLAG_MULTILINE | hyperscan.HS_FLAG_ALLOWEMPTY
_CLOSING: Final = threading.Lock()
"""A stream is closed with its database's own scratch space, which is one for all threads."""


class Never:
    """What no line matches."""

    every_line = False

    def stream(self, hit: Callable[[int], object], *, once_a_line: bool = False) -> Ends:  # noqa: ARG002
        """Look for nothing."""
        return Idle()

    def spans(self, line: bytes) -> Iterator[tuple[int, int]]:  # noqa: ARG002
        """There are none."""
        return iter(())


class Literal:
    """Bytes that must occur as they are."""

    every_line = False

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._streams = Streams(Forms("".join(f"\\x{byte:02x}" for byte in text), None, None, None))

    def stream(self, hit: Callable[[int], object], *, once_a_line: bool = False) -> Ends:
        """See :class:`capture_core.find.matcher.Matcher`."""
        return self._streams.over(hit, once_a_line=once_a_line)

    def spans(self, line: bytes) -> Iterator[tuple[int, int]]:
        """See :class:`capture_core.find.matcher.Matcher`."""
        at = line.find(self._text)
        while at >= 0:
            yield at, at + len(self._text)
            at = line.find(self._text, at + len(self._text))


class Expression:
    """A tree that is no literal."""

    def __init__(self, pattern: str, where: Placed, *, word: bool) -> None:
        """Compile it; ``pattern`` is what is named where neither engine takes it."""
        # A match of nothing is no word.
        empties = [NEVER if word else empty(each) for each in where]
        self.every_line = NOTHING in empties[:3]
        self._may_be_empty = any(each != NEVER for each in empties)
        filled = forms(where.full())
        self._spans = _spans(filled, word=word)
        self._streams = None if self.every_line else _streams(filled if word else forms(where), word=word)
        if self._spans is None or (self._streams is None and not self.every_line):
            raise Refused(f"the pattern {pattern!a} is too large to be searched for; say less, or less often")

    def stream(self, hit: Callable[[int], object], *, once_a_line: bool = False) -> Ends:
        """See :class:`capture_core.find.matcher.Matcher`."""
        return Idle() if self._streams is None else self._streams.over(hit, once_a_line=once_a_line)

    def spans(self, line: bytes) -> Iterator[tuple[int, int]]:
        """See :class:`capture_core.find.matcher.Matcher`."""
        found = False
        for span in () if self._spans is None else self._spans.over(line):
            found = True
            yield span
        if not found and self._may_be_empty and (self.every_line or self._matches(line)):
            yield 0, 0

    def _matches(self, line: bytes) -> bool:
        found: list[int] = []
        stream = self.stream(found.append)
        stream.feed(line)
        stream.finish()
        return bool(found)


def _spans(expressions: Forms, *, word: bool) -> Spans | None:
    """What finds the matches within a line; ``None`` where no engine takes the pattern."""
    if expressions == Forms(None, None, None, None):
        return NoSpans()
    return second.spans(expressions, word=word) or starts.spans(expressions, word=word)


def _streams(expressions: Forms, *, word: bool) -> Streams | second.Streams | None:
    streams = Streams(expressions, word=word)
    return streams if streams.are_possible() else second.streams(expressions.lines(word=word))


class NoSpans:
    """Of what matches nothing but nothing."""

    def over(self, line: bytes) -> Iterator[tuple[int, int]]:  # noqa: ARG002
        """There are none."""
        return iter(())


class Streams:
    """Expressions compiled for hyperscan's streams, in two ways, each when it is needed.

    A line's end is its newline here, or one that is put behind what has none: hyperscan tells of ``$`` late, twice, or
    out of order.
    """

    def __init__(self, expressions: Forms, *, word: bool = False) -> None:
        self._forms = expressions
        self._word = word
        self._lock = threading.Lock()
        self._made: dict[bool, hyperscan.Database | None] = {}

    def are_possible(self) -> bool:
        """Whether hyperscan takes them."""
        try:
            self._database(once_a_line=False)
        except hyperscan.error:
            return False
        return True

    def over(self, hit: Callable[[int], object], *, once_a_line: bool) -> Ends:
        """Look through one stream, see :class:`capture_core.find.matcher.Matcher`."""
        database = self._database(once_a_line=once_a_line)
        return Idle() if database is None else _Stream(database, hit)

    def _database(self, *, once_a_line: bool) -> hyperscan.Database | None:
        with self._lock:
            if once_a_line not in self._made:
                self._made[once_a_line] = self._compiled(once_a_line=once_a_line)
            return self._made[once_a_line]

    def _compiled(self, *, once_a_line: bool) -> hyperscan.Database | None:
        before, behind = (NO_WORD, NO_WORD) if self._word else ("", "")
        to_end = f"{behind}{ANY_BYTE}*\\n" if once_a_line else behind
        inside, last = self._forms.inside(before, to_end), self._forms.last(before, "\\n")
        if once_a_line:
            return _compiled({_HERE: None, _AT_NEWLINE: either(*inside, *last)})
        return _compiled({_HERE: either(*inside), _AT_NEWLINE: either(*last)})


def _compiled(expressions: dict[int, str | None]) -> hyperscan.Database | None:
    """A database for streams, of what can match at all.  Raises ``hyperscan.error``."""
    there = [(number, expression) for number, expression in expressions.items() if expression is not None]
    try:
        return _database(there) if there else None
    except hyperscan.error as error:
        if not starts.is_impossible(error):
            raise
    possible = [(number, expression) for number, expression in there if _is_possible(expression)]
    return _database(possible) if possible else None


def _is_possible(expression: str) -> bool:
    try:
        _database([(_HERE, expression)])
    except hyperscan.error as error:
        return not starts.is_impossible(error)
    return True


def _database(expressions: list[tuple[int, str]]) -> hyperscan.Database:
    database = hyperscan.Database(mode=hyperscan.HS_MODE_STREAM)
    database.compile(
        expressions=[expression.encode() for _, expression in expressions],
        ids=[number for number, _ in expressions],
        flags=[_FLAGS] * len(expressions),
    )
    return database


def _nothing(*_: object) -> None:
    """Nobody wants to know any more."""


class Idle:
    """Looks for nothing."""

    def feed(self, block: Buffer) -> bool:  # noqa: ARG002
        """Take it."""
        return True

    def finish(self) -> bool:
        """There was nothing."""
        return True


class _Stream:
    """One stream of hyperscan's."""

    def __init__(self, database: hyperscan.Database, hit: Callable[[int], object]) -> None:
        last = -1

        def told(number: int, _start: int, end: int, _flags: int, _context: object) -> bool | None:
            nonlocal last
            end -= number
            if end <= last:
                return None
            last = end
            return bool(hit(end))

        # The binding takes no reference of its own to what it calls, nor to the database.
        self._told = told
        self._database = database
        self._scratch = hyperscan.Scratch(database)
        self._stream = database.stream(match_event_handler=told)
        self._stream.__enter__()
        self._is_open = True
        self._goes_on = True

    def feed(self, block: Buffer) -> bool:
        """See :class:`capture_core.find.matcher.Ends`."""
        if self._goes_on:
            try:
                # Any buffer will do; the binding's types know two.
                self._stream.scan(cast("bytes", block), scratch=self._scratch)
            except hyperscan.ScanTerminated:
                self._goes_on = False
        return self._goes_on

    def finish(self) -> bool:
        """See :class:`capture_core.find.matcher.Ends`."""
        if self._is_open:
            self._is_open = False
            # Where there is no newline at the end, this is it.
            self.feed(b"\n")
            with _CLOSING:
                try:
                    self._stream.close(match_event_handler=self._told if self._goes_on else _nothing)
                except hyperscan.ScanTerminated:
                    self._goes_on = False
        return self._goes_on
