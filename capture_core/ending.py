"""How a job is ended: by whom or by which limit, TERM, then KILL; what became of the child, beside that reason."""

from __future__ import annotations

import signal
from time import monotonic
from typing import TYPE_CHECKING

from capture_core.facts import EndedBy, EndReason, OtherProcess, ProcessFacts, ProcessState, ResourceFacts
from capture_core.happenings import Cancel
from capture_core.limits.capturing import AFTER_KILL_SECONDS, OTHER_PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.child import Child
    from capture_core.happenings import Exited
    from capture_core.limits import Limits
    from capture_core.memory import MemoryWatch


class Ending:
    """Where the end of one job's child stands; for the supervising thread alone."""

    def __init__(
        self, child: Child, limits: Limits, timeout_seconds: float | None, mask: Callable[[str], str] = str
    ) -> None:
        """``mask`` takes the secrets out of what other processes call themselves."""
        self._mask = mask
        self._memory: MemoryWatch | None = None
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
    def is_ending(self) -> bool:
        """Whether the child is being ended: one that was passed a signal, such as HUP under ``nohup``, may go on."""
        return self._is_ending

    def watch_memory(self, limit_bytes: int | None, tell: Callable[[Cancel], object]) -> None:
        """Begin to look at the memory of the job's processes, where there is a limit; ``tell`` runs in a thread.

        Raises ``RuntimeError`` where no thread can be had, and ``ImportError``.
        """
        if limit_bytes is not None:
            from capture_core.memory import MemoryWatch
            from capture_core.units import size

            def exceeded(used_bytes: int) -> None:
                words = f"{size(used_bytes)} used, {size(limit_bytes)} allowed"
                tell(Cancel(EndedBy(kind=EndReason.MEMORY_LIMIT, words=words)))

            self._memory = MemoryWatch(self._child.pid, limit_bytes, exceeded)

    def pass_on_signal(self, number: int) -> None:
        """Send the child's group what somebody sent to us."""
        if number == signal.SIGHUP and self.why is None:
            self.why = EndedBy(kind=EndReason.HANGUP)
        self._child.signal_group(number)

    def cancel(self, why: EndedBy) -> None:
        """Begin to end all that is the job's, once: TERM now, KILL after the grace.

        What exceeds the limit of its memory is killed at once: in two seconds it could take all that there is.
        """
        if self.exited is not None:
            return
        has_begun, self._is_ending = self._is_ending, True
        if not has_begun:
            self.why = why
        if why.kind is EndReason.MEMORY_LIMIT:
            self._kill()
        elif not has_begun:
            self._child.end_all(self._limits.kill_grace_seconds + AFTER_KILL_SECONDS)
            self._deadline = monotonic() + self._limits.kill_grace_seconds

    def child_exited(self, exited: Exited) -> Exited:
        """Take the child's end; the same with whether it was ended."""
        self.exited = exited._replace(state=_state(self.why))
        self._deadline = None
        if self._memory is not None:
            self._memory.stop()
        return self.exited

    def facts(self, exited: Exited) -> tuple[ProcessFacts, ResourceFacts]:
        """What a receipt says of it."""
        resources = ResourceFacts(
            user_seconds=exited.user_seconds,
            system_seconds=exited.system_seconds,
            peak_rss_bytes=exited.peak_rss_bytes,
        )
        return process_facts(self._child.pid, exited, self.why, self._mask), resources

    def look_at_clock(self) -> None:
        """Do what is due now."""
        if self._deadline is None or monotonic() < self._deadline:
            return
        self._deadline = None
        if self._is_ending:
            self._kill()
        else:
            self.cancel(EndedBy(kind=EndReason.TIMEOUT, words=f"{self._timeout_seconds:g} s"))

    def patience(self) -> float | None:
        """Seconds until something is due; ``None``: nothing is."""
        return None if self._deadline is None else max(0.0, self._deadline - monotonic())

    def _kill(self) -> None:
        self._deadline = None
        self._child.kill_all(AFTER_KILL_SECONDS)


def too_much_output(limit_bytes: int) -> Cancel:
    """What the policy on a job's output asks for."""
    from capture_core.units import size

    return Cancel(EndedBy(kind=EndReason.MAX_OUTPUT, words=f"{size(limit_bytes)} allowed"))


def cancelled(reason: str, mask: Callable[[str], str]) -> Cancel:
    """What somebody asks for who gives this reason in words of their own, which are masked."""
    try:
        said = mask(reason) if reason else ""
    except Exception:  # noqa: BLE001 — whatever keeps the words from being told, the command is to end
        said = "(the reason could not be masked, and is left out)"
    return Cancel(EndedBy(kind=EndReason.USER, words=said))


def process_facts(pid: int, exited: Exited, why: EndedBy | None, mask: Callable[[str], str] = str) -> ProcessFacts:
    """What became of the child: the observed code always, beside the reason where somebody ended it."""
    survivors = _survivors(exited, mask)
    return ProcessFacts(
        state=_state(why), pid=pid, exit_code=exited.code, signal=exited.signal, reason=why, survivors=survivors
    )


def _state(why: EndedBy | None) -> ProcessState:
    match None if why is None else why.kind:
        case None | EndReason.HANGUP:
            return ProcessState.EXITED
        case EndReason.TIMEOUT:
            return ProcessState.TIMEOUT
        case EndReason.USER | EndReason.MAX_OUTPUT | EndReason.MEMORY_LIMIT:
            return ProcessState.CANCELLED


def _survivors(exited: Exited, mask: Callable[[str], str]) -> tuple[OtherProcess, ...] | None:
    if not exited.survivors:
        return None if exited.survivors is None else ()
    try:
        from capture_core.holders import name
    except (ImportError, OSError):
        # No descriptor is left to load it: their end is what counts, not what they are called.
        return tuple(OtherProcess(pid=pid, name="") for pid, _ in exited.survivors[:OTHER_PROCESSES])
    return tuple(name(pid, own_name, mask) for pid, own_name in exited.survivors[:OTHER_PROCESSES])
