"""The processes of one job beside its leader: which of them it is ours to end, and which have gone their own way.

A process that was seen once stays known when its parent ends, though nothing says then any more where it came from.
A new session (setsid) is how a program says that it wants to outlive its job.  ``capview run`` adopts what loses its
parent, knows it for its own, and ends it with the rest; in a host, where others may be somebody else's, it is named.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from capture_core import orphans, processes
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.processes import Process, Table


class Survivor(NamedTuple):
    """A process of a job that was ended and is still there; ``name`` is a stranger's text."""

    pid: int
    name: str


class Tree:
    """What is known of one job's processes.  Not thread-safe; of use as long as the leader is not reaped."""

    def __init__(self, leader: int, table: Callable[[], Table] = processes.table) -> None:
        """``leader``: the child's id, which is its group's too."""
        self._leader = leader
        self._table = table
        # An adopter's children are the leader, and what once was below it.
        self._adopter = os.getpid() if orphans.is_adopting() else None
        self._session: int | None = None
        self._known: Table = {}
        self._leading: Process | None = None
        self.is_told = False
        """Whether the OS has told anything."""
        self._empty_looks = 0

    def look(self) -> None:
        """Look who is there now."""
        seen = self._table()
        self.is_told = bool(seen)
        if self._session is None and self._leader in seen:
            self._session = seen[self._leader].session
        known = [process.pid for process in self._known.values() if processes.is_same(process, seen)]
        roots = [self._leader, *known, *(() if self._adopter is None else (self._adopter,))]
        found = processes.below(seen, roots).union(known)
        found.update(process.pid for process in seen.values() if process.group == self._leader)
        found.discard(self._leader)
        self._leading = seen.get(self._leader)
        self._known = {pid: seen[pid] for pid in found if seen[pid].is_alive}
        self._empty_looks = 0 if self.ours() else self._empty_looks + 1

    def is_over(self) -> bool:
        """Whether none of ours is left, the leader not counted, as far as can be told.

        Who forks and ends between the list of processes and the look at each is in neither.  An adopter can ask the
        kernel; who cannot believes the second look that finds nobody.
        """
        if self._adopter is not None:
            return not orphans.has_living()
        return self._empty_looks > 1

    @property
    def has_leader(self) -> bool:
        """Whether the leader is there, and the OS tells."""
        return self._leading is not None

    def ours(self) -> list[Process]:
        """Those that are ended with the job."""
        return [process for process in self._known.values() if self._is_ours(process)]

    def everybody(self) -> list[Process]:
        """All that are known, the leader too."""
        return [*self._known.values(), *(() if self._leading is None else (self._leading,))]

    def survivors(self) -> tuple[Survivor, ...] | None:
        """Everybody who is there; ``None``: the OS does not tell, or somebody is there who is not to be caught."""
        if not self.is_told:
            return None
        is_over = self.is_over()
        if self._adopter is not None and is_over:
            return ()  # Who was killed since the look, too.
        if not self._known and not is_over:
            return None
        return tuple(Survivor(process.pid, process.name) for process in self._known.values())

    def end(self, *numbers: int) -> None:
        """Send signals to those of ours that are not in the leader's group, which gets its own."""
        for process in self.ours():
            if process.group != self._leader:
                processes.send(process, numbers)

    def kill(self, *, owners: bool) -> None:
        """Kill all that are ours, one by one: whoever was being started when the group was killed, too.

        ``owners``: those of captures within the job as well.  Their own jobs are always among those that are killed.
        """
        for process in self.ours():
            if owners or not _is_owner(process):
                processes.send(process, (signal.SIGKILL,))

    def has_owners(self) -> bool:
        """Whether captures within the job have owners to finish them, as these call themselves."""
        return any(map(_is_owner, self.ours()))

    def _is_ours(self, process: Process) -> bool:
        return self._adopter is not None or process.group == self._leader or process.session == self._session


def _is_owner(process: Process) -> bool:
    return process.name == orphans.OWNER_NAME
