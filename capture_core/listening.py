"""What the processes of a job of this machine wait for and print on, where the OS tells that of our own."""

from __future__ import annotations

import os
import platform
import re
import stat
from typing import TYPE_CHECKING, Final

from capture_core.activity import NOT_ASKED, Asked
from capture_core.limits.reading import ASKED_PROCESSES, WORKING_SECONDS, WORKING_SWITCHES
from capture_core.liveness import here
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capture_core.source import Entry

_READ: Final = {"x86_64": "0", "aarch64": "63", "riscv64": "63"}
"""The number of ``read`` among the calls of the kernel."""
_TERMINAL: Final = re.compile(r"/dev/(?:pts/\d+|tty\w*|console)")
_PRINTS_AT_ONCE: Final = frozenset(
    {"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "cat", "tee", "sleep", "make", "ninja"}
)
"""Programs that write each message at once, whatever it goes to."""
_SWITCHES: Final = re.compile(r"^voluntary_ctxt_switches:\s*(\d+)$", re.MULTILINE)
_STAT_FIELDS: Final = 13
_SLEEPS: Final = frozenset({"n_tty_read", "tty_read", "wait_woken"})
"""Where in the kernel a read of a terminal sleeps; the last is where others sleep, too."""


class _Process(NamedTuple):
    """One of a job's."""

    pid: int
    name: str
    is_stopped: bool
    cpu_ticks: int
    has_children: bool


def ask(entry: Entry) -> Asked:
    """Ask about the job's child and its descendants as they are now."""
    receipt = entry.receipt
    place = here()
    if receipt.process.pid is None or (receipt.host, receipt.boot_id) != (place.host, place.boot_id):
        return NOT_ASKED
    family = [process for process in _family(receipt.process.pid) if _is_ours(process.pid)]
    if not family or family[0].pid != receipt.process.pid:
        return NOT_ASKED
    return Asked(
        reads=_any(_reads(process.pid) for process in family),
        hears=_any(_hears(process.pid, is_leader=process is family[0]) for process in family),
        is_stopped=_are_stopped(family),
        buffers=any(map(_buffers, family)),
    )


def _are_stopped(family: list[_Process]) -> bool:
    """Its leader, or all those that wait for no other."""
    last = [process.is_stopped for process in family if not process.has_children]
    return family[0].is_stopped or (bool(last) and all(last))


def _any(answers: Iterable[bool | None]) -> bool | None:
    given = list(answers)
    return True if True in given else None if None in given else False


def _family(pid: int) -> Iterator[_Process]:
    """The process and its descendants, not all where there are many."""
    waiting, given = [pid], 0
    while waiting and given < ASKED_PROCESSES:
        pid = waiting.pop(0)
        given += 1
        children = [int(word) for word in (_read_text(f"/proc/{pid}/task/{pid}/children") or "").split()]
        waiting += children
        if (process := _process(pid, has_children=bool(children))) is not None:
            yield process


def _process(pid: int, *, has_children: bool) -> _Process | None:
    """By its line in /proc, see proc(5); zombies do nothing any more."""
    before, _, rest = (_read_text(f"/proc/{pid}/stat") or "").rpartition(")")
    fields = rest.split()
    if len(fields) < _STAT_FIELDS or fields[0] in "ZX":
        return None
    ticks = int(fields[11]) + int(fields[12])
    return _Process(pid, before.partition("(")[2], fields[0] in "Tt", ticks, has_children)


def _is_ours(pid: int) -> bool:
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        return False


def _hears(pid: int, *, is_leader: bool) -> bool | None:
    """A pipe counts for the leader alone: within a job it comes from another of its processes."""
    try:
        mode = os.stat(f"/proc/{pid}/fd/0").st_mode
    except FileNotFoundError:
        return False
    except OSError:
        return None
    return _is_terminal(pid, 0) or (is_leader and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)))


def _buffers(process: _Process) -> bool:
    if process.is_stopped or process.name in _PRINTS_AT_ONCE or not _is_at_work(process):
        return False
    try:
        return stat.S_ISFIFO(os.stat(f"/proc/{process.pid}/fd/1").st_mode)
    except OSError:
        return False


def _is_at_work(process: _Process) -> bool:
    """One that has done next to nothing since it began, as ``sleep`` does, has nothing to print either."""
    if process.cpu_ticks >= WORKING_SECONDS * os.sysconf("SC_CLK_TCK"):
        return True
    found = _SWITCHES.search(_read_text(f"/proc/{process.pid}/status") or "")
    return found is not None and int(found[1]) >= WORKING_SWITCHES


def _reads(pid: int) -> bool | None:
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
