"""Who still holds the writing end of a pipe or a terminal: as far as the OS tells, and within a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import threading
from time import monotonic
from typing import TYPE_CHECKING, Final

from capture_core import processes
from capture_core.errors import CaptureError
from capture_core.facts import OtherProcess
from capture_core.limits.capturing import HOLDERS_SECONDS, OTHER_PROCESS_CHARS, OTHER_PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.processes import Process

_FDINFO_BYTES: Final = 512
_TIOCGPTN: Final = 0x80045430
"""ioctl_tty(2): the number of the terminal whose master this is; it has no name in ``termios``."""


class Search:
    """Looks who can write to what ``fd`` reads, from when it is made, in a thread of its own.

    /proc can make a reader wait: a search that does not come back in time is left behind.  Raises ``RuntimeError``
    where no thread can be had.
    """

    def __init__(self, fd: int, *, patience_seconds: float = HOLDERS_SECONDS) -> None:
        self._until = monotonic() + patience_seconds
        self._found: tuple[Process, ...] | None = None
        self._thread = threading.Thread(target=self._run, args=(link_of(fd),), name="holder-search", daemon=True)
        self._thread.start()

    def result(self, mask: Callable[[str], str]) -> tuple[OtherProcess, ...] | None:
        """The first of them, in the order of their ids; ``None``: nobody knows."""
        self._thread.join(max(0.0, self._until - monotonic()))
        if self._found is None:
            return None
        return tuple(name(process.pid, process.name, mask) for process in self._found[:OTHER_PROCESSES])

    def _run(self, link: str | None) -> None:
        if link is not None and (seen := processes.table()):
            self._found = tuple(seen[pid] for pid in sorted(seen) if _can_write(pid, link))


def link_of(fd: int) -> str | None:
    """What a descriptor in /proc is a link to for whoever writes to what ``fd`` reads; ``None``: nothing to go by."""
    try:
        target = os.readlink(f"/proc/self/fd/{fd}")
        if target.startswith("pipe:"):
            return target
        return f"/dev/pts/{struct.unpack('I', fcntl.ioctl(fd, _TIOCGPTN, bytes(4)))[0]}"
    except OSError:
        return None


def _can_write(pid: int, link: str) -> bool:
    return any(target == link and _is_for_writing(pid, fd) for fd, target in _descriptors(pid))


def _descriptors(pid: int) -> Iterator[tuple[str, str]]:
    """Each open descriptor and what it is a link to; nothing where the OS keeps that to itself."""
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            yield name, os.readlink(f"{folder}/{name}")
        except OSError:
            continue


def _is_for_writing(pid: int, fd: str) -> bool:
    try:
        with open(f"/proc/{pid}/fdinfo/{fd}", "rb") as file:
            # proc(5): "flags:" and an octal number, as of open(2).
            flags = int(file.read(_FDINFO_BYTES).partition(b"flags:")[2].split(maxsplit=1)[0], 8)
    except (OSError, ValueError, IndexError):
        return False
    return flags & os.O_ACCMODE != os.O_RDONLY


def name(pid: int, own_name: str, mask: Callable[[str], str]) -> OtherProcess:
    """Put a process into words that may be kept: a stranger's text, masked and bounded, or none where nothing masks."""
    masked = ""
    with contextlib.suppress(CaptureError, OSError, ImportError):
        masked = mask(own_name)
    return OtherProcess(pid=pid, name=masked[:OTHER_PROCESS_CHARS])
