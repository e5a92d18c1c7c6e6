"""The owner's side of a pseudo-terminal: the session that it controls, who is in its foreground, and its end of input.

The owner leads the session and the child a group in it, as a shell and its job do: so ``^Z`` stops the child (the
kernel stops nobody in a group that has no parent in its session), and a child in the background that reads is
stopped until it is brought to the foreground.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import termios
import threading
from typing import TYPE_CHECKING

from capture_core.happenings import Signal, Stopped
from capture_core.limits import KEYS_BYTES, TERMINAL_END_SECONDS
from capture_core.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.happenings import Ask, Told
    from capture_core.terminal import Pair

_LFLAG, _CC = 3, 6
_WANTS_TERMINAL = (signal.SIGTTIN, signal.SIGTTOU)


class PseudoTerminal:
    """One job's terminal.  The child's end stays open here until the child's exit: before that, EIO is no end."""

    def __init__(self, pair: Pair, *, given: bool) -> None:
        """Make it this session's.  ``given``: the child has it from its start; else once :meth:`put` says so."""
        fcntl.ioctl(pair.slave, termios.TIOCSCTTY, 0)
        self.pair = pair
        self._terminal = Terminal(pair.slave)
        self._lock = threading.Lock()
        self.is_given = given
        self._group: int | None = None
        """Who is to be in the foreground when the child may have it."""
        self._exited = threading.Event()
        self._alone = False
        self._is_fed = False

    def spawned(self, pid: int) -> None:
        """Take the child's group for the one to be in the foreground."""
        with self._lock:
            self._group = pid
            self._show()

    def put(self, *, foreground: bool) -> None:
        """Put the child into the foreground, or whoever of its descendants was there before; or out of it."""
        with self._lock:
            if not foreground and self.is_given:
                self._group = self._terminal.foreground() or self._group
            self.is_given = foreground
            self._show()

    def feed(self, source: int | None) -> None:
        """Type what can be read from ``source``, owned from here on, then its end, as long as anybody reads."""
        self._is_fed = True
        # Without a thread the child has a keyboard that nobody sits at.
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=self._feed, args=(source,), name="pty-feeder", daemon=True).start()

    def leave(self) -> None:
        """Go on without anybody at the keyboard: the child has the terminal, and reads the end of its input."""
        self._alone = True
        self.put(foreground=True)
        if not self._is_fed:
            self.feed(None)

    def heard(self, happening: Told, ask: Callable[[Ask], object]) -> None:
        """Take notice of what happens: without a front nobody else brings a stopped child to the foreground."""
        wanting = isinstance(happening, Stopped) and happening.signal in _WANTS_TERMINAL
        if wanting and self._alone:
            self.put(foreground=True)
            ask(Signal(signal.SIGCONT))

    def child_exited(self) -> None:
        """Close the child's end, so that the last descendant who holds it makes the end.

        Those in the foreground would be hung up when we end, as the session's leader: what the child left behind is
        not.
        """
        self._exited.set()
        with self._lock:
            self.is_given = False
            self._show()
            self._terminal.close()

    def _show(self) -> None:
        own = os.getpgrp()
        if self._terminal.fd < 0 or self._group is None:
            return
        if not self.is_given:
            self._terminal.give(own)
        elif self._terminal.foreground() == own:
            self._terminal.give(self._group)

    def _feed(self, source: int | None) -> None:
        if source is not None:
            with contextlib.suppress(OSError):
                self._copy(source)
            os.close(source)
        while not self._exited.is_set():
            with contextlib.suppress(OSError, termios.error):
                self._end_input()
            self._exited.wait(TERMINAL_END_SECONDS)

    def _copy(self, source: int) -> None:
        master = self.pair.master
        while data := _read(source):
            view = memoryview(data)
            while view:
                _await(master, select.POLLOUT)
                with contextlib.suppress(BlockingIOError):
                    view = view[os.write(master, view) :]

    def _end_input(self) -> None:
        """Type the end of input where the child reads lines and has read all, also one that was typed before."""
        with self._lock:
            fd = self._terminal.fd
            if fd < 0:
                return
            attributes = termios.tcgetattr(fd)
            end = attributes[_CC][termios.VEOF]
            if attributes[_LFLAG] & termios.ICANON and end != b"\0" and not _is_readable(fd):
                os.write(self.pair.master, end)


def _read(source: int) -> bytes:
    while True:
        _await(source, select.POLLIN)
        with contextlib.suppress(BlockingIOError):
            return os.read(source, KEYS_BYTES)


def _await(fd: int, events: int) -> None:
    poll = select.poll()
    poll.register(fd, events)
    poll.poll()


def _is_readable(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
