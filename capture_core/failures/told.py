"""Which failed tests were told already, so that a report and the summary behind it are one failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits.failures import FAILURES_HELD, FAILURES_REMEMBERED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.failures.finding import Finding


class Told:
    """Tells each failed test of a run once: by its report, else by the summary, else by the list of what ran."""

    def __init__(self) -> None:
        self._subjects: set[bytes] = set()
        self._held: dict[bytes, Finding] = {}

    def tell(self, found: Finding, subject: bytes, *, held: bool) -> Iterator[Finding]:
        """Give what is to be told now: this failure, if its subject is none that was told."""
        if subject in self._subjects:
            return
        if held and len(self._held) < FAILURES_HELD:
            self._held.setdefault(subject, found)
            return
        self._held.pop(subject, None)
        if subject and len(self._subjects) < FAILURES_REMEMBERED:
            self._subjects.add(subject)
        yield found

    def unexplained(self) -> Iterator[Finding]:
        """Give what was only listed, and is not told of any more."""
        held, self._held = self._held, {}
        yield from held.values()

    def end_of_run(self) -> Iterator[Finding]:
        """Give the same, and forget the run: the tests of the next one may have the same names."""
        yield from self.unexplained()
        self._subjects.clear()
