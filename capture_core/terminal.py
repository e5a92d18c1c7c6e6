"""The controlling terminal: who is in its foreground, and handing that over."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    import select
    from collections.abc import Mapping


class Pair(NamedTuple):
    """The two ends of a pseudo-terminal: what is typed and read here, and what a command has for its terminal."""

    master: int
    slave: int


class Terminal:
    """The process's controlling terminal, opened by its own name."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def find(cls) -> Terminal | None:
        """The controlling terminal; ``None`` where there is none."""
        try:
            return cls(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError:
            return None

    def foreground(self) -> int | None:
        """The process group in the foreground; ``None`` when the terminal is gone."""
        try:
            return os.tcgetpgrp(self.fd)
        except OSError:
            return None

    def give(self, group: int) -> bool:
        """Put ``group`` into the foreground; ``False`` when it or the terminal is gone."""
        # A background process that does this is stopped by SIGTTOU, unless it blocks the signal.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(self.fd, group)
                return True
            return False
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def close(self) -> None:
        """Give the descriptor back, once, whoever says it first."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


class Loan:
    """The terminal as it is lent to a command on pipes: the kernel gives its group all that is typed."""

    has_keys = False
    is_hung_up = False
    lent = None

    def __init__(self, terminal: Terminal | None) -> None:
        self._terminal = terminal

    @property
    def has_terminal(self) -> bool:
        """Whether there is a terminal to lend."""
        return self._terminal is not None

    def in_foreground(self) -> bool:
        """Whether the terminal is ours to lend."""
        return self._terminal is not None and self._terminal.foreground() == os.getpgrp()

    def is_lent_to(self, group: int | None) -> bool:
        """Whether ``group`` has the terminal already."""
        return self._terminal is not None and group is not None and self._terminal.foreground() == group

    def give_up(self) -> None:
        """Do nothing: without a shell the kernel tells the command that it cannot have the terminal."""

    def waits_for_keys(self) -> bool:
        """Whether the command gets the terminal from somebody: it always has to."""
        return True

    def prepare(self) -> None:
        """Do nothing: the command's group is lent to when there is one."""

    def started(self, group: int, *, lent: bool) -> None:
        """Do nothing: the owner lends it before the command can ask."""

    def lend(self, group: int) -> None:
        """Put ``group`` into the foreground, if the terminal is ours."""
        if self._terminal is not None and self.in_foreground():
            self._terminal.give(group)

    def take_back(self, group: int | None) -> None:
        """Be in the foreground again, if ``group`` is."""
        if self._terminal is not None and self.is_lent_to(group):
            self._terminal.give(os.getpgrp())

    def restore(self) -> None:
        """Do nothing: its settings are the command's."""

    def child_exited(self) -> None:
        """Do nothing: it is taken back at the end."""

    def fit(self) -> None:
        """Do nothing: the command has the terminal itself."""

    def watch(self, poll: select.poll) -> None:
        """Do nothing: nothing passes here."""

    def serve(self, ready: Mapping[int, int]) -> None:
        """Do nothing: nothing passes here."""


def is_wanted_at_once() -> bool:
    """Whether the child should have the terminal from its start: it reads it, and nobody else may need it.

    The other end of a pipeline may, and whoever gave its job another stdin may itself be using the terminal; such
    a child gets it when it asks.
    """
    return os.isatty(0) and not _is_pipe(1)


def _is_pipe(fd: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:
        return False
