"""Adopting what a job's processes leave behind, so that it can be reached and reaped: Linux's child subreaper."""

from __future__ import annotations

import contextlib
import os
import threading
from time import sleep
from typing import Final

from capture_core.limits.capturing import GROUP_LOOK_SECONDS

_PR_SET_CHILD_SUBREAPER: Final = 36

OWNER_NAME: Final = "capview-owner"
"""What an owner calls itself, so that who ends a job around its own lets it finish its capture; ps shows it, too."""

_adopter: int | None = None


def adopt() -> bool:
    """Have every descendant that loses its parent become a child of this process; ``False``: the OS has no such thing.

    For a process that owns one job and nothing else: whatever it adopts is that job's.  A fork of it adopts nothing.
    """
    global _adopter  # noqa: PLW0603 — it is a fact of the process
    try:
        done = _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (ImportError, OSError, AttributeError):
        return False
    _adopter = os.getpid() if done else None
    return done


def call_owner() -> None:
    """Have this process be known for an owner; where the OS has no names it is killed with its job."""
    with contextlib.suppress(OSError):
        name = os.open("/proc/self/comm", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(name, OWNER_NAME.encode())
        finally:
            os.close(name)


def _prctl(*numbers: int) -> int:
    """Call prctl(2), for which the standard library has no name."""
    try:
        # What ctypes stands on: it loads in a fifth of the time, and the child waits for this.
        import _ctypes

        libc = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # None: what this process has loaded
        return int(_ctypes.call_cdeclfunction(_ctypes.dlsym(libc, "prctl"), numbers))
    except AttributeError:
        import ctypes

        return int(ctypes.CDLL(None).prctl(*map(ctypes.c_ulong, numbers)))


def is_adopting() -> bool:
    """Whether this process adopts its descendants' orphans."""
    return _adopter == os.getpid()


def has_living() -> bool:
    """Whether any process below this adopter lives: the kernel's word, which no fork between two looks escapes.

    Whoever loses its parent is our child before that is a zombie.  A wait for stopped children alone fails when there
    are none, and does not count zombies for one (wait_consider_task in kernel/exit.c).
    """
    try:
        os.waitid(os.P_ALL, 0, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def reap_adopted(leader: int) -> None:
    """Start the thread that reaps what was adopted and ends; it goes with the last of them, and nobody joins it.

    ``leader`` is left to whoever watches it, and so is whatever this process starts in its own group: a command of
    its own, whose status somebody waits for.
    """
    if is_adopting():
        # Where no thread can be had they stay zombies as long as this process lives.
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=_reap, args=(leader,), name="orphan-reaper", daemon=True).start()


def reap_ended() -> None:
    """Reap whatever has ended, as the last thing that this process does: it leaves no zombie to anybody else."""
    if is_adopting():
        with contextlib.suppress(ChildProcessError):
            while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG) is not None:
                pass


def _reap(leader: int) -> None:
    # As long as anything of the job lives, this process has a child: orphans come before their parent is a zombie.
    try:
        while True:
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            if seen is not None and not _reap_one(seen.si_pid, leader):
                sleep(GROUP_LOOK_SECONDS)
    except ChildProcessError:
        return


def _reap_one(pid: int, leader: int) -> bool:
    """Reap it if it was adopted.  A zombie that is somebody else's to reap hides the others until then."""
    with contextlib.suppress(ProcessLookupError):
        if pid == leader or os.getpgid(pid) == os.getpgrp():
            return False
        os.waitid(os.P_PID, pid, os.WEXITED)
    return True
