"""Signals as bytes in a pipe: what a loop can wait for beside all else."""

from __future__ import annotations

import os
import signal

PASSED_ON = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGTSTP,
)
"""What was meant for the job, and is passed on to it."""


def note(_number: int, _frame: object) -> None:
    """Python writes the number to the wake-up pipe; there is nothing else to do in a handler."""


def signals_to_pipe(numbers: tuple[int, ...]) -> int:
    """Have these signals, and that to go on, written to a pipe, a byte each; its reading end.

    Python runs a handler between two of its own steps, once for all that came of one kind, and not at all while the
    main thread has just begun to wait: a byte is written for each signal, and at once.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (*numbers, signal.SIGCONT):
        # What the caller had ignored (nohup, a background job of a script) stays ignored, here and in the child.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, note)
    return read
