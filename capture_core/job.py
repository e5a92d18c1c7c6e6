"""One child under capture, from its start to its final receipt: the loop that decides what happens next.

Threads tell this loop what happened (the child, the reader, the writer, whoever asks); it alone decides.  It
never touches the disk after the start, so a stalled disk cannot keep it from answering.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Protocol, assert_never

from capture_core.capture import Capture
from capture_core.child import Child, Descriptors
from capture_core.errors import Refused
from capture_core.facts import EndedBy, EndReason, ProcessFacts, ProcessState, RequestKind, ResourceFacts, StreamName
from capture_core.handoff import Handoff
from capture_core.happenings import Cancel, Continued, Exited, Leave, Promote, Signal, Stopped, StreamsOver, WriterOver
from capture_core.identity import Identity, admit
from capture_core.limits import AFTER_KILL_SECONDS
from capture_core.pipe import PipeReader
from capture_core.record import NamedTuple
from capture_core.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capture_core.facts import Receipt
    from capture_core.happenings import Ask, Happening, Told
    from capture_core.limits import Limits
    from capture_core.outlet import Outlet
    from capture_core.receipt import Request
    from capture_core.stage import Masking


class Command(NamedTuple):
    """What to run, and how."""

    argv: Sequence[str | bytes]
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stdin: int | None = 0
    """Descriptor that the child reads; ``None``: nothing."""
    own_session: bool = False
    timeout_seconds: float | None = None
    before_spawn: Callable[[], object] | None = None
    """Called last thing before the child is started; what it raises keeps it from being started."""
    on_spawned: Callable[[int], object] | None = None
    """Called with the child's id once it runs, before anybody can see what it prints."""


class Listener(Protocol):
    """Whoever is told what happens to a job, in the job's own thread."""

    def happened(self, happening: Told) -> None:
        """The child stopped, went on, ended; or its streams are over."""


class Outcome(NamedTuple):
    """How a job ended.  ``receipt`` is ``None`` when it could not be published; ``failure`` says why."""

    exited: Exited
    receipt: Receipt | None
    failure: BaseException | None
    timed_out: bool
    not_passed_on: str | None
    """Why output was not passed on to its end, if that is so."""
    mishap: str | None = None
    """What went wrong after the receipt was published."""


class _Ending:
    """Where the end of the job stands."""

    def __init__(self, deadline: float | None) -> None:
        self.exited: Exited | None = None
        self.streams_over = False
        self.writer_over = False
        self.why: EndedBy | None = None
        self.deadline = deadline
        self.killed = False


