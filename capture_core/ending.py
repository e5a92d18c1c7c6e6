"""How a job is ended: who asked for it and when, TERM, then KILL; what became of the child, beside that reason."""

from __future__ import annotations

import signal
from time import monotonic
from typing import TYPE_CHECKING

from capture_core.facts import EndedBy, EndReason, ProcessFacts, ProcessState, ResourceFacts
from capture_core.limits import AFTER_KILL_SECONDS

if TYPE_CHECKING:
    from capture_core.child import Child
    from capture_core.happenings import Exited
    from capture_core.limits import Limits


class Ending:
    """Where the end of one job's child stands; for the supervising thread alone."""

    def __init__(self, child: Child, limits: Limits, timeout_seconds: float | None) -> None:
        self._child = child
        self._limits = limits
        self._timeout_seconds = timeout_seconds
        self._deadline = None if timeout_seconds is None else monotonic() + timeout_seconds
        self._is_ending = False
        self.exited: Exited | None = None
        """How the child ended, once it has."""
        self.why: EndedBy | None = None
        """Why somebody ended it, if so."""

    @property
    def timed_out(self) -> bool:
        """Whether it was the time limit that ended the child."""
        return self.why is not None and self.why.kind is EndReason.TIMEOUT

    def pass_on_signal(self, number: int) -> None:
        """Send the child's group what somebody sent to us."""
        if number == signal.SIGHUP and self.why is None:
            self.why = EndedBy(kind=EndReason.HANGUP)
        self._child.signal_group(number)

    def cancel(self, why: EndedBy) -> None:
        """Begin to end the child's group, once: TERM now, KILL after the grace."""
        if self.exited is None and not self._is_ending:
            self.why = why
            self._child.end_group(self._limits.kill_grace_seconds + AFTER_KILL_SECONDS)
            self._is_ending = True
            self._deadline = monotonic() + self._limits.kill_grace_seconds

    def child_exited(self, exited: Exited) -> tuple[ProcessFacts, ResourceFacts]:
        """Take the child's end; the facts of it."""
        self.exited = exited
        self._deadline = None
        resources = ResourceFacts(
            user_seconds=exited.user_seconds,
            system_seconds=exited.system_seconds,
            peak_rss_bytes=exited.peak_rss_bytes,
        )
        return process_facts(self._child.pid, exited, self.why), resources

    def look_at_clock(self) -> None:
        """Do what is due now."""
        if self._deadline is None or monotonic() < self._deadline:
            return
        self._deadline = None
        if self._is_ending:
            self._child.signal_group(signal.SIGKILL)
        else:
            self.cancel(EndedBy(kind=EndReason.TIMEOUT, words=f"{self._timeout_seconds:g} s"))

    def patience(self) -> float | None:
        """Seconds until something is due; ``None``: nothing is."""
        return None if self._deadline is None else max(0.0, self._deadline - monotonic())


def process_facts(pid: int, exited: Exited, why: EndedBy | None) -> ProcessFacts:
    """What became of the child: the observed code always, beside the reason where somebody ended it."""
    state = ProcessState.EXITED
    if why is not None and why.kind is EndReason.TIMEOUT:
        state = ProcessState.TIMEOUT
    elif why is not None and why.kind is not EndReason.HANGUP:
        state = ProcessState.CANCELLED
    return ProcessFacts(state=state, pid=pid, exit_code=exited.code, signal=exited.signal, reason=why)
