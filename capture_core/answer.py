"""What the shell is told of a job: a code in its own form, or a death by the signal that ended the command."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from capture_core.errors import system_words
from capture_core.exit_codes import HIGHEST, NO, NOT_STARTED, TERMINATED, TIMED_OUT, of_signal
from capture_core.facts import ProcessState
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.facts import Receipt
    from capture_core.happenings import Exited


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
    goes_on: bool = False
    """Whether the job goes on without us: whoever waited for it gets its ref."""
    live: Receipt | None = None
    """How it stood then, where the disk has said so."""
    is_owner_killed: bool = False
    """Whether the one who could have told more was killed."""


def no_seat(error: OSError) -> Ending:
    """What there is to tell where the system gives no pseudo-terminal."""
    why = system_words(error)
    return Ending(code=NOT_STARTED, words=f"no pseudo-terminal can be had ({why}); --pty=never runs it on pipes")


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
    """The shell's form of what the child's parent saw; 1 where nobody saw it."""
    return NO if exited is None else shell_code(exited.state, exited.code, exited.signal)


def shell_code(state: ProcessState, code: int | None, number: int | None) -> int:
    """The shell's code of a command that has ended: its own, 128 + N for signal N, 1 where neither is known.

    A time limit is 124.  What was ended before its time is never 0: where the command made that of the TERM, 143.
    A receipt may give any number, of which a process's code has the lowest eight bits; none but 0 becomes 0.
    """
    if state is ProcessState.NONE:
        return 0
    if state is ProcessState.TIMEOUT:
        return TIMED_OUT
    if code == 0:
        return TERMINATED if state is ProcessState.CANCELLED else 0
    if code is not None:
        return _failed(code)
    return NO if number is None else _failed(of_signal(number))


def _failed(number: int) -> int:
    return number if 0 < number <= HIGHEST else HIGHEST
