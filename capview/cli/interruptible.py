"""Standard input that a ^C ends between two reads, wherever the program is when it comes."""

from __future__ import annotations

import os
import select
import signal
from typing import TYPE_CHECKING

from capture_core.wakeup import signals_to_pipe

if TYPE_CHECKING:
    from types import FrameType


class InterruptibleInput:
    """What :func:`capture_core.saved_text.save` reads.

    A KeyboardInterrupt raised in the middle of a write would leave what was written without an end.  Here it is raised
    by :meth:`read` alone; a second ^C ends the process at once, as where a disk stalls.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_asked = False
        self._wake = signals_to_pipe((signal.SIGINT,))
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._asked)

    def read(self, size: int) -> bytes:
        """What there is, at most ``size`` bytes; nothing at the end.  Raises ``KeyboardInterrupt`` for a ^C."""
        poll = select.poll()
        for descriptor in (self._wake, self._descriptor):
            poll.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if self._wake in ready:
                if os.read(self._wake, 1)[0] == signal.SIGINT:
                    raise KeyboardInterrupt
            else:
                try:
                    return os.read(self._descriptor, size)
                except BlockingIOError:
                    continue

    def _asked(self, number: int, _frame: FrameType | None) -> None:
        if self._is_asked:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._is_asked = True
