"""The process that the shell waits for: it touches no capture file, keeps the terminal right, and gives the exit code.

The owner is a fork made before anything heavy is imported (:mod:`capture_core.seat`).  Promotion, ``--detach``
and a stalled disk are just this process leaving: whatever the owner still does, the shell gets its answer.
"""

from __future__ import annotations

import os
import select
import signal
from time import monotonic
from typing import TYPE_CHECKING

from capture_core.answer import Ending, Interrupt, no_seat
from capture_core.happenings import (
    ENDING_SIGNALS,
    Adopted,
    Continued,
    Exited,
    NotPromoted,
    Promote,
    Signal,
    Stopped,
    StreamsOver,
)
from capture_core.limits.capturing import CALL_OFF_SECONDS
from capture_core.link import Begin, Completing, NotStarted, Receiver, Sender, Settled, Started
from capture_core.seat import take
from capture_core.seen import Seen
from capture_core.terminal import Loan, Terminal, is_wanted_at_once
from capture_core.wakeup import PASSED_ON, note, signals_to_pipe

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.keyboard import Keyboard
    from capture_core.link import Down, Up
    from capture_core.order import Order
    from capture_core.seat import Seat

_FROM_THE_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)
_STOPS_THE_JOB = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


def run(order: Order, *, meanwhile: Callable[[], object] | None = None) -> Ending:
    """Run ``order`` under an owner and wait for what the shell wants to know.

    ``meanwhile`` is called once the owner is at work: what it loads costs no time.
    """
    terminal = None if order.detach else Terminal.find()
    try:
        seat = take(pty=order.pty)
    except OSError as error:
        if not order.pty:
            raise
        return no_seat(error)
    down: Sender[Down] = Sender(seat.down)
    loan = _loan(terminal, seat, down, is_pty=order.pty)
    wake = signals_to_pipe(PASSED_ON if isinstance(loan, Loan) else (*PASSED_ON, signal.SIGWINCH))
    at_once = not loan.waits_for_keys() or (is_wanted_at_once() and loan.in_foreground())
    try:
        if at_once:
            loan.prepare()
        begin = Begin(
            order,
            has_terminal=terminal is not None,
            give_terminal=at_once,
            has_keys=loan.has_keys,
            lent=loan.lent,
        )
        Sender[Begin](seat.down).send(begin)
        if meanwhile is not None:
            meanwhile()
        return _Front(order, down, Receiver(seat.up), wake, loan, handed_over=at_once).run()
    finally:
        # Whatever happened: nobody is left with a terminal that echoes nothing.
        loan.restore()


def _loan(terminal: Terminal | None, seat: Seat, down: Sender[Down], *, is_pty: bool) -> Loan | Keyboard:
    if not is_pty or seat.master is None:
        return Loan(terminal)
    from capture_core.keyboard import Keyboard

    return Keyboard(seat.master, terminal, down)


