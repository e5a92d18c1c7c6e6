"""Whether a job of this machine sleeps in a read of a terminal, where the OS tells that of a process of our own."""

from __future__ import annotations

import os
import platform
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from capture_core.limits.reading import ASKED_PROCESSES
from capture_core.liveness import here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.source import Entry

_READ: Final = {"x86_64": "0", "aarch64": "63", "riscv64": "63"}
"""The number of ``read`` among the calls of the kernel."""
_TERMINAL: Final = re.compile(r"/dev/(?:pts/\d+|tty\w*|console)")
_SLEEPS: Final = frozenset({"n_tty_read", "tty_read", "wait_woken"})
"""Where in the kernel a read of a terminal sleeps; the last is where others sleep, too."""


def reads_terminal(entry: Entry) -> bool | None:
    """Whether the job's child, or a descendant of it, does so now; ``None`` where nobody can tell."""
    receipt = entry.receipt
    place = here()
    if receipt.process.pid is None or (receipt.host, receipt.boot_id) != (place.host, place.boot_id):
        return None
    answers = [_reads(pid) for pid in _family(receipt.process.pid)]
    if True in answers:
        return True
    return False if answers and None not in answers else None


def _family(pid: int) -> Iterator[int]:
    """The process and its descendants, not all where there are many."""
    waiting, given = [pid], 0
    while waiting and given < ASKED_PROCESSES:
        pid = waiting.pop(0)
        given += 1
        yield pid
        waiting += map(int, (_read_text(f"/proc/{pid}/task/{pid}/children") or "").split())


def _reads(pid: int) -> bool | None:
    with suppress(OSError):
        if os.stat(f"/proc/{pid}").st_uid != os.geteuid():
            return None
    call = _read_text(f"/proc/{pid}/syscall")
    if call is not None and platform.machine() in _READ:
        number, _, rest = call.partition(" ")
        return number == _READ[platform.machine()] and _is_terminal(pid, int(rest.partition(" ")[0] or "0x0", 16))
    asleep_in = _read_text(f"/proc/{pid}/wchan")
    if asleep_in is None or asleep_in == "0":
        return None
    return asleep_in in _SLEEPS and _is_terminal(pid, 0)


def _is_terminal(pid: int, descriptor: int) -> bool:
    try:
        return _TERMINAL.fullmatch(os.readlink(f"/proc/{pid}/fd/{descriptor}")) is not None
    except OSError:
        return False


def _read_text(path: str) -> str | None:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(4096).strip()
    except OSError:
        return None
