"""The only room that knows openat, O_TMPFILE, fsync, rename and locks: private files, published whole, never replacing.

A directory is opened once and everything below it is reached relative to its descriptor, one checked segment
at a time, without following links.  New inodes get their mode on our own descriptor before the first byte, so
that the modes hold under any umask without changing the umask.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import struct
import time
from typing import TYPE_CHECKING, Final

from capture_core.errors import NameTaken, PlaceRefused, Unsupported
from capture_core.limits import CLAIM_RETRY_SECONDS, CLAIM_TRIES

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY_MODE: Final = 0o700
FILE_MODE: Final = 0o600
FINAL_MODE: Final = 0o400

_OPEN_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_O_PATH: Final = getattr(os, "O_PATH", None)
_O_TMPFILE: Final = getattr(os, "O_TMPFILE", None)
_NO_TMPFILE: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS})
_CANNOT_RESERVE: Final = frozenset({*_NO_TMPFILE, errno.ENODEV, errno.EFBIG})
"""``EFBIG``: the user's limit on file sizes, under which a receipt, which is much smaller, may still fit."""
_GONE: Final = frozenset({errno.ENOENT, errno.ESTALE})
"""``ESTALE``: what file systems of a server or of user space say of an open file that was deleted."""
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS})

# struct flock of 64-bit Linux: short l_type, short l_whence, off_t l_start, off_t l_len, pid_t l_pid.
_FLOCK: Final = "hhqqi4x"

_held: set[int] = set()
"""Descriptors that carry our locks.  A fork of the host must not keep them: the lock would outlive its owner."""


def _drop_held() -> None:
    for fd in _held:
        with contextlib.suppress(OSError):
            os.close(fd)
    _held.clear()


os.register_at_fork(after_in_child=_drop_held)


# -- directories --------------------------------------------------------------------------------------------


class Directory:
    """An open directory; ``made`` tells whether this process created it.  Closing is the holder's duty."""

    __slots__ = ("fd", "made", "path")

    def __init__(self, fd: int, path: str, *, made: bool) -> None:
        self.fd = fd
        self.path = path
        """For messages only; nothing is opened by it."""
        self.made = made

    def step(self, name: str) -> Directory:
        """Open, or make, the directory ``name`` below; refuse links, other things, and what others may write."""
        path = os.path.join(self.path, name)
        made = False

        def reach() -> int:
            nonlocal made
            made = _make_directory(name, self.fd)
            try:
                return _open_judged(name, path, self.fd)
            except PlaceRefused:
                _unmake(name, self.fd, made=made)
                raise

        return Directory(_claimed(reach), path, made=made)

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.fd)


def open_own(path: str, *, what: str = "conversation") -> tuple[Directory, tuple[str, ...]]:
    """Open a directory as the user names it (links allowed), making what is missing of it.

    Returns it and the paths that were made, outermost first, so that a start that fails can undo them.
    Raises :class:`PlaceRefused`: not a directory, not ours, writable by others, or not to be made.
    """
    made: list[str] = []

    def reach() -> int:
        # One by one, so that an error in the middle still knows what was made before it.
        for missing in _missing_steps(os.path.abspath(path)):
            if _make_directory(missing, None):
                made.append(missing)  # noqa: PERF401
        return os.open(path, _OPEN_DIRECTORY)

    try:
        fd = _claimed(reach)
    except (OSError, ValueError) as error:  # ValueError: NUL, or what no file name can hold
        remove_made(made)
        msg = f"{what} {path!r}: {_words(error)}; name a folder of your own"
        raise PlaceRefused(msg) from error
    try:
        _judge(os.fstat(fd), path)
    except PlaceRefused:
        os.close(fd)
        raise
    return Directory(fd, path, made=bool(made)), tuple(made)


def remove_made(made: list[str] | tuple[str, ...]) -> None:
    """Remove directories that we made, innermost first, where they are still empty."""
    for path in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(path)


def remove_below(parent: Directory, child: Directory) -> None:
    """Undo our own :meth:`Directory.step`, where nothing has come into it since and nobody else is about to."""
    if child.made and is_ours_alone(child):
        with contextlib.suppress(OSError):
            os.rmdir(os.path.basename(child.path), dir_fd=parent.fd)