class _Front:
    """Waits for the owner's words and for signals, and passes the signals on."""

    def __init__(
        self,
        order: Order,
        down: Sender[Down],
        up: Receiver[Up],
        wake: int,
        loan: Loan | Keyboard,
        *,
        handed_over: bool,
    ) -> None:
        self._order = order
        self._down = down
        self._up = up
        self._loan = loan
        self._handed_over = handed_over
        self._seen = Seen()
        self._deadline: float | None = None
        self._wake = wake
        self._passed_on: set[int] = set()

    def run(self) -> Ending:
        """Serve until there is something to tell the shell."""
        poll = select.poll()
        poll.register(self._up.fd, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        ending: Ending | None = None
        while ending is None:
            self._loan.watch(poll)
            ready = dict(poll.poll(self._patience_ms()))
            if self._wake in ready:
                self._signalled()
            if self._up.fd in ready:
                ending = self._hear(self._up.receive())
            elif not ready:
                ending = self._seen.stalled()
            self._loan.serve(ready)
            self._look_for_hang_up()
        self._take_terminal()
        return ending._replace(died_of=self._interrupt(ending.exited))

    def _look_for_hang_up(self) -> None:
        """The command has a terminal that is still there: it must be told, also where the kernel tells only a shell."""
        number = signal.SIGHUP
        if self._loan.is_hung_up and number not in self._passed_on and signal.getsignal(number) is not signal.SIG_IGN:
            self._passed_on.add(number)
            self._down.send(Signal(number))

    def _hear(self, word: Up | None) -> Ending | None:  # noqa: C901 — a case for each word
        match word:
            case Started():
                self._seen = self._seen._replace(started=word)
                self._deadline = None
                self._loan.started(word.pid, lent=self._handed_over)
                if self._order.detach:
                    return Ending(code=0, ref=word.ref, goes_on=True)
            case NotStarted(code=code, words=words):
                return Ending(code=code, words=words)
            case Stopped(signal=number):
                self._stopped(number)
            case Continued() | NotPromoted():
                pass
            case Promote() | Adopted():
                return self._let_go(word)
            case Exited():
                self._seen = self._seen._replace(exited=word)
                self._loan.child_exited()
            case StreamsOver():
                self._seen = self._seen._replace(are_streams_over=True)
            case Completing():
                self._await_completion(word)
            case Settled():
                return self._seen.settled(word)
            case None:
                return self._seen.owner_gone(inline=self._order.inline)
        if self._seen.is_over and self._deadline is None:
            self._deadline = monotonic() + self._order.limits.settle_seconds
        return None

    def _let_go(self, word: Promote | Adopted) -> Ending | None:
        """Leave, when the capture can be found and says from where on it belongs to the background."""
        if isinstance(word, Adopted):
            return self._seen.let_go()._replace(live=word.receipt)
        self._seen = self._seen._replace(is_promoted=True)
        self._deadline = monotonic() + self._order.limits.settle_seconds
        return None

    def _await_completion(self, word: Completing) -> None:
        """The shell waits for what the user wants done then, but no longer than for that; ``^C`` ends the wait."""
        self._seen = self._seen._replace(completing=word.settled)
        self._deadline = monotonic() + word.seconds
        self._take_terminal()

    def _interrupt(self, exited: Exited | None) -> Interrupt | None:
        number = None if exited is None else exited.signal
        if number not in _FROM_THE_KEYBOARD or not self._loan.has_terminal:
            return None
        return Interrupt(number=number, by_group=self._handed_over and number not in self._passed_on)

    def _signalled(self) -> bytes:
        numbers = os.read(self._wake, 64)
        for number in numbers:
            if number == signal.SIGCONT:
                self._go_on()
            elif number == signal.SIGWINCH:
                self._loan.fit()
            elif number in PASSED_ON:
                self._passed_on.add(number)
                self._down.send(Signal(number))
                self._call_off(number)
        return numbers

    def _call_off(self, number: int) -> None:
        """The owner hears that too; whatever it waits for, we do not wait longer than this."""
        if self._seen.completing is not None and number in ENDING_SIGNALS:
            self._deadline = monotonic()
        if self._seen.started is None and self._seen.unwanted is None and number in ENDING_SIGNALS:
            self._seen = self._seen._replace(unwanted=number)
            self._deadline = monotonic() + CALL_OFF_SECONDS

    def _stopped(self, number: int) -> None:
        """The child stopped: give it the terminal if that is what it lacks, else stop as the shell expects."""
        wants_terminal = number in (signal.SIGTTIN, signal.SIGTTOU)
        # It may have been given to it since: then it is enough to go on.
        if wants_terminal and (self._loan.in_foreground() or self._loan.is_lent_to(self._pid())):
            self._handed_over = True
            self._go_on()
        elif number in _STOPS_THE_JOB or (number == signal.SIGSTOP and self._loan.has_keys):
            # Not by SIGSTOP, which stops also those whom no shell continues.
            number = signal.SIGTSTP if number == signal.SIGSTOP else number
            self._take_terminal()
            signal.signal(number, signal.SIG_DFL)
            os.killpg(0, number)
            # Here again after fg or bg; or at once, where nobody could have continued us: then the child goes on too.
            if number in PASSED_ON:
                signal.signal(number, note)
            # Heard once: a second signal to go on would take along a ^Z that is typed after the first.
            if self._were_continued():
                return
            if wants_terminal:
                # Nobody can ever give it the terminal, and it would ask again at once.  Unsupervised it would get EIO;
                # this is what the kernel does to those who are stopped in a group that becomes an orphan.  A
                # pseudo-terminal it gets from us, or what it does at its end would stop it again.
                self._loan.give_up()
                self._down.send(Signal(signal.SIGHUP))
            self._go_on()

    def _were_continued(self) -> bool:
        """Whether we did stop: a group without a shell above it does not, and then nobody continued us."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        return bool(poll.poll(0)) and signal.SIGCONT in self._signalled()

    def _go_on(self) -> None:
        pid = self._pid()
        if pid is None:
            return
        if self._handed_over and self._loan.in_foreground():
            self._loan.lend(pid)
        self._down.send(Signal(signal.SIGCONT))

    def _take_terminal(self) -> None:
        self._loan.take_back(self._pid())

    def _pid(self) -> int | None:
        return None if self._seen.started is None else self._seen.started.pid

    def _patience_ms(self) -> int | None:
        return None if self._deadline is None else max(0, int((self._deadline - monotonic()) * 1000))
