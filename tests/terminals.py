"""A pseudo-terminal with a real interactive shell in it, typed into and waited for: what a person at a desk has."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_PATIENCE_SECONDS = 40
PROMPT = "ready> "


_OF_JOB_CONTROL = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGTERM,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGCONT,
)


def as_at_login() -> None:
    """Have the signals as they are at login: a suite that runs in the background of a script ignores ``^C``.

    A shell cannot undo that, and so could interrupt nothing.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in _OF_JOB_CONTROL:
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """A bash in a terminal of its own, as session leader with job control."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self._directory = directory
        self._seen = ""
        self._read_from = 0
        self.pid, self.fd = os.forkpty()
        if self.pid == 0:
            os.chdir(directory)
            as_at_login()
            own = {**environment, "PS1": PROMPT, "TERM": "xterm", "HISTFILE": "/dev/null"}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], own)
        self.expect(PROMPT)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.fd, text.encode())

    def run(self, line: str) -> str:
        """Type a command line and wait for the next prompt; what came between."""
        self.type(line + "\n")
        return self.expect(PROMPT)

    def expect(self, pattern: str) -> str:
        """Wait until ``pattern`` comes up in what was not read yet; all up to its end."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (found := re.search(pattern, self._seen[self._read_from :])) is None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"{pattern!r} did not come up; the screen shows:\n{self._seen[-3000:]}")
            self._seen += os.read(self.fd, 65536).decode(errors="replace").replace("\r\n", "\n")
        start = self._read_from
        self._read_from += found.end()
        return self._seen[start : self._read_from]

    def close(self) -> None:
        """Hang up, once, and see the shell gone."""
        if self.fd < 0:
            return
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        self.fd = -1
        os.waitpid(self.pid, 0)

    def end(self) -> None:
        """Close it, and kill whatever is left of what was run in its directory: a test that failed leaves nothing."""
        self.close()
        for pid in _at_work_in(str(self._directory)):
            with contextlib.suppress(ProcessLookupError):
                handle = os.pidfd_open(pid)
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                select.select([handle], [], [], _PATIENCE_SECONDS)
                os.close(handle)


def _at_work_in(directory: str) -> Iterator[int]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        # Who is gone, and whose directory is hidden from us, is none of ours.
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{name}/cwd") == directory:
                yield int(name)
