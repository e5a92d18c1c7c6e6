"""What an owner hears of its front: asks for the job, and, before there is one, that it is not wanted any more."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING

from capture_core.errors import CaptureError, no_thread
from capture_core.exit_codes import of_signal
from capture_core.happenings import ENDING_SIGNALS, Leave, Signal
from capture_core.link import Foreground, KeysOver, Lent, NotStarted, Returned
from capture_core.wakeup import signals_to_pipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.front_terminal import FrontTerminal
    from capture_core.happenings import Ask
    from capture_core.job import Job
    from capture_core.link import Down, Receiver, Sender, Up
    from capture_core.pty import PseudoTerminal


class CalledOff(CaptureError):
    """The front was told to end, or is gone, before the child was started; it was not."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name} before the command was started")
        self.number = number

    def as_told(self) -> NotStarted:
        """The same for the front."""
        return NotStarted(code=of_signal(self.number), words=str(self))


class Hearing:
    """Hears the front in a thread of its own, which never touches the disk and so can always let go.

    Nobody joins it: it hears the front for as long as this process lives.
    """

    def __init__(
        self,
        down: Receiver[Down],
        up: Sender[Up],
        pty: PseudoTerminal | None = None,
        front_terminal: FrontTerminal | None = None,
    ) -> None:
        """Begin to hear; ``pty`` is told who is to be in its foreground, ``front_terminal`` how the front sets it.

        Raises :class:`Refused` where no thread can be had: the job will need more of them.
        """
        self._down = down
        self._up = up
        self._pty = pty
        self._front_terminal = front_terminal
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._leave: Callable[[], None] | None = None
        self._early: list[Ask] = []
        self._called_off: CalledOff | None = None
        self._waiting = False
        try:
            threading.Thread(target=self._listen, name="front-listener", daemon=True).start()
        except RuntimeError as error:
            raise no_thread(error) from error

    def check(self) -> None:
        """Raise :class:`CalledOff` when the child is not wanted any more."""
        with self._lock:
            if self._called_off is not None:
                raise self._called_off

    def last_check(self) -> None:
        """The same right before the start; from now on a TERM to this process is one to its job.

        Whoever ends us means the job, be it a system that shuts down or a job around ours: killed at once, we would
        leave a capture without an end.  Raises :class:`Refused` where no thread can be had.
        """
        self.check()
        wake = signals_to_pipe((signal.SIGTERM,))
        try:
            threading.Thread(target=self._obey, args=(wake,), name="owner-signals", daemon=True).start()
        except RuntimeError as error:
            raise no_thread(error) from error

    def stop(self) -> None:
        """All is done: whoever ends this process now may."""
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Around a wait for somebody else, with nothing made yet: when the child is not wanted, this process ends."""
        with self._lock:
            self._waiting = True
            self._end_wait()
        try:
            yield
        finally:
            with self._lock:
                self._waiting = False

    def pass_to(self, job: Job, leave: Callable[[], None]) -> None:
        """Ask ``job`` from now on, first for what was heard before; ``leave`` is called when the front is gone."""
        with self._lock:
            self._job, self._leave = job, leave
            for ask in self._early:
                self._ask(job, ask)

    def _obey(self, wake: int) -> None:
        """Ask the job, in a thread of its own, to end for each TERM that comes: the main one may wait on for ever."""
        while True:
            if os.read(wake, 1)[0] == signal.SIGTERM:
                self._heard(Signal(signal.SIGTERM))

    def _listen(self) -> None:
        try:
            while (word := self._down.receive()) is not None:
                self._take(word)
        finally:
            # A front that cannot be heard any more is gone, whatever the reason.
            if self._front_terminal is not None:
                self._front_terminal.give_back()
            self._heard(Leave())

    def _take(self, word: Down) -> None:
        match word:
            case Foreground(given=given):
                # At once, and so before what is asked of the job after it.
                if self._pty is not None:
                    self._pty.put(foreground=given)
            case KeysOver():
                if self._pty is not None:
                    self._pty.leave()
            case Lent() | Returned():
                if self._front_terminal is not None:
                    self._front_terminal.heard(word)
            case Signal():
                self._heard(word)

    def _heard(self, ask: Ask) -> None:
        with self._lock:
            if self._job is not None:
                self._ask(self._job, ask)
                return
            self._early.append(ask)
            if isinstance(ask, Leave):
                self._called_off = self._called_off or CalledOff(signal.SIGHUP)
            elif isinstance(ask, Signal) and ask.number in ENDING_SIGNALS:
                self._called_off = self._called_off or CalledOff(ask.number)
            self._end_wait()

    def _ask(self, job: Job, ask: Ask) -> None:
        if isinstance(ask, Leave) and self._leave is not None:
            self._leave()
        job.ask(ask)

    def _end_wait(self) -> None:
        if self._waiting and self._called_off is not None:
            self._up.send(self._called_off.as_told())
            os._exit(1)
