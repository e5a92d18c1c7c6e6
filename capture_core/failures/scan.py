"""Lines in, likely failures out: a streaming stage that looks closely only where some pattern may begin."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from capture_core.failures.expressions import matches
from capture_core.failures.finding import Kind
from capture_core.failures.line import Cutter, Line, Run, looked_at
from capture_core.failures.opened import Opened
from capture_core.failures.rules import rules
from capture_core.failures.told import Told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.failures.finding import Finding
    from capture_core.failures.pattern import Pattern, Section
    from capture_core.failures.rules import Look, Rules

_EXPLAINED_BY: Final = (Kind.TRACEBACK,)
"""What a message directly before it belongs to: a log's line, and the exception that it was told with."""


class FailureScan:
    """Finds likely failures in a stream, fed in blocks of any size, in linear time and bounded memory.

    They come in the order of their places, but for tests that were only listed as failed (see :class:`Pattern`), which
    are told when their run ends.  For one thread at a time.
    """

    def __init__(self, *, start: int = 0, first_line: int | None = 1, table: Rules | None = None) -> None:
        """``start``: the offset of the first byte, where a line starts; ``first_line``: its number, if known."""
        self._rules = rules() if table is None else table
        self._cutter = Cutter(start)
        self._number = first_line
        self._told = Told()
        self._opened: Opened | None = None
        self._waiting: tuple[Pattern, ...] = ()
        """What the lines in ``_kept`` may open, the next ones will tell."""
        self._kept: list[Line] = []
        self._lead: tuple[str, Line, int] | None = None
        """The expression of lines that lead to a failure, the first of them, and where the next one must start."""
        self._message: tuple[Finding, int] | None = None
        """A message that may belong to what follows, and where that must start."""
        self._section: Section | None = None

    def feed(self, block: bytes) -> tuple[Finding, ...]:
        """Take a block; give what is known of now."""
        return tuple(found for run in self._cutter.feed(block) for found in self._run(run))

    def finish(self) -> tuple[Finding, ...]:
        """Give what is left, at the end of the stream."""
        return (
            *(found for run in self._cutter.finish() for found in self._run(run)),
            *self._end_of_waiting(),
            *self._close(),
            *self._pass_on(),
            *self._told.unexplained(),
        )

    # -- from runs to lines -----------------------------------------------------------------------------------------

    def _run(self, run: Run) -> Iterator[Finding]:
        """Look at each line that may matter, and step over all others."""
        data, at, counted = run.data, 0, 0
        ends, place = self._rules.signs.ends(data.replace(b"\r", b"\n")), 0
        while at < len(data):
            if not self._is_busy:
                place = bisect_right(ends, at, place)
                if place == len(ends):
                    break
                at = data.rfind(b"\n", at, ends[place] - 1) + 1 or at
            stop = data.find(b"\n", at)
            self._count(data, counted, at)
            counted = at
            # A line that was cut has its end elsewhere, and is alone.
            end = run.start + (stop if run.size == len(data) else run.size - 1)
            yield from self._line(Line(run.start + at, end, self._number, looked_at(data[at:stop])))
            at = stop + 1
        self._count(data, counted, len(data))
        if self._message is not None and self._message[1] < run.start + run.size and not self._is_busy:
            yield from self._pass_on()

    @property
    def _is_busy(self) -> bool:
        """Whether the next line matters whatever it says."""
        return self._opened is not None or bool(self._waiting)

    def _count(self, data: bytes, start: int, end: int) -> None:
        if self._number is not None:
            self._number += data.count(b"\n", start, end)

    # -- one line after the other -----------------------------------------------------------------------------------

    def _line(self, line: Line) -> Iterator[Finding]:
        if self._waiting:
            yield from self._wait(line)
            return
        if self._opened is not None:
            if self._opened.takes(line):
                return
            yield from self._close()
        if line.text.strip():
            yield from self._look(line)

    def _look(self, line: Line) -> Iterator[Finding]:
        """Look at a line that belongs to nothing so far."""
        look = self._rules.look(line.text)
        if look.sections:
            self._pass_section(line.text, look)
        if any(matches(end.expression, line.text) for end in look.run_ends):
            yield from self._pass_on()
            yield from self._told.end_of_run()
        matching = tuple(pattern for pattern in look.patterns if self._opens(pattern, line.text))
        if not matching:
            self._follow_lead(line, look)
        elif matching[0].then:
            self._waiting, self._kept = matching, [line]
        else:
            yield from self._open(matching[0], line)

    def _opens(self, pattern: Pattern, text: bytes) -> bool:
        if pattern.within is not None and pattern.within != self._section:
            return False
        return matches(pattern.expression, text) and not matches(pattern.unless, text)

    def _pass_section(self, text: bytes, look: Look) -> None:
        opened = next((section for section in look.sections if matches(section.opens, text)), None)
        if opened is not None or (self._section is not None and matches(self._section.closes, text)):
            self._section = opened

    def _follow_lead(self, line: Line, look: Look) -> None:
        leads = [pattern.lead for pattern in look.patterns if matches(pattern.lead, line.text)]
        if not leads:
            return
        first = line
        if self._lead is not None and self._lead[0] in leads and self._lead[2] == line.start:
            leads, first = [self._lead[0]], self._lead[1]
        self._lead = (leads[0], first, line.end + 1)

    # -- what opens only if a later line agrees ---------------------------------------------------------------------

    def _wait(self, line: Line) -> Iterator[Finding]:
        self._kept.append(line)
        for pattern in self._waiting:
            if pattern.then and pattern.then_at >= len(self._kept):
                return
            if not pattern.then or matches(pattern.then, self._kept[pattern.then_at].text):
                yield from self._decide(pattern)
                return
        yield from self._decide(None)

    def _decide(self, pattern: Pattern | None) -> Iterator[Finding]:
        """Open it with the first line that was kept, or none; the others are looked at as what they are then."""
        (first, *others), self._kept, self._waiting = self._kept, [], ()
        if pattern is not None:
            yield from self._open(pattern, first)
        for line in others:
            yield from self._line(line)

    def _end_of_waiting(self) -> Iterator[Finding]:
        while self._waiting:
            yield from self._decide(next((pattern for pattern in self._waiting if not pattern.then), None))

    # -- failures ---------------------------------------------------------------------------------------------------

    def _open(self, pattern: Pattern, line: Line) -> Iterator[Finding]:
        lead = self._lead
        leads = lead is not None and lead[0] == pattern.lead and lead[2] == line.start
        first = lead[1] if lead is not None and leads else None
        if self._message is not None and not self._joins(pattern, first or line):
            yield from self._pass_on()
        self._lead = None
        self._opened = Opened(pattern, line, first)

    def _joins(self, pattern: Pattern, first: Line) -> bool:
        """Whether the message that waits belongs to what begins here."""
        return self._message is not None and self._message[1] == first.start and pattern.kind in _EXPLAINED_BY

    def _close(self) -> Iterator[Finding]:
        opened, self._opened = self._opened, None
        if opened is None:
            return
        found = opened.finding()
        if self._message is not None:
            message, self._message = self._message[0], None
            found = found._replace(start=message.start, first_line=message.first_line)
        if found.kind is Kind.MESSAGE:
            self._message = found, opened.last.end + 1
        else:
            yield from self._told.tell(found, opened.subject, held=opened.pattern.held)

    def _pass_on(self) -> Iterator[Finding]:
        """Give the message that waited for what it may belong to."""
        if self._message is not None:
            message, self._message = self._message[0], None
            yield message
