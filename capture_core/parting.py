"""How an owner parts from its front: it lets go of what is the front's, and of its terminal; the job goes on."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture_core.job import Job
    from capture_core.pty import PseudoTerminal
    from capture_core.terminal import Terminal


def front_left(job: Job, terminal: Terminal | None, pty: PseudoTerminal | None) -> None:
    """The front is gone: let go of what belongs to it, and sit at the job's own terminal."""
    has_terminal = terminal is not None and terminal.fd >= 0
    let_go(job, terminal)
    if has_terminal:
        _leave_terminal(job)
    if pty is not None:
        pty.leave()


def let_go(job: Job, terminal: Terminal | None) -> None:
    """Let go of what belongs to the front, so that ``capview run | cat`` ends when the front does."""
    job.stop_passing_on()
    for fd in (0, 1, 2):
        # Without a descriptor to spare they go with this process.
        with contextlib.suppress(OSError):
            point_at_nothing(fd)
    if terminal is not None:
        with contextlib.suppress(OSError):
            terminal.close()


def point_at_nothing(fd: int) -> None:
    """Have this descriptor read and write nothing."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, fd)
    os.close(nothing)


def _leave_terminal(job: Job) -> None:
    """Leave the front's session, so that the command's reads from its terminal fail from now on.

    A background command that reads a terminal is stopped, and there is nobody left to continue it, unless its group is
    an orphan: then the kernel gives it ``EIO``.  Its group is one when we, its parent, are of another session.
    """
    try:
        # The leader of a group cannot leave the session: be a member of the shell's for as long as that takes.
        os.setpgid(0, os.getsid(0))
        os.setsid()
    except OSError:
        return
    # Who waits for a line now would get the next one that is typed for the shell; of an orphaned group this stops
    # nobody, but the read begins anew.
    job.child.signal_group(signal.SIGTTIN)
    job.child.signal_group(signal.SIGCONT)
