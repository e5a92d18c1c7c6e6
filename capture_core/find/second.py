"""RE2, where it is installed: it takes what hyperscan finds too large, and tells matches within a line.

Source: github.com/google/re2; the expressions are over bytes, which it knows as Latin-1.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from capture_core.find.expression import NO_WORD, followed
from capture_core.limits.reading import SEARCH_LINE_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Buffer

    from capture_core.find.expression import Forms
    from capture_core.find.matcher import Ends

_MOST_BYTES: Final = 64 * 2**20
"""Of what RE2 makes of an expression."""
_OVERLAP: Final = SEARCH_LINE_BYTES // 4


class Spans(Protocol):
    """Finds matches of at least one byte in a line."""

    def over(self, line: bytes) -> Iterator[tuple[int, int]]:
        """Those that begin first, the longest of these, each behind the one before."""


def streams(expression: str | None) -> Streams | None:
    """What finds lines with a match; ``None`` where RE2 is not there, or does not take it either."""
    compiled = None if expression is None else _compiled(expression)
    return None if compiled is None else Streams(compiled)


def spans(forms: Forms, *, word: bool) -> Spans | None:
    """What finds the matches of expressions that are never empty; ``None`` where RE2 does not."""
    return _made_words(forms) if word else _made(forms)


def _made(forms: Forms) -> Spans | None:
    expression = forms.lines(word=False)
    compiled = None if expression is None else _compiled(expression)
    return None if compiled is None else _Spans(compiled)


def _made_words(forms: Forms) -> Spans | None:
    needed = (
        forms.opened("", at_start=True, word=True),
        forms.opened(NO_WORD, at_start=False, word=True),
        followed("", forms.whole, "$"),
        followed("", forms.at_start, NO_WORD),
        followed("", forms.at_end, "$"),
        followed("", forms.anywhere, NO_WORD),
    )
    made = [None if expression is None else _compiled(expression) for expression in needed]
    if any(got is None and wanted is not None for got, wanted in zip(made, needed, strict=True)):
        return None
    return _Words(*made)


class _Spans:
    def __init__(self, expression: Any) -> None:  # noqa: ANN401 — RE2 has no types
        self._expression = expression

    def over(self, line: bytes) -> Iterator[tuple[int, int]]:
        at = 0
        while (found := self._expression.search(line, at)) is not None:
            yield found.span()
            at = found.end()


class _Words:
    """Matches with no word's character on either side; of those next to them at most one is looked at."""

    def __init__(self, first: Any, later: Any, *ends: Any) -> None:  # noqa: ANN401 — RE2 has no types
        """``ends``: to the line's end and to before what is no word's, from the line's start, then from elsewhere."""
        self._first = first
        self._later = later
        self._ends = {True: ends[:2], False: ends[2:]}

    def over(self, line: bytes) -> Iterator[tuple[int, int]]:
        is_first = self._first is not None and self._first.match(line) is not None
        start = 0 if is_first else self._next(line, 0)
        while start is not None:
            end = self._end(line, start)
            yield start, end
            start = self._next(line, end - 1)

    def _next(self, line: bytes, at: int) -> int | None:
        found = None if self._later is None else self._later.search(line, at)
        return None if found is None else int(found.start()) + 1

    def _end(self, line: bytes, start: int) -> int:
        last, inside = self._ends[start == 0]
        if last is not None and last.match(line, start) is not None:
            return len(line)
        return int(inside.match(line, start).end()) - 1


class Streams(NamedTuple):
    """An expression that is looked for line by line."""

    expression: Any

    def over(self, hit: Callable[[int], object], *, once_a_line: bool) -> Ends:
        """Look through one stream, see :class:`capture_core.find.matcher.Matcher`."""
        return _Lines(self.expression, hit, once_a_line=once_a_line)


class _Lines:
    """Looks through a stream line by line; one longer than ``SEARCH_LINE_BYTES`` in pieces that overlap by a quarter.

    A match that is longer than that quarter may be missed there.
    """

    def __init__(self, expression: Any, hit: Callable[[int], object], *, once_a_line: bool) -> None:  # noqa: ANN401
        self._expression = expression
        self._hit = hit
        self._once_a_line = once_a_line
        self._data = b""
        self._offset = 0
        self._told = -1
        self._goes_on = True

    def feed(self, block: Buffer) -> bool:
        """See :class:`capture_core.find.matcher.Ends`."""
        if not self._goes_on:
            return False
        self._data += bytes(block)
        whole = self._data.rfind(b"\n") + 1
        if whole:
            self._look(whole)
            self._forget(whole)
        elif len(self._data) >= SEARCH_LINE_BYTES:
            self._look(len(self._data))
            self._forget(len(self._data) - _OVERLAP)
        return self._goes_on

    def finish(self) -> bool:
        """See :class:`capture_core.find.matcher.Ends`."""
        if self._goes_on and self._data:
            self._look(len(self._data))
        self._data = b""
        return self._goes_on

    def _look(self, size: int) -> None:
        at = 0
        while self._goes_on and (found := self._expression.search(self._data, at, size)) is not None:
            newline = self._data.find(b"\n", found.end(), size)
            self._tell(self._offset + (newline if self._once_a_line and newline >= 0 else found.end()))
            if newline < 0:
                return
            at = newline + 1

    def _tell(self, end: int) -> None:
        if end > self._told:
            self._told = end
            self._goes_on = not self._hit(end)

    def _forget(self, size: int) -> None:
        self._data = self._data[size:]
        self._offset += size


@cache
def _compiled(expression: str) -> Any:  # noqa: ANN401 — RE2 has no types
    try:
        import re2
    except ImportError:
        return None
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.longest_match = True
    options.log_errors = False
    options.max_mem = _MOST_BYTES
    try:
        # Anchors are of lines in what is looked at, as they are for hyperscan.
        return re2.compile(f"(?m:{expression})".encode(), options)
    except re2.error:
        return None
