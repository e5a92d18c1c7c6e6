"""The process that is the child's parent: it reads, writes and passes through, and outlives its front when it must."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
from typing import TYPE_CHECKING

from capture_core.errors import Refused, SpawnFailed
from capture_core.facts import StreamName
from capture_core.happenings import Continued, Signal, Stopped
from capture_core.hearing import CalledOff, Hearing
from capture_core.identity import Ground, Identity
from capture_core.job import Job, Outcome
from capture_core.known_sources import KnownSources, environment_of, read_mask_file
from capture_core.launch import Command
from capture_core.limits.capturing import AFTER_KILL_SECONDS, CATCH_UP_SECONDS, KEPT_MEMORY_BYTES
from capture_core.link import Begin, Completing, Receiver, Sender, Settled, Started
from capture_core.masking import EngineMasking
from capture_core.mishaps import not_started, words_of
from capture_core.order import open_stdin
from capture_core.orphans import adopt, call_owner, reap_adopted, reap_ended
from capture_core.outlet import Outlet
from capture_core.parting import front_left, let_go, point_at_nothing
from capture_core.raw import RawStreams
from capture_core.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.front_terminal import FrontTerminal
    from capture_core.happenings import Told
    from capture_core.known_sources import MaskFile
    from capture_core.link import Down, Up
    from capture_core.order import Order
    from capture_core.pty import PseudoTerminal
    from capture_core.terminal import Pair

_M_MMAP_THRESHOLD = -3
_M_TRIM_THRESHOLD = -1

_NOT_OURS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


def serve(up: int, down: int, pair: Pair | None = None) -> None:
    """Wait to be told what to own, and own it to its end.  Returns when nothing is left to do.

    ``pair``: a pseudo-terminal that the job may want.
    """
    # While the front reads what to own: it costs no time then.
    adopt()
    call_owner()
    begin = Receiver[Begin](down).receive()
    if begin is not None:
        own(begin, Sender(up), Receiver(down), pair)


def own(begin: Begin, up: Sender[Up], down: Receiver[Down], pair: Pair | None = None) -> None:
    """Run one job to its end and tell the front."""
    order = begin.order
    # A group of our own: what the terminal or a supervisor sends to the front's group is the front's to pass on.
    if order.detach or order.pty:
        os.setsid()
    else:
        os.setpgid(0, 0)
    # Now, while a relative path still means what it meant.
    place = "" if order.on_complete is None else os.path.abspath(order.conversation)
    pty = _pty(begin, pair)
    terminal = Terminal.find() if begin.has_terminal and pty is None else None
    masking = _masking(order, ())
    # Ignored, as a caller may have left it, the kernel throws the child's status away; timeout(1) does the same.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        hearing = Hearing(down, up, pty, _front_terminal(begin))
        masking = _masking(order, _mask_files(order, hearing))
        job = _start(order, masking, terminal if begin.give_terminal else None, hearing, pty)
    except (CalledOff, Refused, SpawnFailed, OSError) as error:
        up.send(not_started(error, masking))
        return
    _settle_signals()
    if pty is not None and not begin.has_keys:
        pty.feed(os.dup(0) if order.stdin == 0 else None)
    point_at_nothing(0)
    up.send(Started(pid=job.child.pid, ref=job.capture.ref))
    reap_adopted(job.child.pid)
    _keep_freed_memory()
    teller = _Teller(up, job, pty)
    hearing.pass_to(job, lambda: _left(job, terminal, pty, teller))
    outcome = job.supervise(teller)
    words = words_of(outcome, job.capture, masking)
    settled = Settled(receipt=outcome.receipt, words=words, texts=outcome.texts)
    if order.on_complete is not None:
        up.send(Completing(settled, _completing_seconds(order)))
        settled = _completed(order, place, job.capture.ref, outcome, settled)
    up.send(settled)
    up.close()
    let_go(job, terminal)
    hearing.stop()
    job.drop_the_rest()
    reap_ended()


def _left(job: Job, terminal: Terminal | None, pty: PseudoTerminal | None, teller: _Teller) -> None:
    front_left(job, terminal, pty)
    teller.front_left()


def _completing_seconds(order: Order) -> float:
    return order.limits.on_complete_seconds + order.limits.kill_grace_seconds + AFTER_KILL_SECONDS


def _completed(order: Order, place: str, ref: str, outcome: Outcome, settled: Settled) -> Settled:
    """Run what the user wants run now; what the front is told then."""
    from capture_core import on_complete

    # A small result leaves no file to name.
    ref = ref if outcome.texts is None else ""
    told = on_complete.facts(place, ref, outcome.exited, outcome.receipt)
    words = on_complete.run(order.on_complete or "", told, order.limits, is_silent=order.detach)
    return settled._replace(words="; ".join(filter(None, (settled.words, words))))


def _masking(order: Order, files: tuple[MaskFile, ...]) -> EngineMasking:
    return EngineMasking(
        order.limits,
        engine_folder=order.engine_folder,
        user_rules=order.user_rules,
        slow=order.slow_engine,
        # The child's environment is ours.
        known=KnownSources(environment_of(None), order.mask_env, files),
    )


def _mask_files(order: Order, hearing: Hearing) -> tuple[MaskFile, ...]:
    if not order.mask_files:
        return ()
    with hearing.waiting():
        return tuple(map(read_mask_file, order.mask_files))


def _pty(begin: Begin, pair: Pair | None) -> PseudoTerminal | None:
    if pair is not None and begin.order.pty:
        from capture_core.pty import PseudoTerminal

        return PseudoTerminal(pair, given=begin.give_terminal)
    for end in pair or ():
        os.close(end)
    return None


def _front_terminal(begin: Begin) -> FrontTerminal | None:
    if not begin.has_keys:
        return None
    from capture_core.front_terminal import FrontTerminal

    # Without a descriptor to spare it is as its front leaves it.
    with contextlib.suppress(OSError):
        return FrontTerminal(os.dup(0), begin.lent)
    return None


def _start(
    order: Order,
    masking: EngineMasking,
    terminal: Terminal | None,
    hearing: Hearing,
    pty: PseudoTerminal | None,
) -> Job:
    with _opened(order.stdin, hearing) as stdin:
        command = Command(
            argv=order.argv,
            stdin=stdin if pty is None or stdin != 0 else pty.pair.slave,
            pty=None if pty is None else pty.pair,
            foreground_of=_foreground_of(terminal, pty),
            undo_newlines=pty is not None and not order.raw_binary,
            timeout_seconds=order.timeout_seconds,
            nice=order.nice,
            memory_limit_bytes=order.memory_limit_bytes,
            max_output_bytes=order.max_output_bytes,
            before_spawn=hearing.last_check,
            on_spawned=None if pty is None else pty.spawned,
            on_exited=None if pty is None else pty.child_exited,
        )
        return Job.start(
            command,
            _identity(order),
            order.limits,
            RawStreams(masking) if order.raw_binary else masking,
            make_label=_label(order, masking),
            outlets=_outlets(order),
            promote_after_seconds=order.promote_after_seconds,
        )


def _foreground_of(terminal: Terminal | None, pty: PseudoTerminal | None) -> int | None:
    if pty is not None:
        return pty.pair.slave if pty.is_given else None
    return None if terminal is None else terminal.fd


@contextlib.contextmanager
def _opened(stdin: str | int | None, hearing: Hearing) -> Iterator[int | None]:
    if not isinstance(stdin, str):
        yield stdin
        return
    # A FIFO is opened when somebody writes to it, which may be never.
    with hearing.waiting():
        fd = open_stdin(stdin)
    try:
        yield fd
    finally:
        os.close(fd)


class _Teller:
    """Passes what happens on to the front."""

    def __init__(self, up: Sender[Up], job: Job, pty: PseudoTerminal | None) -> None:
        self._up = up
        self._job = job
        self._pty = pty
        self._is_stopped = False

    def front_left(self) -> None:
        """Have a command that is stopped go on: who would have been told to continue it is gone."""
        if self._is_stopped:
            self._job.ask(Signal(signal.SIGCONT))

    def happened(self, happening: Told) -> None:
        if isinstance(happening, Stopped | Continued):
            self._is_stopped = isinstance(happening, Stopped)
        if isinstance(happening, Stopped):
            # The shell has the terminal next: what comes late would be drawn over what it says, or wipe it out.
            self._job.catch_up(CATCH_UP_SECONDS)
        self._up.send(happening)
        if self._pty is not None:
            self._pty.heard(happening, self._job.ask)


def _settle_signals() -> None:
    """After the child's start, so that it inherits what the caller had."""
    for number in _NOT_OURS:
        signal.signal(number, signal.SIG_IGN)


