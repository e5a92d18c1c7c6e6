"""What the shell is told of a job: a code in its own form, or a death by the signal that ended the command."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.facts import Receipt
    from capture_core.happenings import Exited

OWNER_KILLED = 1
NOT_STARTED = 125
TIMED_OUT = 124
PROMOTED = 124
"""As for a time limit: what was waited for is not over."""


class Interrupt(NamedTuple):
    """The keyboard's signal that ended the child; ``by_group``: the terminal sent it to the child's group alone."""

    number: int
    by_group: bool


class Ending(NamedTuple):
    """What the shell is told.

    ``words``: what went wrong beside the child, one line, or nothing.
    """

    code: int
    ref: str | None = None
    receipt: Receipt | None = None
    words: str = ""
    died_of: Interrupt | None = None
    exited: Exited | None = None
    """How the command ended, where that was seen."""
    texts: Mapping[str, bytes] | None = None
    """By stream, what a small result printed; no file has it then."""
    live: Receipt | None = None
    """How a job stood that goes on without us."""


def die_of(interrupt: Interrupt) -> None:
    """End by the signal that ended the child: a shell's script or loop stops at ``^C`` only when it sees that.

    Where the terminal sent it to the child's group alone, those who share our group have it as they would have.
    """
    signal.signal(interrupt.number, signal.SIG_DFL)
    if interrupt.by_group:
        os.killpg(0, interrupt.number)
    else:
        os.kill(os.getpid(), interrupt.number)


def exit_code(exited: Exited | None) -> int:
    """The shell's form: the code itself, 128 + N for a signal, 1 where nobody knows."""
    if exited is None or (exited.code is None and exited.signal is None):
        return OWNER_KILLED
    return exited.code if exited.code is not None else 128 + (exited.signal or 0)
