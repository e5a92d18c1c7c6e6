"""What can happen to a job and what can be asked of it: the words between child, job, owner and front."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final

from capture_core.facts import ProcessState
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.facts import EndedBy, Receipt
    from capture_core.tree import Survivor

ENDING_SIGNALS: Final = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP})
"""What a user or a supervisor ends a program by; before there is a child, it ends the start."""


class Exited(NamedTuple):
    """How the child ended, as its parent saw it: exactly one of ``code`` and ``signal``, or neither if unknown."""

    code: int | None
    signal: int | None
    user_seconds: float | None = None
    system_seconds: float | None = None
    peak_rss_bytes: int | None = None
    survivors: tuple[Survivor, ...] | None = None
    """Who of the job was still there after it had been ended; ``None``: nobody ended it, or nobody knows."""
    state: ProcessState = ProcessState.EXITED
    """Whether we ended it, which its parent alone does not see: ``EXITED``, ``CANCELLED`` or ``TIMEOUT``."""


class Stopped(NamedTuple):
    """The child was stopped by a signal (``^Z``, or a read of a terminal that it does not have)."""

    signal: int


class Continued(NamedTuple):
    """The child goes on after a stop."""


class StreamsOver(NamedTuple):
    """Every stream is read and passed on."""


class WriterOver(NamedTuple):
    """The writer has published, or failed."""


class Signal(NamedTuple):
    """Pass this signal on to the child's group."""

    number: int


class Cancel(NamedTuple):
    """End the child's group: TERM, grace, KILL."""

    why: EndedBy


class Promote(NamedTuple):
    """Whoever waits for the job in the foreground is to stop waiting; the job goes on.

    Told once, when it is so.
    """


class Adopted(NamedTuple):
    """The capture of a promoted job says from where on it belongs to the background; the receipt of that moment."""

    receipt: Receipt


class NotPromoted(NamedTuple):
    """The job had ended when somebody asked to promote it."""


class Leave(NamedTuple):
    """Whoever watched is gone: pass nothing on any more."""


ChildEvent = Exited | Stopped | Continued
Told = ChildEvent | StreamsOver | Promote | Adopted | NotPromoted
Ask = Signal | Cancel | Leave | Promote
Happening = Told | Ask | WriterOver