def _keep_freed_memory() -> None:
    """Have the C library reuse the memory of a read for the next one.

    By default it maps and unmaps blocks of this size anew each time, and the kernel clears their pages each time:
    a fifth of the time that a large output takes.  The names are glibc's (mallopt(3)); elsewhere nothing happens.
    """
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD):
            mallopt(parameter, KEPT_MEMORY_BYTES)


def _outlets(order: Order) -> dict[str, Outlet]:
    if not order.pass_through or order.detach:
        return {}
    if order.merge or order.pty:
        return {StreamName.OUTPUT: Outlet(1)}
    return {StreamName.STDOUT: Outlet(1), StreamName.STDERR: Outlet(2)}


def _identity(order: Order) -> Identity:
    return Identity(
        conversation=order.conversation,
        tool=order.tool,
        streams=order.streams,
        producer=order.producer,
        call_id=order.call_id,
        limit_from=order.limit_from,
        ground=_ground(order),
    )


def _ground(order: Order) -> Ground:
    if order.detach:
        return Ground.BACKGROUND
    # Exact bytes are not for an inline text: without a file nobody would have them.
    return Ground.INLINE if order.inline and not order.raw_binary else Ground.FOREGROUND


def _label(order: Order, masking: EngineMasking) -> Callable[[], str | None]:
    def make() -> str | None:
        if not order.with_label:
            return None
        return masking.line(order.label if order.label is not None else shlex.join(order.argv))

    return make
