"""A FUSE file system that passes everything through to a folder, and fails where it is told to; a program of its own.

    python fault_fs.py BACKING MOUNT CONTROL

``CONTROL/rules.json``, replaced atomically by the test, holds the rules of :class:`Rule`.  Each time that one strikes
its index is appended as a line to ``CONTROL/struck``.  SIGSTOP makes the disk stall, SIGCONT makes it answer again.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import mfusepy

if TYPE_CHECKING:
    from collections.abc import Iterator

_PR_SET_PDEATHSIG = 1
_STATUS = ("st_atime", "st_ctime", "st_gid", "st_ino", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid")


class Rule(NamedTuple):
    """``operation`` (a pattern) on a path that ``path`` is found in (of two: the new one) fails with ``errno``."""

    operation: str
    path: str
    errno: int
    skip: int = 0
    """So many such operations succeed first."""
    room: int = 0
    """So many bytes are written first: the write that reaches beyond is a short one, the next one fails."""
    times: int | None = None
    """It strikes so often, and then never again: space has come back."""
    after: str | None = None
    """It holds from when an operation was seen that this is found in, as ``operation path``."""


class _Armed:
    """A rule and what it has seen."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._skip = rule.skip
        self._room = rule.room
        self._struck = 0
        self._on = rule.after is None

    def room(self, operation: str, path: str, size: int) -> int | None:
        """How many of ``size`` bytes may be written; ``None``: it does not apply, ``0``: it strikes."""
        rule = self.rule
        if not self._on:
            self._on = re.search(str(rule.after), f"{operation} {path}") is not None
            return None
        if not re.fullmatch(rule.operation, operation) or not re.search(rule.path, path):
            return None
        if self._skip:
            self._skip -= 1
            return None
        if rule.times is not None and self._struck >= rule.times:
            return None
        return self._granted(size)

    def _granted(self, size: int) -> int | None:
        if size and size <= self._room:
            self._room -= size
            return None
        granted, self._room = self._room, 0
        self._struck += not granted
        return granted


class FaultFs(mfusepy.Operations):
    """The pass-through; every operation asks the rules first."""

    use_ns = True

    def __init__(self, backing: str, control: str) -> None:
        self._backing = backing
        self._control = control
        self._seen: tuple[int, int] | None = None
        self._armed: list[_Armed] = []

    def init(self, path: str) -> None:
        sys.stdout.write("mounted\n")
        sys.stdout.flush()

    def _at(self, path: str) -> str:
        return self._backing + path

    def _ask(self, operation: str, path: str, size: int = 0) -> int:
        """How many of ``size`` bytes may be written; raises what the rules say."""
        self._reload()
        for index, armed in enumerate(self._armed):
            granted = armed.room(operation, path, size)
            if granted:
                return granted
            if granted == 0:
                with open(f"{self._control}/struck", "a", encoding="ascii") as struck:
                    struck.write(f"{index}\n")
                raise OSError(armed.rule.errno, os.strerror(armed.rule.errno))
        return size

    def _reload(self) -> None:
        path = f"{self._control}/rules.json"
        status = os.stat(path)
        if (seen := (status.st_ino, status.st_mtime_ns)) != self._seen:
            self._seen = seen
            with open(path, encoding="utf-8") as file:
                self._armed = [_Armed(Rule(*fields)) for fields in json.load(file)]

    def getattr(self, path: str, fh: int | None = None) -> dict[str, int]:
        status = os.lstat(self._at(path)) if fh is None else os.fstat(fh)
        return {
            name: getattr(status, f"{name}_ns")
            if name in ("st_atime", "st_ctime", "st_mtime")
            else getattr(status, name)
            for name in _STATUS
        }

    def readdir(self, path: str, fh: int) -> Iterator[tuple[str, dict[str, int], int]]:
        for name in (".", "..", *os.listdir(self._at(path))):
            yield name, self.getattr(f"{path}/{name}"), 0

    def statfs(self, path: str) -> dict[str, int]:
        status = os.statvfs(self._backing)
        return {name: getattr(status, name) for name in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_frsize")}

    def mkdir(self, path: str, mode: int) -> int:
        self._ask("mkdir", path)
        os.mkdir(self._at(path), mode)
        return 0

    def rmdir(self, path: str) -> int:
        os.rmdir(self._at(path))
        return 0

    def unlink(self, path: str) -> int:
        self._ask("unlink", path)
        os.unlink(self._at(path))
        return 0

    def rename(self, old: str, new: str) -> int:
        self._ask("rename", new)
        os.rename(self._at(old), self._at(new))
        return 0

    def link(self, target: str, source: str) -> int:
        self._ask("link", target)
        os.link(self._at(source), self._at(target))
        return 0

    def chmod(self, path: str, mode: int) -> int:
        self._ask("chmod", path)
        os.chmod(self._at(path), mode)
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        os.chown(self._at(path), uid, gid)
        return 0

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        self._ask("truncate", path)
        os.truncate(self._at(path), length)
        return 0

    def create(self, path: str, mode: int, fi: object = None) -> int:
        self._ask("create", path)
        return os.open(self._at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path: str, flags: int) -> int:
        return os.open(self._at(path), flags & os.O_ACCMODE)

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return os.pread(fh, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        return os.pwrite(fh, data[: self._ask("write", path, len(data))], offset)

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        self._ask("fsync", path)
        return 0

    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        self._ask("fsyncdir", path)
        return 0

    def flush(self, path: str, fh: int) -> int:
        self._ask("flush", path)
        return 0

    def release(self, path: str, fh: int) -> int:
        os.close(fh)
        return 0


class LockingFaultFs(FaultFs):
    """Asked for each lock as well; those that may be had are had from nobody, so it is for one writer alone."""

    def lock(self, path: str, fh: int, cmd: int, lock: object) -> int:
        self._ask("lock", path)
        return 0


def main(backing: str, mount: str, control: str, kind: str) -> None:
    """Serve until unmounted.  The kernel aborts the connection when this dies, and it dies with the test."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    operations = {"fuse": FaultFs, "locking": LockingFaultFs}[kind](backing, control)
    # Nothing is cached: every look is answered, or stalled, here.
    options: dict[str, Any] = {
        "attr_timeout": 0.0,
        "entry_timeout": 0.0,
        "negative_timeout": 0.0,
        "use_ino": True,
        "hard_remove": True,
    }
    mfusepy.FUSE(operations, mount, foreground=True, nothreads=True, **options)


if __name__ == "__main__":
    main(*sys.argv[1:])
