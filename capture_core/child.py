"""The child process: started in a group of its own, watched by its parent, signalled only while unreaped."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import threading
from time import monotonic, sleep
from typing import TYPE_CHECKING

from capture_core.errors import SpawnFailed
from capture_core.happenings import ChildEvent, Continued, Exited, Stopped
from capture_core.limits import GROUP_LOOK_SECONDS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from resource import struct_rusage


class Descriptors(NamedTuple):
    """What the child gets as 0, 1 and 2."""

    stdin: int | None
    stdout: int
    stderr: int


class Child:
    """A started child.  ``signal_group`` and the reaping exclude each other, so no stranger is ever signalled."""

    def __init__(
        self,
        argv: Sequence[str | bytes],
        descriptors: Descriptors,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        session: bool = False,
    ) -> None:
        """Start ``argv`` (looked up in PATH) as leader of a new group, or of a new session when ``session``."""
        self._lock = threading.Lock()
        self._reaped = False
        self._outwaits_until = 0.0
        try:
            self._popen = _popen(argv, descriptors, cwd, env, session=session)
        except OSError as error:
            raise _spawn_failed(argv[0], cwd, error) from error
        except ValueError as error:
            raise SpawnFailed(os.fsdecode(argv[0]), errno.EINVAL, str(error)) from error
        self.pid = self._popen.pid

    def signal_group(self, number: int) -> bool:
        """Send a signal to the child's whole group; ``False`` when its leader is already reaped or all are gone."""
        with self._lock:
            if self._reaped:
                return False
            try:
                os.killpg(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return False
            return True

    def end_group(self, patience_seconds: float) -> None:
        """Ask the whole group to end; its leader stays unreaped while others of it live, at most this long.

        As long as the leader is not reaped its id is nobody else's, so that those who do not listen can be killed.
        """
        self._outwaits_until = monotonic() + patience_seconds
        self.signal_group(signal.SIGTERM)
        # A stopped group does not see TERM before it goes on.
        self.signal_group(signal.SIGCONT)

    def end_unwatched(self) -> None:
        """Kill the group at once and reap its leader: it was started, and cannot be captured after all."""
        self.signal_group(signal.SIGKILL)
        self._reap(0)

    def watch(self, tell: Callable[[ChildEvent], None]) -> threading.Thread:
        """Start the thread that waits for the child and tells each event; it ends after ``Exited``."""
        thread = threading.Thread(target=self._watch, args=(tell,), name="child-watch", daemon=True)
        thread.start()
        return thread

    def _watch(self, tell: Callable[[ChildEvent], None]) -> None:
        while True:
            event = self._next_event()
            if event is not None:
                tell(event)
            if isinstance(event, Exited):
                return

    def _next_event(self) -> ChildEvent | None:
        if not hasattr(os, "waitid"):
            return self._reap(os.WUNTRACED | os.WCONTINUED)
        try:
            seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WCONTINUED | os.WNOWAIT)
            if seen is not None and seen.si_code not in _ENDED:
                # What was peeked at may be over by now: only what this call takes is told, and it is told once.
                seen = os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
                return None if seen is None else _told(seen)
        except ChildProcessError:
            # Either it ended between the two calls, or somebody else reaped it: the reaping tells which.
            return self._reap(0)
        self._outwait_group()
        return self._reap(0)

    def _outwait_group(self) -> None:
        while monotonic() < self._outwaits_until and _has_living_members(self.pid):
            sleep(GROUP_LOOK_SECONDS)

    def _reap(self, flags: int) -> ChildEvent:
        with self._lock if not flags else contextlib.nullcontext():
            try:
                status, usage = _wait(self.pid, flags)
            except ChildProcessError:
                return self._lost()
            if os.WIFSTOPPED(status):
                return Stopped(os.WSTOPSIG(status))
            if os.WIFCONTINUED(status):
                return Continued()
            self._reaped = True
            self._popen.returncode = os.waitstatus_to_exitcode(status)
        return Exited(
            code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            user_seconds=None if usage is None else usage.ru_utime,
            system_seconds=None if usage is None else usage.ru_stime,
            peak_rss_bytes=None if usage is None else usage.ru_maxrss * _RSS_UNIT,
        )

    def _lost(self) -> Exited:
        """Somebody else in this process reaped the child: its status is unknown, and never 0."""
        self._reaped = True
        self._popen.returncode = -signal.SIGKILL
        return Exited(code=None, signal=None)


def _wait(pid: int, flags: int) -> tuple[int, struct_rusage | None]:
    """Status and resources of a child.  The latter are unknown where no module can be loaded (no descriptor left)."""
    try:
        # wait4 loads it when it has reaped the child, and loses the status where it cannot.
        import resource  # noqa: F401
    except ImportError:
        return os.waitpid(pid, flags)[1], None
    return os.wait4(pid, flags)[1:]


def _has_living_members(group: int) -> bool:
    """Whether a process other than its leader is in the group and no zombie; ``False`` where the OS does not tell."""
    try:
        found = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != group]
    except OSError:
        return False
    return any(_is_living_member(name, group) for name in found)


def _is_living_member(pid: str, group: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            # proc(5): pid (name) state ppid pgrp …; the name may hold anything, parentheses too.
            state, _parent, its_group = file.read().rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return its_group == str(group) and state not in "ZX"


_ENDED = frozenset((os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED))


def _told(seen: os.waitid_result) -> ChildEvent:
    return Continued() if seen.si_code == os.CLD_CONTINUED else Stopped(seen.si_status)


def _popen(
    argv: Sequence[str | bytes],
    descriptors: Descriptors,
    cwd: str | None,
    env: Mapping[str, str] | None,
    *,
    session: bool,
) -> subprocess.Popen[bytes]:
    def start(command: Sequence[str | bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if descriptors.stdin is None else descriptors.stdin,
            stdout=descriptors.stdout,
            stderr=descriptors.stderr,
            cwd=cwd,
            env=env,
            process_group=None if session else 0,
            start_new_session=session,
        )

    if not argv[0]:
        # Looked up in PATH it would be found to be each of its folders.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        return start(argv)
    except OSError as error:
        import shutil  # 4 ms, for a rare case

        program = shutil.which(os.fsdecode(argv[0])) if error.errno == errno.ENOEXEC else None
        if program is None:
            raise
    # A script without a #! line: execvp(3), and so every shell, env and timeout, hands it to sh.
    return start(["/bin/sh", program, *argv[1:]])


_RSS_UNIT = 1 if os.uname().sysname == "Darwin" else 1024


def _spawn_failed(program: str | bytes, cwd: str | None, error: OSError) -> SpawnFailed:
    code = error.errno or errno.EINVAL
    said = (error.strerror or str(error)).lower()
    if cwd is not None and error.filename is not None and os.fsdecode(error.filename) == cwd:
        return SpawnFailed(cwd, code, f"{said}; name a folder for the command to run in that it can enter")
    words = {
        errno.ENOENT: "command not found",
        errno.EACCES: "not executable (permission denied, or a folder)",
        errno.ENOEXEC: "not executable (no program format that this system knows)",
    }
    return SpawnFailed(os.fsdecode(program) or "''", code, words.get(code, said))
