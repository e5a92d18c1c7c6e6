"""What ``follow`` and ``wait`` exit with when a capture has ended, and what they say then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.answer import shell_code
from capture_core.catalog import ENDED
from capture_core.exit_codes import NO
from capture_core.facts import Liveness, ProcessState
from capview import present
from capview.cli.words import say

if TYPE_CHECKING:
    from capture_core.source import Entry


def has_ended(entry: Entry) -> bool:
    """Whether nothing more will come: final, or its owner died."""
    return entry.liveness in ENDED


def exit_code(entry: Entry) -> int:
    """What ``run`` exits with, 0 where there was no process; says a word when the end is unknown."""
    ref, process = entry.receipt.ref, entry.process
    if entry.liveness is Liveness.OWNER_DIED:
        say(f"{ref}: its owner died; {present.summary(entry)}")
        return NO
    if process.state is not ProcessState.NONE and process.exit_code is None and process.signal is None:
        say(f"{ref}: how it ended is unknown; {present.summary(entry)}")
    return shell_code(process.state, process.exit_code, process.signal)


class Doubt:
    """Says once, for each capture, that nobody here can tell whether its owner lives."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def look(self, entry: Entry) -> None:
        """Say it, where it is so."""
        if entry.liveness is Liveness.UNKNOWN and entry.receipt.ref not in self._said:
            self._said.add(entry.receipt.ref)
            say(f"{entry.receipt.ref}: nobody here can tell whether its owner on {entry.receipt.host!r} lives; waiting")
