"""The process that is the child's parent: it reads, writes and passes through, and outlives its front when it must."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import signal
import threading
from typing import TYPE_CHECKING

from capture_core.capture import Identity
from capture_core.errors import Refused, SpawnFailed
from capture_core.facts import StreamName
from capture_core.happenings import Leave
from capture_core.job import Command, Job
from capture_core.link import NotStarted, Receiver, Sender, Settled, Started
from capture_core.masking import EngineMasking
from capture_core.outlet import Outlet

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.happenings import Told
    from capture_core.order import Order
    from capture_core.terminal import Terminal

NOT_STARTED = 125
NOT_EXECUTABLE = 126
NOT_FOUND = 127

_OURS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
_NOT_OURS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


def own(order: Order, up: Sender, down: Receiver, terminal: Terminal | None, *, give_terminal: bool) -> None:
    """Run one job to its end and tell the front.  Returns when nothing is left to do."""
    signal.set_wakeup_fd(-1)
    # A group of our own: what the terminal or a supervisor sends to the front's group is the front's to pass on.
    if order.detach:
        os.setsid()
    else:
        os.setpgid(0, 0)
    masking = EngineMasking(order.limits, engine_folder=order.engine_folder)
    outlets = _outlets(order)
    try:
        job = Job.start(
            _command(order, terminal if give_terminal else None),
            _identity(order),
            order.limits,
            masking,
            make_label=_label(order, masking),
            outlets=outlets,
        )
    except (Refused, SpawnFailed, OSError) as error:
        up.send(_not_started(error))
        return
    _settle_signals()
    _point_at_nothing(0)
    up.send(Started(pid=job.child.pid, ref=job.capture.ref))
    _listen_to_front(job, down, terminal)
    outcome = job.supervise(_Teller(up))
    up.send(Settled(receipt=outcome.receipt, words=_words(outcome.failure)))
    up.close()
    _leave(job, terminal)
    job.drop_the_rest()


class _Teller:
    """Passes what happens on to the front."""

    def __init__(self, up: Sender) -> None:
        self._up = up

    def happened(self, happening: Told) -> None:
        self._up.send(happening)


def _settle_signals() -> None:
    """After the child's start, so that it inherits what the caller had: the front's handlers end with its exec."""
    for number in _OURS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for number in _NOT_OURS:
        signal.signal(number, signal.SIG_IGN)


def _listen_to_front(job: Job, down: Receiver, terminal: Terminal | None) -> None:
    """Hear the front's asks in a thread of its own, which never touches the disk and so can always let go."""

    def listen() -> None:
        while (ask := down.receive()) is not None:
            job.ask(ask)  # type: ignore[arg-type]  # the front sends asks and nothing else
        _leave(job, terminal)
        job.ask(Leave())

    threading.Thread(target=listen, name="front-listener", daemon=True).start()


def _leave(job: Job, terminal: Terminal | None) -> None:
    """Let go of what belongs to the front, so that ``capview run | cat`` ends when the front does."""
    job.stop_passing_on()
    for fd in (0, 1, 2):
        _point_at_nothing(fd)
    if terminal is not None:
        with contextlib.suppress(OSError):
            terminal.close()


def _point_at_nothing(fd: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, fd)
    os.close(nothing)


def _outlets(order: Order) -> dict[str, Outlet]:
    if not order.pass_through or order.detach:
        return {}
    if order.merge:
        return {StreamName.OUTPUT: Outlet(1)}
    return {StreamName.STDOUT: Outlet(1), StreamName.STDERR: Outlet(2)}


def _command(order: Order, terminal: Terminal | None) -> Command:
    return Command(
        argv=order.argv,
        stdin=order.stdin,
        timeout_seconds=order.timeout_seconds,
        on_spawned=None if terminal is None else terminal.give,
    )


def _identity(order: Order) -> Identity:
    return Identity(
        conversation=order.conversation,
        tool=order.tool,
        streams=order.streams,
        producer=order.producer,
        call_id=order.call_id,
    )


def _label(order: Order, masking: EngineMasking) -> Callable[[], str | None]:
    def make() -> str | None:
        if not order.with_label:
            return None
        return masking.line(order.label if order.label is not None else shlex.join(order.argv))

    return make


def _not_started(error: Refused | SpawnFailed | OSError) -> NotStarted:
    if isinstance(error, SpawnFailed):
        code = NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE
        return NotStarted(code=code, words=str(error))
    return NotStarted(code=NOT_STARTED, words=f"{error}; or run it with --no-capture")


def _words(failure: BaseException | None) -> str:
    return "" if failure is None else str(failure) or type(failure).__name__
