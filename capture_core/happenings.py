"""What can happen to a job and what can be asked of it: the words between child, job, owner and front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture_core.facts import EndedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """How the child ended, as its parent saw it: exactly one of ``code`` and ``signal``, or neither if unknown."""

    code: int | None
    signal: int | None
    user_seconds: float | None = None
    system_seconds: float | None = None
    peak_rss_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The child was stopped by a signal (``^Z``, or a read of a terminal that it does not have)."""

    signal: int


@dataclass(frozen=True, slots=True)
class Continued:
    """The child goes on after a stop."""


@dataclass(frozen=True, slots=True)
class StreamsOver:
    """Every stream is read and passed on."""


@dataclass(frozen=True, slots=True)
class WriterOver:
    """The writer has published, or failed."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Pass this signal on to the child's group."""

    number: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """End the child's group: TERM, grace, KILL."""

    why: EndedBy


@dataclass(frozen=True, slots=True)
class Leave:
    """Whoever watched is gone: pass nothing on any more."""


ChildEvent = Exited | Stopped | Continued
Told = ChildEvent | StreamsOver
Ask = Signal | Cancel | Leave
Happening = Told | Ask | WriterOver
