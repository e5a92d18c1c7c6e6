"""Work that is counted, not timed: so that a machine which is busy, or fast, says the same."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from capture_core.limits import MIB
from capture_core.redact.engine import Engine
from capture_core.redact.redactor import Redactor
from capture_core.redact.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from capture_core.redact.exact import Exact
    from capture_core.redact.scanning import Candidate, Scanner


_CALLS = ("call", "c_call")
_OURS = f"{os.sep}capture_core{os.sep}"


class Work:
    """How much was done: calls of our functions, and of others by ours; what those do in turn is not counted."""

    def __init__(self) -> None:
        self.calls = 0

    def _count(self, frame: FrameType, event: str, _what: object) -> None:
        # Not what compiles an expression when it is first needed: that is once, and much.
        self.calls += event in _CALLS and _OURS in frame.f_code.co_filename


@contextmanager
def counted() -> Iterator[Work]:
    """Count the calls that are made within."""
    work, before = Work(), sys.getprofile()
    sys.setprofile(work._count)
    try:
        yield work
    finally:
        sys.setprofile(before)


class _MeasuredEnd:
    """What ends a value, looked for in so many bytes."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern

    def search(self, text: bytes, start: int) -> re.Match[bytes] | None:
        """Count, and look for it."""
        found = self._pattern.search(text, start)
        _looked_for_ends[0] += (found.end() if found else len(text)) - start
        return found


_looked_for_ends = [0]


@cache
def warm_engine() -> Engine:
    """An engine, when all that it does but once is done: expressions are compiled when they are first needed."""
    engine = Engine.compile()
    for rule in RULES:
        for text in rule.masks + rule.passes:
            stage = Redactor(engine.exact, engine.scanner(), pending_bytes=MIB)
            stage.feed(re.sub("[«»]", "", text).encode())
            stage.finish(eof=True)
    for form in engine.exact._forms:
        vars(form)["ends"] = _MeasuredEnd(form.ends)
    return engine


class MeasuredEngine:
    """The engine of the built-in rules, for one stream, which counts the bytes that it is asked to look at."""

    def __init__(self) -> None:
        engine = warm_engine()
        self.exact: Exact = engine.exact
        self._looked_at = -_looked_for_ends[0]
        self._scanner: Scanner = engine.scanner()

    @property
    def looked_at(self) -> int:
        """Bytes that were scanned, and those in which the end of a value was looked for."""
        return self._looked_at + _looked_for_ends[0]

    def scanner(self) -> MeasuredEngine:
        """Return itself: it is a scanner too."""
        return self

    def candidates(self, before: bytes, text: bytes) -> list[Candidate]:
        """Count, and ask the engine."""
        self._looked_at += len(text)
        return self._scanner.candidates(before, text)

    def tails(self, text: bytes) -> list[Candidate]:
        """Count, and ask the engine."""
        self._looked_at += len(text)
        return self._scanner.tails(text)

    def has_control(self, text: bytes) -> bool:
        """Count, and ask the engine."""
        self._looked_at += len(text)
        return self._scanner.has_control(text)

    def is_plain(self, raw: bytes) -> bool:
        """Count, and ask the engine."""
        self._looked_at += len(raw)
        return self._scanner.is_plain(raw)