def is_ours_alone(directory: Directory) -> bool:
    """Whether no other writer has ``directory`` open; none can claim it then before we close it."""
    try:
        fcntl.flock(directory.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # No such locks here: whether it is still empty is all that can be known.
        return True
    return True


def _claimed(reach: Callable[[], int]) -> int:
    """The directory that ``reach`` opens, held by a shared lock against a start beside us that fails and undoes it."""
    for _ in range(CLAIM_TRIES):
        try:
            fd = reach()
        except FileNotFoundError:
            # Removed between our making, or finding, and our opening it.
            continue
        if _claim(fd):
            return fd
        os.close(fd)
        time.sleep(CLAIM_RETRY_SECONDS)
    return reach()


def _claim(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return os.fstat(fd).st_nlink > 0


def _missing_steps(path: str) -> list[str]:
    steps: list[str] = []
    while not os.path.lexists(path):
        steps.append(path)
        path = os.path.dirname(path)
    return steps[::-1]


def _make_directory(name: str, parent: int | None) -> bool:
    try:
        os.mkdir(name, DIRECTORY_MODE, dir_fd=parent)
    except FileExistsError:
        return False
    if _O_PATH is None:
        os.chmod(name, DIRECTORY_MODE, dir_fd=parent)
        return True
    try:
        # Under umask 0777 the new folder cannot even be opened for reading; an O_PATH descriptor can be had.
        fd = os.open(name, _O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{fd}", DIRECTORY_MODE)
        finally:
            os.close(fd)
    except OSError:
        _unmake(name, parent, made=True)
        raise
    return True


def _unmake(name: str, parent: int | None, *, made: bool) -> None:
    if made:
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=parent)


def _open_judged(name: str, path: str, parent: int) -> int:
    try:
        fd = os.open(name, _OPEN_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except FileNotFoundError:
        raise
    except OSError as error:
        what = "is a link or not a directory" if error.errno in (errno.ELOOP, errno.ENOTDIR) else _words(error)
        msg = f"{path!r}: {what}; move it away, captures are not written through it"
        raise PlaceRefused(msg) from error
    try:
        _judge(os.fstat(fd), path)
    except PlaceRefused:
        os.close(fd)
        raise
    return fd


def _judge(status: os.stat_result, path: str) -> None:
    if status.st_uid != os.geteuid():
        msg = f"{path!r}: belongs to another user; name a folder of your own"
        raise PlaceRefused(msg)
    foreign_group = status.st_gid != os.getegid()
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and foreign_group):
        msg = f"{path!r}: others may write to it; take that away with: chmod go-w {path!r}"
        raise PlaceRefused(msg)


# -- files --------------------------------------------------------------------------------------------------


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

    def discard(self) -> None:
        """Close the descriptor, and forget the file when it was never published."""
        if self._scratch_name is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._scratch_name, dir_fd=self._scratch.fd)
        _held.discard(self.fd)
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


def replace(scratch: Directory, random_name: str, directory: Directory, name: str, data: bytes) -> None:
    """Put ``data`` at ``name``, replacing what we put there before; readers see the old or the new whole."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(random_name, flags, FILE_MODE, dir_fd=scratch.fd)
    try:
        try:
            os.fchmod(fd, FILE_MODE)
            write_all(fd, data)
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
        if error.errno in _GONE:
            return False
        raise


def size_of(fd: int) -> int:
    """Bytes of a file that has a name, 0 when it has none any more."""
    status = os.fstat(fd)
    return status.st_size if status.st_nlink else 0


def is_removed(directory: Directory) -> bool:
    """Whether somebody removed the directory that we have open: nothing can be made in it any more."""
    try:
        return os.fstat(directory.fd).st_nlink == 0
    except OSError as error:
        return error.errno in _GONE


def sync_directory(directory: Directory) -> None:
    """Make names durable; file systems that cannot sync a directory say EINVAL, and then need not."""
    _sync_names(directory.fd)


def _sync_names(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise


def sync_above(directory: Directory, levels: int) -> None:
    """Make the names of so many folders durable: its own, and those of the folders that it is in.

    As far as they may be read: a folder in which one may only write cannot be synced by its user.
    """
    fd = os.open(".", _OPEN_DIRECTORY, dir_fd=directory.fd)
    try:
        for _ in range(levels):
            above = os.open("..", _OPEN_DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = above
            _sync_names(fd)
    except PermissionError:
        pass
    finally:
        os.close(fd)


# -- locks --------------------------------------------------------------------------------------------------


def lock(fd: int) -> bool:
    """Hold a write lock on the inode for as long as this open description lives; ``False`` where none can be had.

    An open-file-description lock: it belongs to the descriptor, not to the process, so a close elsewhere in the
    host does not drop it.
    """
    _held.add(fd)
    return _set_lock(fd, fcntl.F_WRLCK)


def unlock(fd: int) -> None:
    """Release explicitly; closing alone would leave it to a descriptor that was inherited by mistake."""
    _held.discard(fd)
    # What fails here is done by the close that follows.
    with contextlib.suppress(OSError):
        _set_lock(fd, fcntl.F_UNLCK)


def _set_lock(fd: int, kind: int) -> bool:
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is None:
        return False
    try:
        fcntl.fcntl(fd, command, struct.pack(_FLOCK, kind, os.SEEK_SET, 0, 0, 0))
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return False
        raise
    return True


def refuse_platform() -> None:
    """Raise :class:`Unsupported` where descriptor-relative calls do not exist."""
    if os.open not in os.supports_dir_fd or os.mkdir not in os.supports_dir_fd:
        msg = "capture needs openat and mkdirat, which this platform lacks; run the command with --no-capture"
        raise Unsupported(msg)


def _words(error: OSError | ValueError) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror.lower() if strerror else str(error)
