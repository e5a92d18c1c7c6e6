"""The folders and files of one conversation: whose they are, who may read and write them, what else lies there."""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.descend import kind_of, step
from capture_core.directory import DIRECTORY_MODE
from capture_core.durable import FILE_MODE, FINAL_MODE
from capture_core.errors import PlaceRefused, system_words
from capview.checkup.remark import Check, Remark, chmod, move, quoted, remove

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_IGNORE_FILE: Final = ".gitignore"
_SCRATCH: Final = "tmp"
_OTHERS: Final = 0o077
_FINAL: Final = frozenset({"txt", "bin", "json"})
_EITHER: Final = frozenset({"sgr", "times"})
"""Written until the end, read-only from then on, under one name."""
_REQUEST_MADE: Final = re.compile(r"\..+\.request\.[0-9a-f]{16}", re.ASCII)
_MODES: Final = 0o7777


def check_tree(path: str, fd: int, live: Container[str]) -> Iterator[Remark]:
    """All below the conversation at ``path``, open at ``fd``; ``live``: ids of captures whose owners still write."""
    status = os.fstat(fd)
    tree = _Tree(path, status.st_uid, live)
    yield from _conversation(path, status)
    yield from tree.outputs(fd)
    yield from tree.private_folder(path, fd, names.PRIVATE)


def check_root(path: str) -> Iterator[Remark]:
    """The folder of conversations that have no other place."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        yield _not_made(path)
    except OSError as error:
        yield Remark(Check.PLACE, path, system_words(error), f"ls -ld {quoted(path)}")
    else:
        if not stat.S_ISDIR(status.st_mode):
            yield Remark(Check.PLACE, path, "is no folder", move(path, os.path.dirname(path)))
        else:
            yield from _conversation(path, status) if _is_shared(status) else _folder_mode(path, status)


def _not_made(path: str) -> Remark:
    """Whether the first capture could make the root."""
    above = os.path.dirname(path)
    while not os.path.lexists(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        words = f"cannot be made, so that nothing is captured there: {above!r} is no folder"
        by_home = 'export HOME="$(getent passwd "$(id -u)" | cut -d: -f6)"'
        return Remark(Check.PLACE, path, words, "unset XDG_DATA_HOME" if os.environ.get("XDG_DATA_HOME") else by_home)
    if not os.access(above, os.W_OK | os.X_OK):
        words = f"cannot be made, so that nothing is captured there: you may not write to {above!r}"
        return Remark(Check.PLACE, path, words, f"sudo install -d -m 0700 -o {os.geteuid()} -- {quoted(path)}")
    return Remark(Check.PLACE, path, "nothing captured there yet")


def _conversation(path: str, status: os.stat_result) -> Iterator[Remark]:
    if status.st_uid != os.geteuid():
        words = "belongs to another user, who alone can capture in it"
        yield Remark(Check.OWNER, path, words, f"sudo -u '#{status.st_uid}' capview doctor {quoted(path)}")
    if _is_shared(status):
        mend = chmod(status.st_mode & _MODES & ~0o022, path)
        yield Remark(Check.MODE, path, "others may write to it, so that nothing is captured in it", mend)


def _is_shared(status: os.stat_result) -> bool:
    """Whether others may write to a folder; the user's own group is not another."""
    foreign_group = status.st_gid != os.getegid()
    return bool(status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and foreign_group))


