"""What a conversation lies on: its file system and what that can do, the room there, and what may be kept of it."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from capture_core.descend import NotOurs, open_file, tool_folder
from capture_core.errors import PlaceRefused, system_words
from capture_core.limits import GIB, KIB, MIB
from capture_core.liveness import Use, file_system, is_local, use_of
from capture_core.standing import is_lockable
from capview import present
from capview.checkup.remark import Check, Remark, quoted
from capview.limits import LEAST_FREE_INODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capture_core.standing import Found
    from capview.settings import Settings

_VOLATILE: Final = frozenset({"tmpfs", "ramfs"})
_NO_UNNAMED: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS})
_ELSEWHERE: Final = "export CAPVIEW_CONVERSATION=~/captures"


def check_file_system(path: str, fd: int, found: Sequence[Found]) -> Iterator[Remark]:
    """Its kind, and whether what captures stand on works there; ``found``: captures whose files may be asked.

    A file without a name is made, and is gone again: of whether that can be, nothing else tells.
    """
    kind = file_system(fd) or "unknown"
    if not is_local(fd):
        words = f"{kind}: other machines' writes make no events, and dead owners cannot always be told; capview polls"
        yield Remark(Check.FILE_SYSTEM, path, words, _ELSEWHERE)
    if _has_no_locks(path, found):
        words = f"{kind} gives no locks: nobody can tell whether an owner lives"
        yield Remark(Check.FILE_SYSTEM, path, words, _ELSEWHERE)
    words = f"{kind}, gone at the next start of this machine" if kind in _VOLATILE else kind
    yield from _check_writing(path, fd, words)


def check_room(path: str, fd: int, settings: Settings) -> Iterator[Remark]:
    """Whether the disk has room for one more capture."""
    disk = os.fstatvfs(fd)
    free, least = disk.f_bavail * disk.f_frsize, settings.limits.capture_bytes
    words = f"{present.size(free)} free"
    if free < least:
        words = f"{words}, less than the {present.size(least)} that one capture may keep"
        yield Remark(Check.ROOM, path, words, _prune(path, "--older-than 7d"))
    elif disk.f_files and disk.f_favail < LEAST_FREE_INODES:
        yield Remark(Check.ROOM, path, f"room for {disk.f_favail} files", _prune(path, "--older-than 7d"))
    else:
        yield Remark(Check.ROOM, path, words)


def check_allowance(path: str, settings: Settings, captures: Sequence[Found]) -> Iterator[Remark]:
    """How much of what it may keep the conversation has, by the word that a list of captures goes by too."""
    from capture_core.account import Uncounted, account
    from capview import room

    try:
        found = account(path)
    except NotOurs:
        return  # what stands in the way is told of by the check of the tree
    except Uncounted as error:
        yield Remark(Check.ALLOWANCE, path, str(error), f"find {quoted(path)} -ls > /dev/null")
        return
    except PlaceRefused as error:
        # The check of the tree says how to mend that.
        yield Remark(Check.ALLOWANCE, path, f"what it keeps is not known: {error}")
        return
    usual = settings.limits.conversation_bytes
    newest_first = sorted((each for each in captures if each.entry), key=lambda each: each.started, reverse=True)
    limit = room.allowed((each.entry.receipt.allowance for each in newest_first if each.entry), usual)
    used = max(found.kept, found.counted or 0)
    words = f"has {room.share(used, limit)}"
    if limit != usual:
        words = f"{words} by its newest capture, {present.size(usual)} by the settings"
    # One run may have been given less: nothing is pruned for what holds no longer.
    mend = _prune(path, f"--to-size {_round(usual // 2)}") if room.is_nearly_full(used, usual) else None
    yield Remark(Check.ALLOWANCE, path, words, mend)


def _check_writing(path: str, fd: int, words: str) -> Iterator[Remark]:
    try:
        os.close(os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=fd))
    except OSError as error:
        if error.errno in _NO_UNNAMED:
            yield Remark(Check.FILE_SYSTEM, path, f"{words}; without O_TMPFILE, files begin in .capview/tmp")
            return
        why = system_words(error)
        mend = "df -h --output=target,avail,iavail " if error.errno in (errno.ENOSPC, errno.EDQUOT) else "chmod u+rwx "
        if error.errno == errno.EROFS:
            mend = "sudo mount -o remount,rw "
        yield Remark(Check.FILE_SYSTEM, path, f"{words}; nothing can be written: {why}", mend + quoted(path))
    else:
        yield Remark(Check.FILE_SYSTEM, path, f"{words}, with unnamed files")


def _has_no_locks(path: str, found: Sequence[Found]) -> bool:
    """Asked of a capture's file: file systems that pass locks on do so for files alone."""
    for each in found:
        for name in (file.name for file in each.files if is_lockable(file.name) and file.is_ours):
            with tool_folder(path, each.name.tool) as folder:
                fd = None if folder is None else _opened(folder, name)
            if fd is not None:
                try:
                    return use_of(fd) is Use.UNTOLD
                finally:
                    os.close(fd)
    return False


def _opened(folder: int, name: str) -> int | None:
    try:
        return open_file(folder, name)
    except PlaceRefused:
        return None  # the check of the tree says how to mend that


def _prune(path: str, what: str) -> str:
    return f"capview prune --conversation {quoted(path)} {what}"


def _round(size: int) -> str:
    """A size as the command line takes it."""
    units = ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1, ""))
    unit, name = next((unit, name) for unit, name in units if size >= unit or unit == 1)
    return f"{max(size // unit, 1)}{name}"
