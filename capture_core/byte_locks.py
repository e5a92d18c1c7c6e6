"""Write locks on single bytes of a file that many have open: proof of a life, where a process number proves nothing.

They are open-file-description locks: two descriptions exclude each other also within one process, between its
threads, and a close elsewhere in the host drops nothing.  A byte may lie beyond the file's end.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
from typing import Final

from capture_core.errors import Unsupported

# struct flock of 64-bit Linux: short l_type, short l_whence, off_t l_start, off_t l_len, pid_t l_pid.
FLOCK: Final = struct.Struct("hhqqi4x")
"""What ``fcntl`` takes and gives for a lock: its kind, whence, start and length, and a process number, 0."""

_ANOTHERS: Final = frozenset({errno.EAGAIN, errno.EACCES})
_SET: Final[int | None] = getattr(fcntl, "F_OFD_SETLK", None)
_ASK: Final[int | None] = getattr(fcntl, "F_OFD_GETLK", None)

_private: set[int] = set()
"""Descriptors that a fork of the host must not keep: their locks would outlive their owner."""


def _drop_private() -> None:
    for fd in _private:
        with contextlib.suppress(OSError):
            os.close(fd)
    _private.clear()


os.register_at_fork(after_in_child=_drop_private)


def keep_from_forks(fd: int) -> None:
    """Have ``fd`` closed in every fork of this process."""
    _private.add(fd)


def leave_to_forks(fd: int) -> None:
    """Close ``fd`` in forks no longer: it carries no lock any more, or is closed."""
    _private.discard(fd)


def close(fd: int) -> None:
    """Close a descriptor that was kept from forks."""
    leave_to_forks(fd)
    # What it locked and wrote is another's to judge; the descriptor is gone in any case.
    with contextlib.suppress(OSError):
        os.close(fd)


def lock(fd: int, at: int) -> bool:
    """Take the byte at offset ``at``; ``False``: another holds it.

    Raises ``OSError`` or :class:`Unsupported` where there are no such locks.
    """
    if _SET is None:
        raise Unsupported("this platform has no locks that belong to a descriptor")
    try:
        fcntl.fcntl(fd, _SET, FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0))
    except OSError as error:
        if error.errno in _ANOTHERS:
            return False
        raise
    return True


def unlock(fd: int, at: int) -> None:
    """Give the byte back; closing alone would leave it to a descriptor that was inherited by mistake."""
    if _SET is not None:
        fcntl.fcntl(fd, _SET, FLOCK.pack(fcntl.F_UNLCK, os.SEEK_SET, at, 1, 0))


def is_held(fd: int, at: int = 0, size: int = 1) -> bool:
    """Whether another description has a write lock on one of ``size`` bytes from ``at`` on; size 0: on all that follow.

    Takes nothing, and disturbs nobody.
    """
    if _ASK is None:
        return False
    answer = fcntl.fcntl(fd, _ASK, FLOCK.pack(fcntl.F_RDLCK, os.SEEK_SET, at, size, 0))
    return bool(FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)
