"""The processes of this machine as /proc shows them, and a signal to one of them that can reach no other."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Final

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_STAT_BYTES: Final = 4096
"""Fifty numbers and a name of 15 bytes; where it is longer, what matters stands at its beginning."""


class Process(NamedTuple):
    """One process at one moment.  Its id and its start, in ticks since the boot, name it for good."""

    pid: int
    name: str
    """As it calls itself: any 15 bytes, a stranger's text."""
    state: str
    parent: int
    group: int
    session: int
    threads: int
    started: int
    resident_pages: int

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended; one whose first thread alone has shows as a zombie, too."""
        return self.state not in "ZX" or self.threads > 1


Table = dict[int, Process]


def table() -> Table:
    """Every process that can be seen, by its id; empty where the OS does not tell."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    return {pid: process for pid in pids if (process := look(pid)) is not None}


def look(pid: int) -> Process | None:
    """What is there of this process now; ``None``: nothing, or the OS does not tell."""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return parse(pid, os.read(fd, _STAT_BYTES))
    except OSError:
        return None
    finally:
        os.close(fd)


def parse(pid: int, stat: bytes) -> Process | None:
    """Read a line of ``/proc/PID/stat``, see proc(5); ``None`` when it is none.

    The name stands in parentheses and may hold anything, parentheses and newlines too.
    """
    before, _, rest = stat.rpartition(b")")
    fields = rest.split()
    try:
        return Process(
            pid=pid,
            name=os.fsdecode(before.partition(b"(")[2]),
            state=fields[0].decode("ascii"),
            parent=int(fields[1]),
            group=int(fields[2]),
            session=int(fields[3]),
            threads=int(fields[17]),
            started=int(fields[19]),
            resident_pages=int(fields[21]),
        )
    except (ValueError, IndexError):
        return None


def below(seen: Mapping[int, Process], roots: Iterable[int]) -> set[int]:
    """The ids of all descendants of ``roots``, these not included unless one descends from another."""
    children: dict[int, list[int]] = {}
    for process in seen.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        new = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(new)
        waiting.extend(new)
    return found


def is_same(process: Process, seen: Mapping[int, Process]) -> bool:
    """Whether the id still means that process."""
    now = seen.get(process.pid)
    return now is not None and now.started == process.started


def send(process: Process, numbers: Iterable[int]) -> bool:
    """Send signals to this very process; ``False`` when it is gone, not ours, or the OS has no handle for it.

    The handle is taken first and compared then, so that an id that was given to a stranger meanwhile is noticed.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except (OSError, AttributeError):
        return False
    try:
        now = look(process.pid)
        if now is None or now.started != process.started:
            return False
        for number in numbers:
            signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
