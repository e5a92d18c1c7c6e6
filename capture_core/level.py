"""How much a pipe or a terminal holds, and whether more can come."""

from __future__ import annotations

import fcntl
import select
import struct
import termios

from capture_core.limits import LARGEST_BYTES


def is_hung_up(fd: int) -> bool:
    """Whether nobody holds the other end any more and nothing is left to read: EOF, though it was not read yet."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return any(events & select.POLLHUP and not events & select.POLLIN for _, events in poll.poll(0))


def own_bytes_in(fd: int) -> int:
    """How many bytes were written so far, or all that can come where nobody can write any more.

    The latter matters for a terminal, which tells only a part of what it holds.
    """
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if any(events & select.POLLHUP and events & select.POLLIN for _, events in poll.poll(0)):
        return LARGEST_BYTES
    return _bytes_in(fd)


def _bytes_in(fd: int) -> int:
    answer = fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4)
    return int(struct.unpack("i", answer)[0])
