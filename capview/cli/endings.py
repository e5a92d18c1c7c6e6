"""What ``follow`` and ``wait`` exit with when a capture has ended, and what they say then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.catalog import ENDED
from capture_core.facts import Liveness, ProcessState
from capview import present
from capview.cli.words import say

if TYPE_CHECKING:
    from capture_core.source import Entry

UNKNOWN: Final = 1
"""Nobody observed the end."""

SIGNAL_BASE: Final = 128

HIGHEST: Final = 255
"""The last exit code that there is."""


def has_ended(entry: Entry) -> bool:
    """Whether nothing more will come: final, or its owner died."""
    return entry.liveness in ENDED


def exit_code(entry: Entry) -> int:
    """The child's own code, 128+N for a signal, 0 where there was no process; says a word when the end is unknown.

    A receipt may give any number, of which a process's code has the lowest eight bits; none but 0 becomes 0.
    """
    ref, process = entry.receipt.ref, entry.process
    if entry.liveness is Liveness.OWNER_DIED:
        say(f"{ref}: its owner died; {present.summary(entry)}")
        return UNKNOWN
    if process.state is ProcessState.NONE:
        return 0
    if process.exit_code is not None:
        return process.exit_code and _failed(process.exit_code)
    if process.signal is not None:
        return _failed(SIGNAL_BASE + process.signal)
    say(f"{ref}: how it ended is unknown; {present.summary(entry)}")
    return UNKNOWN


def _failed(number: int) -> int:
    return number if 0 < number <= HIGHEST else HIGHEST


class Doubt:
    """Says once, for each capture, that nobody here can tell whether its owner lives."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def look(self, entry: Entry) -> None:
        """Say it, where it is so."""
        if entry.liveness is Liveness.UNKNOWN and entry.receipt.ref not in self._said:
            self._said.add(entry.receipt.ref)
            say(f"{entry.receipt.ref}: nobody here can tell whether its owner on {entry.receipt.host!r} lives; waiting")
