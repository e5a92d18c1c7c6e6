"""What to run and how, and the start of it: pipes or a terminal, and a child that holds only its own ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from capture_core.child import Child
from capture_core.facts import StreamName
from capture_core.program import Descriptors
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capture_core.limits import Limits
    from capture_core.terminal import Pair


class Command(NamedTuple):
    """What to run, and how."""

    argv: Sequence[str | bytes]
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stdin: int | None = 0
    """Descriptor that the child reads; ``None``: nothing."""
    own_session: bool = False
    timeout_seconds: float | None = None
    nice: int = 0
    """Added to its niceness, within -20 and 19."""
    memory_limit_bytes: int | None = None
    """More memory than this, of all its processes together, ends it."""
    max_output_bytes: int | None = None
    """So much output, of all streams together, ends it."""
    pty: Pair | None = None
    """A pseudo-terminal instead of a pipe, for the one stream ``output``; both ends stay the caller's."""
    foreground_of: int | None = None
    """The terminal, its session's, in whose foreground it begins; ``None``: where the caller's job is."""
    undo_newlines: bool = False
    """Turn the CR LF of a terminal back into the LF that the command wrote."""
    before_spawn: Callable[[], object] | None = None
    """Called last thing before the child is started; what it raises keeps it from being started."""
    on_spawned: Callable[[int], object] | None = None
    """Called with the child's id once it runs, before anybody can see what it prints."""
    on_exited: Callable[[], object] | None = None
    """Called when the child has ended."""


def spawn(command: Command, streams: tuple[StreamName, ...], limits: Limits) -> tuple[Child, dict[str, int]]:
    """Start the command; the child, and the reading end of each stream's pipe by its name.

    Raises ``SpawnFailed``, or ``OSError`` where no pipe can be had; nothing stays open then.
    """
    reads: dict[str, int] = {}
    writes: dict[str, int] = {}
    try:
        for stream in streams:
            reads[stream], writes[stream] = _ends(command, limits)
        only = writes.get(StreamName.OUTPUT)
        descriptors = Descriptors(
            stdin=command.stdin,
            stdout=writes[StreamName.STDOUT] if only is None else only,
            stderr=writes[StreamName.STDERR] if only is None else only,
            terminal=command.foreground_of,
        )
        child = Child(
            command.argv,
            descriptors,
            cwd=command.cwd,
            env=command.env,
            session=command.own_session,
            nice=command.nice,
        )
    except BaseException:
        for fd in reads.values():
            os.close(fd)
        raise
    finally:
        for fd in writes.values():
            os.close(fd)
    return child, reads


def _ends(command: Command, limits: Limits) -> tuple[int, int]:
    if command.pty is None:
        return _pipe(limits.pipe_bytes)
    read = os.dup(command.pty.master)
    try:
        return read, os.dup(command.pty.slave)
    except OSError:
        os.close(read)
        raise


def _pipe(size: int) -> tuple[int, int]:
    read, write = os.pipe()
    setter = getattr(fcntl, "F_SETPIPE_SZ", None)
    if setter is not None:
        # The kernel refuses beyond the user's share of pipe memory; the default size works as well, only slower.
        with contextlib.suppress(OSError):
            fcntl.fcntl(write, setter, size)
    return read, write
