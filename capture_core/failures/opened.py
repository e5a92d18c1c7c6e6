"""A failure whose lines are still coming: which of them belong to it, and which one tells most."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from capture_core.failures.expressions import matches
from capture_core.failures.finding import Finding
from capture_core.failures.subjects import subject
from capture_core.limits.failures import FAILURE_BYTES, FAILURE_GAP_LINES, FAILURE_HEADLINE_BYTES, FAILURE_LINES

if TYPE_CHECKING:
    from capture_core.failures.line import Line
    from capture_core.failures.pattern import Pattern


class _State(Enum):
    LINES = auto()
    """The block's own lines, whatever they say."""
    BODY = auto()
    GAP = auto()
    """Behind the last line: only what announces more belongs to it."""
    ANNOUNCED = auto()
    """Behind that: only the body does."""


class Opened:
    """A failure from its first line on.  Blank lines belong to it only when a line that does comes behind them."""

    def __init__(self, pattern: Pattern, line: Line, lead: Line | None) -> None:
        self.pattern = pattern
        self.subject = subject(pattern.subject, line.text)
        self._block = pattern.block
        self._prefix = _prefix(line.text) if pattern.indented else b""
        self._first = line if lead is None else lead
        self._headline, self._rank = line, len(pattern.headline)
        self._last = line
        self._state = _State.LINES if self._block.lines else _State.BODY
        self._left, self._count, self._blanks = self._block.lines, 0, 0
        self._judge(line, line.text[len(self._prefix) :])

    def takes(self, line: Line) -> bool:
        """Take the next line, if it belongs to this failure; ``False``: the failure has ended before it."""
        self._count += 1
        if self._count > FAILURE_LINES or line.end - self._first.start > FAILURE_BYTES:
            return False
        text = line.text if not self._prefix else _without(self._prefix, line.text)
        if self._state is _State.LINES:
            return self._take_anyway(line, line.text if text is None else text)
        if text is None:
            return False
        if not text.strip():
            return self._skip_blank()
        return self._takes_text(line, text)

    def finding(self) -> Finding:
        """Say what it is, as far as it has come."""
        pattern = self.pattern
        return Finding(
            pattern=pattern.name,
            tool=pattern.tool,
            kind=pattern.kind,
            severity=pattern.severity,
            start=self._first.start,
            end=self._last.end,
            at=self._headline.start,
            headline=self._headline.text.strip()[:FAILURE_HEADLINE_BYTES],
            first_line=self._first.number,
            last_line=self._last.number,
        )

    @property
    def last(self) -> Line:
        """The last line that belongs to it so far."""
        return self._last

    def _take_anyway(self, line: Line, text: bytes) -> bool:
        self._left -= 1
        if not self._left:
            self._state = _State.BODY
        self._take(line, text)
        return True

    def _skip_blank(self) -> bool:
        self._blanks += 1
        return self._block.blank or (self._state is not _State.BODY and self._blanks <= FAILURE_GAP_LINES)

    def _takes_text(self, line: Line, text: bytes) -> bool:
        state = self._after(text)
        if state is None:
            return False
        self._state = state
        self._take(line, text)
        return True

    def _after(self, text: bytes) -> _State | None:
        """The state behind a line that says this; ``None``: it does not belong here."""
        block = self._block
        if self._state is _State.GAP:
            return _State.ANNOUNCED if matches(block.again, text) else None
        if matches(block.stop, text):
            return None
        if matches(block.body, text):
            return _State.BODY
        return _State.GAP if self._state is _State.BODY and matches(block.last, text) else None

    def _take(self, line: Line, text: bytes) -> None:
        self._last, self._blanks = line, 0
        if self.pattern.headline_at == self._count:
            self._headline = line
        self._judge(line, text)

    def _judge(self, line: Line, text: bytes) -> None:
        """Take it for the headline if it is no worse than what was."""
        for rank, expression in enumerate(self.pattern.headline[: self._rank + 1]):
            if matches(expression, text):
                self._headline, self._rank = line, rank
                return


def _prefix(text: bytes) -> bytes:
    """What stands before the words of a line that somebody else printed in theirs."""
    return text[: len(text) - len(text.lstrip(b" \t|>+"))]


def _without(prefix: bytes, text: bytes) -> bytes | None:
    if text.startswith(prefix):
        return text[len(prefix) :]
    return b"" if text.strip() == prefix.strip() else None