class _Tree:
    """One conversation, whose files should be those of the user ``user``."""

    def __init__(self, path: str, user: int, live: Container[str]) -> None:
        self._path = path
        self._user = user
        self._live = live

    def outputs(self, fd: int) -> Iterator[Remark]:
        """``tool-outputs/`` and all below it."""
        where = os.path.join(self._path, names.TOOL_OUTPUTS)
        with self._folder(self._path, fd, names.TOOL_OUTPUTS) as (outputs, remarks):
            yield from remarks
            for name, status in _listed(outputs):
                if _may_be_tool(name, status):
                    yield from self._tool(where, outputs, name)
                elif name != _IGNORE_FILE or not stat.S_ISREG(status.st_mode):
                    path = os.path.join(where, name)
                    yield Remark(Check.FOREIGN, path, "is no folder of captures", move(path, self._path))

    def private_folder(self, path: str, fd: int | None, name: str) -> Iterator[Remark]:
        """``.capview/``, or one of the folders below it, and all below that."""
        where = os.path.join(path, name)
        with self._folder(path, fd, name) as (folder, remarks):
            yield from remarks
            for item, status in _listed(folder):
                if stat.S_ISDIR(status.st_mode):
                    yield from self.private_folder(where, folder, item)
                else:
                    yield from self._private_file(os.path.join(where, item), status)

    def _tool(self, path: str, outputs: int | None, name: str) -> Iterator[Remark]:
        where = os.path.join(path, name)
        with self._folder(path, outputs, name) as (folder, remarks):
            yield from remarks
            for file, status in _listed(folder):
                yield from self._captured(os.path.join(where, file), file, status)

    def _captured(self, where: str, name: str, status: os.stat_result) -> Iterator[Remark]:
        parts = names.parse_file_name(name)
        if parts is None:
            yield self._unknown(where, name, status)
        elif not stat.S_ISREG(status.st_mode):
            yield self._special(where, status)
        else:
            yield from self._owner(where, status)
            yield from _mode(where, status, parts, is_live=parts.capture_id in self._live)
            if status.st_nlink > 1:
                words = "has another name elsewhere, under which others may reach it"
                yield Remark(Check.HARD_LINK, where, words, f"find / -xdev -inum {status.st_ino} 2>/dev/null")

    def _private_file(self, where: str, status: os.stat_result) -> Iterator[Remark]:
        if not stat.S_ISREG(status.st_mode):
            yield self._special(where, status)
            return
        yield from self._owner(where, status)
        if status.st_mode & _OTHERS:
            yield Remark(Check.MODE, where, _who(status.st_mode), chmod(FILE_MODE, where))
        elif status.st_mode & _needed(where) != _needed(where):
            words = f"mode {status.st_mode & _MODES:04o}, which its owner cannot work with"
            yield Remark(Check.MODE, where, words, chmod(FILE_MODE, where))

    @contextmanager
    def _folder(self, path: str, parent: int | None, name: str) -> Iterator[tuple[int | None, list[Remark]]]:
        """One of our folders, open, and what there is to say of it; ``None`` when it is not there or no folder."""
        where = os.path.join(path, name)
        status = None if parent is None else _status(parent, name)
        if parent is None or status is None:
            yield None, []
        elif not stat.S_ISDIR(status.st_mode):
            yield None, [self._special(where, status)]
        else:
            with _open(parent, name) as fd:
                yield fd, [*self._owner(where, status), *_folder_mode(where, status)]

    def _owner(self, where: str, status: os.stat_result) -> Iterator[Remark]:
        if status.st_uid != self._user:
            words = f"belongs to user {status.st_uid}, but its conversation to user {self._user}"
            yield Remark(Check.OWNER, where, words, f"sudo chown {self._user} {quoted(where)}")

    def _unknown(self, where: str, name: str, status: os.stat_result) -> Remark:
        if _REQUEST_MADE.fullmatch(name) and stat.S_ISREG(status.st_mode):
            return Remark(Check.TEMPORARY, where, "a request that was never made whole", remove(where))
        return Remark(Check.FOREIGN, where, "is no file of a capture", move(where, self._path))

    def _special(self, where: str, status: os.stat_result) -> Remark:
        words = f"{kind_of(status.st_mode)} stands where capview writes; it is neither read nor followed"
        # What may hold something is moved; the rest are names only.
        is_name = stat.S_ISLNK(status.st_mode) or stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)
        return Remark(Check.SPECIAL, where, words, remove(where) if is_name else move(where, self._path))


def _may_be_tool(name: str, status: os.stat_result) -> bool:
    return names.is_tool_name(name) and (stat.S_ISDIR(status.st_mode) or stat.S_ISLNK(status.st_mode))


def _folder_mode(where: str, status: os.stat_result) -> Iterator[Remark]:
    if status.st_mode & _OTHERS:
        yield Remark(Check.MODE, where, _who(status.st_mode), chmod(DIRECTORY_MODE, where))
    elif status.st_mode & _MODES != DIRECTORY_MODE:
        words = f"mode {status.st_mode & _MODES:04o}, which its owner cannot work with"
        yield Remark(Check.MODE, where, words, chmod(DIRECTORY_MODE, where))


def _mode(where: str, status: os.stat_result, parts: names.FileName, *, is_live: bool) -> Iterator[Remark]:
    is_final = parts.form in _FINAL
    mode, mend = status.st_mode & _MODES, FINAL_MODE if is_final else FILE_MODE
    # An owner takes its right to write before it renames the file, and may be killed between.
    if mode == mend or (mode == FINAL_MODE and parts.form in (*_EITHER, "live")):
        return
    if mode & _OTHERS:
        yield Remark(Check.MODE, where, _who(mode), chmod(mend, where))
    elif not is_live:
        words = f"mode {mode:04o}"
        if not mode & stat.S_IRUSR:
            words = f"{words}: its own user may not read it"
        elif is_final:
            words = f"{words}: what is final is not to be written"
        yield Remark(Check.MODE, where, words, chmod(mend, where))


def _needed(where: str) -> int:
    """What its owner must be able to do with a private file; a temporary one may have its last mode already."""
    is_temporary = os.path.basename(os.path.dirname(where)) == _SCRATCH
    return stat.S_IRUSR if is_temporary else stat.S_IRUSR | stat.S_IWUSR


def _who(mode: int) -> str:
    does = "write to" if mode & 0o022 else "read" if mode & 0o044 else "reach"
    return f"mode {mode & _MODES:04o}: others may {does} it"


@contextmanager
def _open(parent: int, name: str) -> Iterator[int | None]:
    try:
        with step(parent, name) as fd:
            yield fd
    except PlaceRefused:
        yield None


def _listed(fd: int | None) -> Iterator[tuple[str, os.stat_result]]:
    """What lies in an open folder, by name; what goes meanwhile or cannot be listed is left out."""
    items: list[str] = []
    with suppress(OSError):
        items = [] if fd is None else sorted(os.listdir(fd))
    for item in items:
        if fd is not None and (status := _status(fd, item)) is not None:
            yield item, status


def _status(fd: int, name: str) -> os.stat_result | None:
    with suppress(OSError):
        return os.stat(name, dir_fd=fd, follow_symlinks=False)
    return None
