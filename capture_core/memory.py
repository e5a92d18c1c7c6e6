"""How much memory a job's processes hold together, looked at a few times a second where there is a limit."""

from __future__ import annotations

import os
import threading
from time import monotonic
from typing import TYPE_CHECKING, Final

from capture_core.limits import KIB
from capture_core.limits.capturing import MEMORY_LOOK_SECONDS, MEMORY_LOOK_SHARE
from capture_core.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from capture_core.processes import Process

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_ROLLUP_BYTES: Final = 4096
_SHARE: Final = b"\nPss:"


class MemoryWatch:
    """Tells once that the limit is exceeded; in a thread of its own, since /proc can make a reader wait.

    Nobody joins it for the same reason.  It ends by itself with the child, or after :meth:`stop`; who is not told
    anything has the job as it would be without a limit.
    """

    def __init__(self, leader: int, limit_bytes: int, tell: Callable[[int], object]) -> None:
        """``tell`` is called in the thread with the bytes that were found.  Raises ``RuntimeError``: no thread."""
        self._limit_bytes = limit_bytes
        self._tell = tell
        self._tree = Tree(leader)
        self._over = threading.Event()
        threading.Thread(target=self._run, name="memory-watch", daemon=True).start()

    def stop(self) -> None:
        """Look no more.  Never waits: what /proc holds up is let go when it answers."""
        self._over.set()

    def _run(self) -> None:
        pause = MEMORY_LOOK_SECONDS
        while not self._over.wait(pause):
            began = monotonic()
            self._tree.look()
            if not self._tree.has_leader:
                return
            used = used_bytes(self._tree.everybody(), self._limit_bytes)
            if used > self._limit_bytes:
                self._tell(used)
                return
            pause = max(MEMORY_LOOK_SECONDS, MEMORY_LOOK_SHARE * (monotonic() - began))


def used_bytes(processes: Iterable[Process], limit_bytes: int) -> int:
    """Memory of them all.

    What each has resident counts pages that several share several times: as long as that sum is within the limit, it
    is.  Beyond it, each is asked for its share of them, which costs more.
    """
    found = list(processes)
    resident = sum(process.resident_pages for process in found) * _PAGE_BYTES
    return resident if resident <= limit_bytes else sum(map(_share_bytes, found))


def _share_bytes(process: Process) -> int:
    """What it has to itself, and its part of what it shares (proc(5): Pss); all it has where nobody tells."""
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as file:
            return int(file.read(_ROLLUP_BYTES).partition(_SHARE)[2].split(maxsplit=1)[0]) * KIB
    except (OSError, ValueError, IndexError):
        return process.resident_pages * _PAGE_BYTES
