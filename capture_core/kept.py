"""What a conversation's captures have on the disk: the sizes of their texts, raw bytes and sidecars, receipts aside."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.byte_locks import is_held
from capture_core.limits.allowance import ALLOWANCE_UNLISTED_BYTES

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a FIFO that stands at one of our names would hold the open until somebody writes to it.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NOT_COUNTED: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES})
"""Gone, no folder of captures, or another's."""
_FORMS: Final = (".txt", ".bin", ".live", ".sgr", ".times")
_LIVE: Final = ".live"


def key_of(capture: str) -> bytes:
    """The random part of a capture's id, or of the name of one of its files: by it an owner is known in the tally."""
    return os.fsencode(capture.partition(".")[0].partition("-")[2])


def kept_bytes(
    outputs: int, listed: Container[bytes] = frozenset(), *, unlisted: int = ALLOWANCE_UNLISTED_BYTES
) -> int:
    """Bytes kept of all captures below the open folder ``outputs``, but those whose key is ``listed``.

    An owner that writes and is not listed may be about to write more: for each, ``unlisted`` bytes are added, but not
    for one that has written nothing yet: of many that wait for their commands to print, nearly none is about to.
    A folder that this user may not read has nothing; a capture that goes meanwhile counts or does not.  Raises
    ``OSError`` where the rest cannot be counted.
    """
    # An open directory of its own: a listing moves the one that it reads, which others may have open.
    fd = os.open(".", _DIRECTORY, dir_fd=outputs)
    try:
        return sum(_in_folder(folder, listed, unlisted) for folder in _tool_folders(fd))
    finally:
        os.close(fd)


def _tool_folders(outputs: int) -> Iterator[int]:
    for item in _listing(outputs):
        if not names.is_tool_name(item.name):
            continue
        try:
            fd = os.open(item.name, _DIRECTORY, dir_fd=outputs)
        except OSError as error:
            if error.errno in _NOT_COUNTED:
                continue
            raise
        try:
            yield fd
        finally:
            os.close(fd)


def _listing(folder: int) -> Iterator[os.DirEntry[str]]:
    # One that somebody removed while we have it open is not empty but an error.
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as found:
        yield from found


def _in_folder(fd: int, listed: Container[bytes], unlisted: int) -> int:
    total = 0
    linked: set[int] = set()
    for item in _listing(fd):
        # Ten thousand captures have thirty thousand names: what most of them are is told by their ends.
        if not item.name.endswith(_FORMS) or key_of(item.name) in listed or not names.parse_file_name(item.name):
            continue
        status = _status(item)
        if status is None or status.st_ino in linked:
            continue
        if status.st_nlink > 1:
            linked.add(status.st_ino)
        total += status.st_size
        if unlisted and status.st_size and item.name.endswith(_LIVE) and _has_owner(fd, item.name):
            total += unlisted
    return total


def _status(item: os.DirEntry[str]) -> os.stat_result | None:
    try:
        status = item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _has_owner(folder: int, name: str) -> bool:
    with contextlib.suppress(OSError):
        fd = os.open(name, _FILE, dir_fd=folder)
        try:
            # A reader's lock on a leftover is no owner's: it is a read lock.
            return is_held(fd, 0, 0)
        finally:
            os.close(fd)
    return False
