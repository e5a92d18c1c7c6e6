"""Notes what was handed out of a capture: one line, one write, behind all that was noted before."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import closing
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.directory import open_own
from capture_core.durable import FILE_MODE
from capture_core.errors import PlaceRefused
from capture_core.limits.reading import SHOWN_FILE_BYTES

if TYPE_CHECKING:
    from capture_core.directory import Directory

# Without O_NONBLOCK a FIFO that stands at one of our names would hold the open until somebody reads from it.
_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def note(conversation: str, capture: str, record: bytes) -> None:
    """Append one record, as :func:`capture_core.shown.encode` makes it.

    A line that a crash has cut stays alone: the next one begins behind a newline.  Raises ``OSError`` or
    ``PlaceRefused``; what was handed out is not noted then.
    """
    place, _ = open_own(conversation)
    with closing(place), closing(place.step(names.PRIVATE)) as private, closing(private.step(names.SHOWN)) as folder:
        fd = _opened(folder, names.shown_file(capture))
        try:
            _append(fd, record)
        finally:
            os.close(fd)


def _opened(folder: Directory, name: str) -> int:
    try:
        fd = os.open(name, _FLAGS | os.O_CREAT | os.O_EXCL, FILE_MODE, dir_fd=folder.fd)
    except FileExistsError:
        fd = os.open(name, _FLAGS, dir_fd=folder.fd)
    else:
        # Whatever the umask took away; only of a file that we have made.
        os.fchmod(fd, FILE_MODE)
    status = os.fstat(fd)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
        return fd
    os.close(fd)
    raise PlaceRefused(f"{os.path.join(folder.path, name)!r}: not a file of yours; move it away")


def _append(fd: int, record: bytes) -> None:
    size = os.fstat(fd).st_size
    if size + len(record) > SHOWN_FILE_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    is_torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
    line = b"\n" + record if is_torn else record
    # One write: at the end of the file, in one piece, also when others write at the same time.
    if os.write(fd, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
