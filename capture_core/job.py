"""One child under capture, from its start to its final receipt: the loop that decides what happens next.

Threads tell this loop what happened (the child, the reader, the writer, whoever asks); it alone decides.  It
never touches the capture's disk after the start, so that one that stalls cannot keep it from answering.  What it reads
is /proc, and a module of the program where a job has to be ended; where that fails, it goes on without.
"""

from __future__ import annotations

import contextlib
from queue import Empty
from time import monotonic
from typing import TYPE_CHECKING, Protocol, assert_never

from capture_core.ending import cancelled
from capture_core.happenings import (
    Adopted,
    Cancel,
    Continued,
    Exited,
    Leave,
    NotPromoted,
    Promote,
    Signal,
    Stopped,
    StreamsOver,
    WriterOver,
)
from capture_core.identity import Ground, admit
from capture_core.job_state import JobState, state_of
from capture_core.parts import begin
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capture_core.facts import Receipt
    from capture_core.happenings import Ask, Happening, Told
    from capture_core.identity import Identity
    from capture_core.launch import Command
    from capture_core.limits import Limits
    from capture_core.outlet import Outlet
    from capture_core.parts import Parts
    from capture_core.stage import Masking


class Listener(Protocol):
    """Whoever is told what happens to a job, in the job's own thread."""

    def happened(self, happening: Told) -> None:
        """The child stopped, went on, ended; or its streams are over."""


class Outcome(NamedTuple):
    """How a job ended.  ``receipt`` is ``None`` when it could not be published; ``failure`` says why."""

    exited: Exited
    receipt: Receipt | None
    failure: BaseException | None
    not_passed_on: str | None
    """Why output was not passed on to its end, if that is so."""
    mishap: str | None = None
    """What went wrong after the receipt was published."""
    texts: Mapping[str, bytes] | None = None
    """By stream, what a small result printed and no file has; ``None``: the capture's files have it."""


class Job:
    """A started job.  :meth:`supervise` is run by one thread; :meth:`ask` may be called by any."""

    def __init__(self, parts: Parts, mask: Callable[[str], str], ground: Ground, promote_at: float | None) -> None:
        """Made by :meth:`start`.  ``promote_at``: on the monotonic clock."""
        self.command = parts.command
        self.capture = parts.capture
        self.child = parts.child
        self._handoff = parts.handoff
        self._reader = parts.reader
        self._writer = parts.writer
        self._ending = parts.ending
        self._happenings = parts.happenings
        self._mask = mask
        self._streams_over = False
        self._writer_over = False
        self._is_background = ground is Ground.BACKGROUND
        self._promote_at = None if self._is_background else promote_at
        self.state = JobState.RUNNING
        """Where the job stands; changed by the supervising thread alone, and read by any."""

    @classmethod
    def start(
        cls,
        command: Command,
        identity: Identity,
        limits: Limits,
        masking: Masking,
        *,
        make_label: Callable[[], str | None],
        outlets: Mapping[str, Outlet] | None = None,
        promote_after_seconds: float | None = None,
    ) -> Job:
        """Make the capture, start the child, begin to read and write.

        ``promote_after_seconds``: how long whoever started it waits, where somebody does.
        Raises ``Refused`` (no child was started, or it was ended) or ``SpawnFailed``; nothing stays behind then.
        """
        admit(identity.tool, masking)
        parts = begin(command, identity, limits, masking, make_label, dict(outlets or {}))
        promote_at = None if promote_after_seconds is None else monotonic() + promote_after_seconds
        return cls(parts, masking.line, identity.ground, promote_at)

    def ask(self, ask: Ask) -> None:
        """Ask for something; it is done by the supervising thread."""
        self._happenings.put(ask)

    def cancel(self, words: str) -> None:
        """Ask for its end, for the reason that somebody gives in ``words``, which are masked."""
        self.ask(cancelled(words, self._mask))

    def stop_passing_on(self) -> None:
        """Close the outlets; safe from any thread, and never waits."""
        self._reader.stop_passing_on()

    def catch_up(self, seconds: float) -> None:
        """Wait until all that was printed so far is passed on, for so long at most; safe from any thread."""
        self._reader.catch_up(seconds)

    def supervise(self, listener: Listener | None = None) -> Outcome:
        """Run the job to the end of its capture."""
        ending = self._ending
        while not (self._writer_over and ending.exited is not None):
            ending.look_at_clock()
            self._look_at_clock(listener)
            with contextlib.suppress(Empty):
                self._handle(self._happenings.get(timeout=self._patience()), listener)
            self.state = self._state()
        return Outcome(
            exited=ending.exited,
            receipt=self._writer.receipt,
            failure=self._writer.failure,
            not_passed_on=self._reader.not_passed_on(),
            mishap=self.capture.mishap,
            texts=self._writer.texts,
        )

    def drop_the_rest(self) -> None:
        """Read on and drop what descendants still print, until they let go of the pipes; then no thread is left.

        Raises what failed in the reader, or in watching the child.
        """
        with contextlib.ExitStack() as all_of_them:
            for join in (self._reader.join, self._writer.wait_until_gone, self.child.join):
                all_of_them.callback(join)

    def _handle(self, happening: Happening, listener: Listener | None) -> None:  # noqa: C901 — a case for each
        match happening:
            case Stopped() | Continued():
                pass
            case Exited():
                happening = self._exited(happening)
            case StreamsOver():
                self._streams_over = True
            case WriterOver():
                self._writer_over = True
            case Signal(number):
                self._ending.pass_on_signal(number)
            case Cancel(why):
                self._ending.cancel(why)
            case Promote():
                self._promote(listener)
                return
            case Adopted() | NotPromoted():
                pass
            case Leave():
                self._reader.stop_passing_on()
            case _:
                assert_never(happening)
        if self._ending.exited is not None and self._streams_over:
            self._handoff.close()
        if listener is not None and isinstance(happening, Stopped | Continued | Exited | StreamsOver | Adopted):
            listener.happened(happening)

    def _promote(self, listener: Listener | None) -> None:
        """Let who waits go, once.  As long as the hand-off is open the writer will hear of it; then it is too late."""
        self._promote_at = None
        if self._is_background:
            return
        said: Told = NotPromoted()
        if self._state() not in (JobState.FINISHING, JobState.OVER):
            self._is_background = True
            self._handoff.adopt()
            said = Promote()
        if listener is not None:
            listener.happened(said)

    def _look_at_clock(self, listener: Listener | None) -> None:
        if self._promote_at is not None and monotonic() >= self._promote_at:
            self._promote(listener)

    def _patience(self) -> float | None:
        waits = [self._ending.patience(), None if self._promote_at is None else self._promote_at - monotonic()]
        return min((max(0.0, wait) for wait in waits if wait is not None), default=None)

    def _state(self) -> JobState:
        ending = self._ending
        return state_of(
            is_ending=ending.is_ending,
            has_exited=ending.exited is not None,
            are_streams_over=self._streams_over,
            is_written=self._writer_over,
        )

    def _exited(self, exited: Exited) -> Exited:
        """Take the child's end; the same with what we had to do with it."""
        exited = self._ending.child_exited(exited)
        self.capture.set_process(*self._ending.facts(exited))
        self._handoff.wake()
        if self.command.on_exited is not None:
            self.command.on_exited()
        self._reader.child_exited()
        return exited
