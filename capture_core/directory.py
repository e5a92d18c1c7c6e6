"""Directories that are opened once, judged, and made private: everything below is reached by their descriptors.

One checked segment at a time, without following links.  With :mod:`capture_core.durable`, which knows files, the only
room that knows openat, mkdirat and the syncing of names.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from typing import TYPE_CHECKING, Final

from capture_core.errors import PlaceRefused, Unsupported
from capture_core.limits.capturing import CLAIM_RETRY_SECONDS, CLAIM_TRIES

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY_MODE: Final = 0o700
GONE: Final = frozenset({errno.ENOENT, errno.ESTALE})
"""``ESTALE``: what file systems of a server or of user space say of an open file that was deleted."""

_OPEN_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_O_PATH: Final = getattr(os, "O_PATH", None)


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
    _judge(fd, path)
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
        what = "is a link, or no directory" if error.errno in (errno.ELOOP, errno.ENOTDIR) else _words(error)
        msg = f"{path!r}: {what}; move it away, captures are not written through it"
        raise PlaceRefused(msg) from error
    _judge(fd, path)
    return fd


def _judge(fd: int, path: str) -> None:
    """Refuse an open directory that is not ours, or not ours alone to write to; it is closed then."""
    if why := _why_not(os.fstat(fd), path):
        os.close(fd)
        raise PlaceRefused(f"{path!r}: {why}")


def _why_not(status: os.stat_result, path: str) -> str | None:
    if status.st_uid != os.geteuid():
        return "belongs to another user; name a folder of your own"
    foreign_group = status.st_gid != os.getegid()
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and foreign_group):
        return f"others may write to it; take that away with: chmod go-w {path!r}"
    return None


def is_removed(directory: Directory) -> bool:
    """Whether somebody removed the directory that we have open: nothing can be made in it any more."""
    try:
        return os.fstat(directory.fd).st_nlink == 0
    except OSError as error:
        return error.errno in GONE


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


def refuse_platform() -> None:
    """Raise :class:`Unsupported` where descriptor-relative calls do not exist."""
    if os.open not in os.supports_dir_fd or os.mkdir not in os.supports_dir_fd:
        msg = "capture needs openat and mkdirat, which this platform lacks; run the command with --no-capture"
        raise Unsupported(msg)


def _words(error: OSError | ValueError) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror.lower() if strerror else str(error)
