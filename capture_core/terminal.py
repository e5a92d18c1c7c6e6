"""The controlling terminal: who is in its foreground, and handing that over."""

from __future__ import annotations

import contextlib
import os
import signal
import stat


class Terminal:
    """The process's controlling terminal, opened by its own name."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def find(cls) -> Terminal | None:
        """The controlling terminal; ``None`` where there is none."""
        try:
            return cls(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError:
            return None

    def foreground(self) -> int | None:
        """The process group in the foreground; ``None`` when the terminal is gone."""
        try:
            return os.tcgetpgrp(self.fd)
        except OSError:
            return None

    def give(self, group: int) -> bool:
        """Put ``group`` into the foreground; ``False`` when it or the terminal is gone."""
        # A background process that does this is stopped by SIGTTOU, unless it blocks the signal.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(self.fd, group)
                return True
            return False
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def close(self) -> None:
        """Give the descriptor back, once, whoever says it first."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


def is_wanted_at_once() -> bool:
    """Whether the child should have the terminal from its start: it reads it, and nobody else may need it.

    The other end of a pipeline may, and whoever gave its job another stdin may itself be using the terminal; such
    a child gets it when it asks.
    """
    return os.isatty(0) and not _is_pipe(1)


def _is_pipe(fd: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:
        return False
