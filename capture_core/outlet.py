"""Pass-through of a stream to where it would have gone without us, with the backpressure that ``tee`` has.

The descriptors are inherited and shared with strangers, so their flags are never changed: a pipe or a terminal
is opened anew for a description of our own that does not block.  Where that cannot be, writes are small and
follow a poll, so that a write does not block either.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat

from capture_core.errors import system_words

_SMALL = select.PIPE_BUF if hasattr(select, "PIPE_BUF") else 512
"""POSIX: after POLLOUT a pipe takes this much at once without blocking."""


class Outlet:
    """One descriptor to pass bytes on to.  Its far end's death closes the outlet and nothing else."""

    def __init__(self, fd: int) -> None:
        self._own = _reopen(fd)
        self.fd = fd if self._own is None else self._own
        self._blocks = self._own is None and not stat.S_ISREG(os.fstat(fd).st_mode)
        self._waiting = memoryview(b"")
        self.open = True
        self.failure: str | None = None
        """Why not everything was passed on, if something else than its reader ended it."""

    @property
    def waiting(self) -> bool:
        """Whether bytes wait for the far end; the source is not read meanwhile."""
        return self.open and len(self._waiting) > 0

    def write(self, data: bytes) -> None:
        """Pass on what the far end takes now; the rest waits for :meth:`flush`."""
        if self.open:
            self._waiting = memoryview(data)
            if not self._blocks or _writable(self.fd):
                self.flush()

    def flush(self) -> bool:
        """Write on after the descriptor was reported writable; whether nothing waits any more."""
        while self._waiting:
            piece = self._waiting[:_SMALL] if self._blocks else self._waiting
            try:
                done = os.write(self.fd, piece)
            except BlockingIOError:
                return False
            except OSError as error:
                # A reader that has read enough is no failure; a full disk or a dead terminal is one.
                if error.errno != errno.EPIPE:
                    self.failure = system_words(error)
                self.close()
                return True
            self._waiting = self._waiting[done:]
            if self._blocks and self._waiting and not _writable(self.fd):
                return False
        return True

    def close(self) -> None:
        """Stop passing on; what still waits is dropped (it is in the capture)."""
        self.open = False
        self._waiting = memoryview(b"")
        if self._own is not None:
            with contextlib.suppress(OSError):
                os.close(self._own)
            self._own = None


def _writable(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(0))


def _reopen(fd: int) -> int | None:
    mode = os.fstat(fd).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        return None
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