class Job:
    """A started job.  :meth:`supervise` is run by one thread; :meth:`ask` may be called by any."""

    def __init__(
        self, command: Command, capture: Capture, child: Child, limits: Limits, happenings: SimpleQueue[Happening]
    ) -> None:
        self.command = command
        self.capture = capture
        self.child = child
        self._limits = limits
        self._happenings = happenings
        timeout = command.timeout_seconds
        self._end = _Ending(None if timeout is None else monotonic() + timeout)

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
    ) -> Job:
        """Make the capture, start the child, begin to read and write.

        Raises ``Refused`` (no child was started) or ``SpawnFailed``; nothing stays behind then.
        """
        admit(identity.tool, masking)
        handoff = Handoff(identity.streams, limits)
        capture = Capture(identity, handoff, limits, masking)
        try:
            if command.before_spawn is not None:
                command.before_spawn()
            child, pipes = _spawn(command, identity.streams, limits)
        except BaseException:
            capture.abandon()
            raise
        if command.on_spawned is not None:
            command.on_spawned(child.pid)
        job = cls(command, capture, child, limits, SimpleQueue())
        capture.set_process(ProcessFacts(state=ProcessState.RUNNING, pid=child.pid))
        try:
            job._begin(handoff, pipes, dict(outlets or {}), make_label, masking.line)
        except RuntimeError as error:
            # No thread to be had.  The writer's is the last: it does not use the capture yet.
            child.end_unwatched()
            capture.abandon()
            raise Refused("the system gives no more threads (a limit on processes); the command was ended") from error
        return job

    def _begin(
        self,
        handoff: Handoff,
        pipes: dict[str, int],
        outlets: dict[str, Outlet],
        make_label: Callable[[], str | None],
        mask: Callable[[str], str],
    ) -> None:
        tell = self._happenings.put
        self._handoff = handoff
        self._reader = PipeReader(
            pipes, handoff, self._limits, outlets=outlets, on_streams_ended=lambda: tell(StreamsOver())
        )
        self._writer = Writer(
            self.capture,
            handoff,
            self._limits,
            make_label=make_label,
            on_request=lambda request: tell(_asked(request, mask)),
            on_done=lambda: tell(WriterOver()),
        )
        self.child.watch(tell)
        self._reader.start()
        self._writer.start()

    def ask(self, ask: Ask) -> None:
        """Ask for something; it is done by the supervising thread."""
        self._happenings.put(ask)

    def stop_passing_on(self) -> None:
        """Close the outlets; safe from any thread, and never waits."""
        self._reader.stop_passing_on()

    def supervise(self, listener: Listener | None = None) -> Outcome:
        """Run the job to the end of its capture."""
        while not (self._end.writer_over and self._end.exited is not None):
            self._look_at_clock()
            with contextlib.suppress(Empty):
                self._handle(self._happenings.get(timeout=self._patience()), listener)
        why = self._end.why
        return Outcome(
            exited=self._end.exited,
            receipt=self._writer.receipt,
            failure=self._writer.failure,
            timed_out=why is not None and why.kind is EndReason.TIMEOUT,
            not_passed_on=self._reader.not_passed_on(),
            mishap=self.capture.mishap,
        )

    def drop_the_rest(self) -> None:
        """Read on and drop what descendants still print, until they let go of the pipes."""
        self._reader.join()

    def _handle(self, happening: Happening, listener: Listener | None) -> None:  # noqa: C901 — a case for each
        match happening:
            case Stopped() | Continued():
                pass
            case Exited():
                self._exited(happening)
            case StreamsOver():
                self._end.streams_over = True
            case WriterOver():
                self._end.writer_over = True
            case Signal(number):
                self._pass_on_signal(number)
            case Cancel(why):
                self._cancel(why)
            case Promote():
                pass
            case Leave():
                self._reader.stop_passing_on()
            case _:
                assert_never(happening)
        if self._end.exited is not None and self._end.streams_over:
            self._handoff.close()
        if listener is not None and isinstance(happening, Stopped | Continued | Exited | StreamsOver | Promote):
            listener.happened(happening)

    def _exited(self, exited: Exited) -> None:
        self._end.exited = exited
        self._end.deadline = None
        resources = ResourceFacts(
            user_seconds=exited.user_seconds,
            system_seconds=exited.system_seconds,
            peak_rss_bytes=exited.peak_rss_bytes,
        )
        self.capture.set_process(process_facts(self.child.pid, exited, self._end.why), resources)
        self._handoff.wake()
        self._reader.child_exited()

    def _pass_on_signal(self, number: int) -> None:
        if number == signal.SIGHUP and self._end.why is None:
            self._end.why = EndedBy(kind=EndReason.HANGUP)
        self.child.signal_group(number)

    def _cancel(self, why: EndedBy) -> None:
        if self._end.exited is None and not self._end.killed:
            self._end.why = why
            self.child.end_group(self._limits.kill_grace_seconds + AFTER_KILL_SECONDS)
            self._end.killed = True
            self._end.deadline = monotonic() + self._limits.kill_grace_seconds

    def _look_at_clock(self) -> None:
        if self._end.deadline is None or monotonic() < self._end.deadline:
            return
        self._end.deadline = None
        if self._end.killed:
            self.child.signal_group(signal.SIGKILL)
        else:
            self._cancel(EndedBy(kind=EndReason.TIMEOUT, words=f"{self.command.timeout_seconds:g} s"))

    def _patience(self) -> float | None:
        return None if self._end.deadline is None else max(0.0, self._end.deadline - monotonic())


def _asked(request: Request, mask: Callable[[str], str]) -> Cancel | Promote:
    match request.kind:
        case RequestKind.CANCEL:
            return Cancel(EndedBy(kind=EndReason.USER, words=mask(request.words)))
        case RequestKind.PROMOTE:
            return Promote()


def process_facts(pid: int, exited: Exited, why: EndedBy | None) -> ProcessFacts:
    """What became of the child: the observed code always, beside the reason where somebody ended it."""
    state = ProcessState.EXITED
    if why is not None and why.kind is EndReason.TIMEOUT:
        state = ProcessState.TIMEOUT
    elif why is not None and why.kind is not EndReason.HANGUP:
        state = ProcessState.CANCELLED
    return ProcessFacts(state=state, pid=pid, exit_code=exited.code, signal=exited.signal, reason=why)


def _spawn(command: Command, streams: tuple[StreamName, ...], limits: Limits) -> tuple[Child, dict[str, int]]:
    reads: dict[str, int] = {}
    writes: dict[str, int] = {}
    try:
        for stream in streams:
            reads[stream], writes[stream] = _pipe(limits.pipe_bytes)
        only = writes.get(StreamName.OUTPUT)
        descriptors = Descriptors(
            stdin=command.stdin,
            stdout=writes[StreamName.STDOUT] if only is None else only,
            stderr=writes[StreamName.STDERR] if only is None else only,
        )
        child = Child(command.argv, descriptors, cwd=command.cwd, env=command.env, session=command.own_session)
    except BaseException:
        for fd in reads.values():
            os.close(fd)
        raise
    finally:
        for fd in writes.values():
            os.close(fd)
    return child, reads


def _pipe(size: int) -> tuple[int, int]:
    read, write = os.pipe()
    setter = getattr(fcntl, "F_SETPIPE_SZ", None)
    if setter is not None:
        # The kernel refuses beyond the user's share of pipe memory; the default size works as well, only slower.
        with contextlib.suppress(OSError):
            fcntl.fcntl(write, setter, size)
    return read, write
