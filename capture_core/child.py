"""The child process: started in a group of its own, watched by its parent, signalled only while unreaped."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import threading
from time import monotonic, sleep
from typing import TYPE_CHECKING

from capture_core.happenings import ChildEvent, Continued, Exited, Stopped
from capture_core.limits.capturing import GROUP_LOOK_SECONDS, OWNER_PARTING_SECONDS
from capture_core.peak import own_peak_bytes, peak_bytes
from capture_core.program import start

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from resource import struct_rusage

    from capture_core.program import Descriptors
    from capture_core.tree import Survivor, Tree


class Child:
    """A started child.  Signals and the reaping exclude each other, so no stranger is ever signalled.

    Where the OS gives a handle for a process (Linux 5.3) its id is used for nothing else but that: whoever else in
    this process reaps children may have made it somebody else's.
    """

    def __init__(
        self,
        argv: Sequence[str | bytes],
        descriptors: Descriptors,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        session: bool = False,
        nice: int = 0,
    ) -> None:
        """Start ``argv`` (looked up in PATH) as leader of a new group, or of a new session when ``session``.

        ``nice`` is added to its niceness.
        """
        self._lock = threading.Lock()
        self._reaped = False
        self._tree: Tree | None = None
        self._is_killing = False
        self._outwaits_until = 0.0
        self._spares_until = 0.0
        self._watcher: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._popen = start(argv, descriptors, cwd, env, session=session, nice=nice)
        self._forker_peak = own_peak_bytes()
        self.pid = self._popen.pid
        self._handle = _handle_of(self.pid)
        self._named = (os.P_PID, self.pid) if self._handle is None else (os.P_PIDFD, self._handle)

    def signal_group(self, number: int) -> bool:
        """Send a signal to the child's whole group; ``False`` when its leader is already reaped or all are gone."""
        with self._lock:
            return not self._reaped and self._signal_group(number)

    def end_all(self, patience_seconds: float) -> None:
        """Ask the whole group to end, and whatever else is ours of the job.

        The leader stays unreaped while others live, at most this long: until then its id is nobody else's, so that
        those who do not listen can be killed.
        """
        with self._lock:
            if not self._reaped:
                self._outwaits_until = monotonic() + patience_seconds
                self._look_around()
                # A stopped group does not see TERM before it goes on.
                for number in (signal.SIGTERM, signal.SIGCONT):
                    self._signal_group(number)
                if self._tree is not None:
                    self._tree.end(signal.SIGTERM, signal.SIGCONT)

    def kill_all(self, patience_seconds: float) -> None:
        """Kill all of them, and who comes up meanwhile; those whom the kernel holds are waited for this long.

        The owners of captures within the job see theirs killed, and can finish before they are killed, too.
        """
        with self._lock:
            if not self._reaped:
                self._is_killing = True
                self._look_around()
                has_owners = self._tree is not None and self._tree.has_owners()
                self._spares_until = monotonic() + (OWNER_PARTING_SECONDS if has_owners else 0.0)
                self._outwaits_until = self._spares_until + patience_seconds
                self._signal_group(signal.SIGKILL)
                self._kill_one_by_one()

    def end_unwatched(self) -> None:
        """Kill the group at once and reap its leader: it was started, and cannot be captured after all."""
        self.signal_group(signal.SIGKILL)
        if self._watcher is not None:
            self._watcher.join()
            return
        with contextlib.suppress(ChildProcessError):
            os.waitid(*self._named, os.WEXITED | os.WNOWAIT)
        self._reap()

    def watch(self, tell: Callable[[ChildEvent], None]) -> None:
        """Start the thread that waits for the child and tells each event; it ends after ``Exited``, told always."""
        thread = threading.Thread(target=self._watch, args=(tell,), name="child-watch", daemon=True)
        thread.start()
        self._watcher = thread

    def join(self) -> None:
        """Wait until the thread of :meth:`watch` has ended; raises what failed in it."""
        if self._watcher is not None:
            self._watcher.join()
        if self._failure is not None:
            raise self._failure

    def _watch(self, tell: Callable[[ChildEvent], None]) -> None:
        event: ChildEvent | None = None
        try:
            while not isinstance(event, Exited):
                event = self._next_event()
                if event is not None:
                    tell(event)
        except BaseException as failure:  # noqa: BLE001 — raised again in join()
            self._failure = failure
            tell(self._end_alone())

    def _end_alone(self) -> Exited:
        """Wait for the child alone, where the watch over it and those around it has failed."""
        seen: os.waitid_result | None = None
        with contextlib.suppress(OSError):
            seen = os.waitid(*self._named, os.WEXITED | os.WNOWAIT)
        usage = None
        with contextlib.suppress(Exception):
            usage = self._reap()
        return Exited(code=None, signal=None) if seen is None else _exited(seen, usage, None, self._forker_peak)

    def _next_event(self) -> ChildEvent | None:
        try:
            seen = os.waitid(*self._named, os.WEXITED | os.WSTOPPED | os.WCONTINUED | os.WNOWAIT)
        except ChildProcessError:
            # Somebody else reaped it: its status is unknown, and never 0.
            self._reap()
            return Exited(code=None, signal=None)
        if seen is None:
            return None
        if seen.si_code in _ENDED:
            survivors = self._outwait()
            # What was seen stands, also when somebody else reaps it now: that takes the resources along.
            return _exited(seen, self._reap(), survivors, self._forker_peak)
        # What was peeked at may be over by now: only what this call takes is told, and it is told once.
        with contextlib.suppress(ChildProcessError):
            seen = os.waitid(*self._named, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
            return None if seen is None else _told(seen)
        return None

    def _outwait(self) -> tuple[Survivor, ...] | None:
        """Wait for those who are being ended; who is there after that.  ``None``: nobody is ended, or knows."""
        while True:
            with self._lock:
                if self._tree is None:
                    return None
                self._tree.look()
                if self._is_killing:
                    self._kill_one_by_one()
                if self._tree.is_over() or monotonic() >= self._outwaits_until:
                    return self._tree.survivors()
            sleep(GROUP_LOOK_SECONDS)

    def _look_around(self) -> None:
        if self._tree is None:
            # Where nothing can be loaded (no descriptor left) it is the group alone that is ended.
            with contextlib.suppress(ImportError, OSError):
                from capture_core.tree import Tree

                self._tree = Tree(self.pid)
        if self._tree is not None:
            self._tree.look()

    def _kill_one_by_one(self) -> None:
        if self._tree is not None:
            self._tree.kill(owners=monotonic() >= self._spares_until)

    def _signal_group(self, number: int) -> bool:
        try:
            if self._handle is None:
                os.killpg(self.pid, number)
            else:
                _signal_group_of(self._handle, self.pid, number)
        except (ProcessLookupError, PermissionError, ChildProcessError):
            return False
        return True

    def _reap(self) -> struct_rusage | None:
        with self._lock:
            usage = _usage(self.pid) if _is_unreaped(self._named) else None
            self._reaped = True
            # Nobody asks it; that it is set keeps it from being waited for when it is collected.
            self._popen.returncode = -signal.SIGKILL
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None
        return usage


def _handle_of(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


_TO_THE_GROUP = 1 << 2
"""PIDFD_SIGNAL_PROCESS_GROUP of Linux 6.9: the kernel knows which group is meant, whoever has its number by now."""


def _signal_group_of(handle: int, pid: int, number: int) -> None:
    try:
        signal.pidfd_send_signal(handle, number, None, _TO_THE_GROUP)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        # An older kernel.  ChildProcessError: somebody reaped the leader, and the number may be anybody's.
        os.waitid(os.P_PIDFD, handle, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        os.killpg(pid, number)


def _is_unreaped(named: tuple[int, int]) -> bool:
    try:
        return os.waitid(*named, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return False


def _usage(pid: int) -> struct_rusage | None:
    """Reap a child that has ended; its resources, unknown where no module can be loaded (no descriptor left)."""
    try:
        try:
            # wait4 loads it when it has reaped the child, and loses all where it cannot.
            import resource  # noqa: F401
        except ImportError:
            os.waitpid(pid, os.WNOHANG)
            return None
        return os.wait4(pid, os.WNOHANG)[2]
    except ChildProcessError:
        return None


def _exited(
    seen: os.waitid_result,
    usage: struct_rusage | None,
    survivors: tuple[Survivor, ...] | None,
    forker_peak: int | None,
) -> Exited:
    by_itself = seen.si_code == os.CLD_EXITED
    return Exited(
        code=seen.si_status if by_itself else None,
        signal=None if by_itself else seen.si_status,
        user_seconds=None if usage is None else usage.ru_utime,
        system_seconds=None if usage is None else usage.ru_stime,
        peak_rss_bytes=None if usage is None else peak_bytes(usage, forker_peak),
        survivors=survivors,
    )


_ENDED = frozenset((os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED))


def _told(seen: os.waitid_result) -> ChildEvent:
    return Continued() if seen.si_code == os.CLD_CONTINUED else Stopped(seen.si_status)
