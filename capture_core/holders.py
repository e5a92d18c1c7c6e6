"""Who still holds the writing end of a pipe or a terminal: as far as the OS tells, and within a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import threading
from typing import TYPE_CHECKING, Final

from capture_core import processes
from capture_core.errors import CaptureError
from capture_core.facts import OtherProcess
from capture_core.limits import HOLDERS_SECONDS, OTHER_PROCESS_CHARS, OTHER_PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Found = dict[str, tuple[OtherProcess, ...]]
"""By the name of the stream, in the order of their ids; of a stream that nobody was seen to hold, nobody."""

_FDINFO_BYTES: Final = 512
_TIOCGPTN: Final = 0x80045430
"""ioctl_tty(2): the number of the terminal whose master this is; it has no name in ``termios``."""


def held_by(
    links: Mapping[str, str], mask: Callable[[str], str], *, patience_seconds: float = HOLDERS_SECONDS
) -> Found | None:
    """Who holds what; ``links``: see :func:`link_of`, by the name of the stream.

    It is looked for in a thread that is left behind when it does not come back in time: ``None`` then.
    """
    found: list[Found] = []
    looker = threading.Thread(target=lambda: found.append(_find(links, mask)), name="holder-search", daemon=True)
    try:
        looker.start()
    except RuntimeError:
        return None
    looker.join(patience_seconds)
    return found[0] if found else None


def link_of(fd: int) -> str | None:
    """What a descriptor in /proc is a link to for whoever writes to what ``fd`` reads; ``None``: nothing to go by."""
    try:
        target = os.readlink(f"/proc/self/fd/{fd}")
        if target.startswith("pipe:"):
            return target
        return f"/dev/pts/{struct.unpack('I', fcntl.ioctl(fd, _TIOCGPTN, bytes(4)))[0]}"
    except OSError:
        return None


def _find(links: Mapping[str, str], mask: Callable[[str], str]) -> Found:
    by_link: dict[str, list[int]] = {link: [] for link in links.values()}
    for pid in sorted(processes.table()):
        for link in {link for fd, link in _descriptors(pid) if link in by_link and _is_for_writing(pid, fd)}:
            by_link[link].append(pid)
    return {stream: _named(by_link[link], mask) for stream, link in links.items()}


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


def _named(pids: list[int], mask: Callable[[str], str]) -> tuple[OtherProcess, ...]:
    there = [process for pid in pids if (process := processes.look(pid)) is not None]
    return tuple(name(process.pid, process.name, mask) for process in there[:OTHER_PROCESSES])


def name(pid: int, own_name: str, mask: Callable[[str], str]) -> OtherProcess:
    """Put a process into words that may be kept: a stranger's text, masked and bounded, or none where nothing masks."""
    masked = ""
    with contextlib.suppress(CaptureError, OSError, ImportError):
        masked = mask(own_name)
    return OtherProcess(pid=pid, name=masked[:OTHER_PROCESS_CHARS])
