"""The only room that knows O_TMPFILE, rename and locks of whole files: private files, published whole, never replacing.

New inodes get their mode on our own descriptor before the first byte, so that the modes hold under any umask without
changing the umask.  All is relative to a directory's descriptor (:mod:`capture_core.directory`).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from typing import TYPE_CHECKING, Final

from capture_core.byte_locks import FLOCK, keep_from_forks, leave_to_forks
from capture_core.directory import GONE
from capture_core.errors import NameTaken

if TYPE_CHECKING:
    from capture_core.directory import Directory

FILE_MODE: Final = 0o600
FINAL_MODE: Final = 0o400

_O_TMPFILE: Final = getattr(os, "O_TMPFILE", None)
_NO_TMPFILE: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS})
_CANNOT_RESERVE: Final = frozenset({*_NO_TMPFILE, errno.ENODEV, errno.EFBIG})
"""``EFBIG``: the user's limit on file sizes, under which a receipt, which is much smaller, may still fit."""
_SYNC_FILE_RANGE_WRITE: Final = 2  # <linux/fs.h>
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS})


class NewFile:
    """A private file that nobody can see yet: an unnamed inode, or a name in our own temporary folder."""

    __slots__ = ("_scratch", "_scratch_name", "fd")

    def __init__(self, directory: Directory, scratch: Directory, random_name: str) -> None:
        self._scratch = scratch
        self._scratch_name: str | None = None
        self.fd = _open_unnamed(directory.fd)
        if self.fd < 0:
            self._scratch_name = random_name
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self.fd = os.open(random_name, flags, FILE_MODE, dir_fd=scratch.fd)
        try:
            os.fchmod(self.fd, FILE_MODE)
        except OSError:
            self.discard()
            raise

    def publish(self, directory: Directory, name: str) -> None:
        """Give the inode its name, atomically; :class:`NameTaken` when anything stands there already."""
        try:
            if self._scratch_name is None:
                os.link(f"/proc/self/fd/{self.fd}", name, dst_dir_fd=directory.fd, follow_symlinks=True)
            else:
                rename(self._scratch, self._scratch_name, directory, name)
                self._scratch_name = None
        except FileExistsError as error:
            msg = f"{os.path.join(directory.path, name)!r}: something stands there already; it was not touched"
            raise NameTaken(msg) from error

    def withdraw(self, directory: Directory, name: str, random_name: str) -> None:
        """Take the name away that :meth:`publish` gave, so that the file can be published again.

        It waits in the temporary folder: an inode without any name, which had one, gets none again.
        """
        rename(directory, name, self._scratch, random_name)
        self._scratch_name = random_name

    def discard(self) -> None:
        """Close the descriptor, and forget the file when it was never published."""
        if self._scratch_name is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._scratch_name, dir_fd=self._scratch.fd)
        leave_to_forks(self.fd)
        # What had to be safe was synced, and told then; the descriptor is gone in any case.
        with contextlib.suppress(OSError):
            os.close(self.fd)


def _open_unnamed(directory: int) -> int:
    if _O_TMPFILE is None:
        return -1
    try:
        return os.open(".", _O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, FILE_MODE, dir_fd=directory)
    except OSError as error:
        if error.errno in _NO_TMPFILE:
            return -1
        raise


def rename(source: Directory, name: str, target: Directory, new_name: str) -> None:
    """Rename without replacing, in one system call where there is one; ``FileExistsError`` when taken."""
    if _renameat2(source.fd, name, target.fd, new_name):
        return
    # Two steps, safe to repeat: a crash between them leaves one inode with both names.
    os.link(name, new_name, src_dir_fd=source.fd, dst_dir_fd=target.fd, follow_symlinks=False)
    os.unlink(name, dir_fd=source.fd)


_RENAME_NOREPLACE: Final = 1


def _renameat2(source: int, name: str, target: int, new_name: str) -> bool:
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return False
    if function(source, os.fsencode(name), target, os.fsencode(new_name), _RENAME_NOREPLACE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        return False
    raise OSError(code, os.strerror(code), new_name)


def start_write_back(fd: int, start: int, size: int) -> None:
    """Ask the kernel to begin writing a range to the disk; nothing waits for it, and only a sync proves it.

    Where that cannot be asked, the sync at the end does all of it.  An error there is told by the sync too.
    """
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "sync_file_range", None)
    if function is not None:
        function(fd, ctypes.c_int64(start), ctypes.c_int64(size), _SYNC_FILE_RANGE_WRITE)


def replace(
    scratch: Directory, random_name: str, directory: Directory, name: str, data: bytes, *, is_synced: bool = False
) -> None:
    """Put ``data`` at ``name``, replacing what we put there before; readers see the old or the new whole.

    ``is_synced``: also after a power loss.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(random_name, flags, FILE_MODE, dir_fd=scratch.fd)
    try:
        try:
            os.fchmod(fd, FILE_MODE)
            write_all(fd, data)
            if is_synced:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(random_name, name, src_dir_fd=scratch.fd, dst_dir_fd=directory.fd)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(random_name, dir_fd=scratch.fd)
        raise


def write_all(fd: int, data: bytes | memoryview) -> int:
    """Write every byte, looping on short writes (a full disk gives one first); ``ShortWrite`` tells how far."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        try:
            done += os.write(fd, view[done:])
        except OSError as error:
            raise ShortWrite(error, done) from error
    return done


class ShortWrite(OSError):
    """A write failed after ``done`` bytes had reached the file."""

    def __init__(self, cause: OSError, done: int) -> None:
        super().__init__(cause.errno, cause.strerror)
        self.done = done


def reserve(fd: int, size: int) -> None:
    """Take ``size`` bytes of the disk for ``fd`` now, where the file system can; a plain file later if not.

    Raises ``OSError`` when the disk has no such room, or is broken.
    """
    allocate = getattr(os, "posix_fallocate", None)
    if allocate is None:
        return
    try:
        # Where the file system cannot, the C library writes a byte into each block, which comes to the same.
        allocate(fd, 0, size)
    except OSError as error:
        if error.errno not in _CANNOT_RESERVE:
            raise


def is_at(directory: Directory, name: str, fd: int) -> bool:
    """Whether the inode of ``fd`` stands at ``name``, and not another one, or nothing."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=directory.fd, follow_symlinks=False), os.fstat(fd))
    except OSError as error:
        if error.errno in GONE:
            return False
        raise


def size_of(fd: int) -> int:
    """Bytes of a file that has a name, 0 when it has none any more."""
    status = os.fstat(fd)
    return status.st_size if status.st_nlink else 0


# -- locks --------------------------------------------------------------------------------------------------


def lock(fd: int) -> bool:
    """Hold a write lock on the inode for as long as this open description lives; ``False`` where none can be had.

    An open-file-description lock: it belongs to the descriptor, not to the process, so a close elsewhere in the
    host does not drop it.
    """
    keep_from_forks(fd)
    return _set_lock(fd, fcntl.F_WRLCK)


def unlock(fd: int) -> None:
    """Release explicitly; closing alone would leave it to a descriptor that was inherited by mistake."""
    leave_to_forks(fd)
    # What fails here is done by the close that follows.
    with contextlib.suppress(OSError):
        _set_lock(fd, fcntl.F_UNLCK)


def _set_lock(fd: int, kind: int) -> bool:
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is None:
        return False
    try:
        fcntl.fcntl(fd, command, FLOCK.pack(kind, os.SEEK_SET, 0, 0, 0))
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return False
        raise
    return True
