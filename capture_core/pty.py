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
from capture_core.limits.capturing import KEYS_BYTES, TERMINAL_END_SECONDS
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
        self._feeding: int | None = None
        """Closed to tell the feeder of the child's exit, whatever it waits for."""
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
        """Type what can be read from ``source``, owned from here on, then its end, until the child's exit.

        What comes after that is for whoever has the same stdin next.  Nobody joins its thread, which the source may
        hold up; it ends by itself.
        """
        self._is_fed = True
        living, feeding = os.pipe()
        with self._lock:
            if self._exited.is_set():
                os.close(feeding)
            else:
                self._feeding = feeding
        # Without a thread the child has a keyboard that nobody sits at.
        try:
            threading.Thread(target=self._feed, args=(source, living), name="pty-feeder", daemon=True).start()
        except RuntimeError:
            _close(source, living)

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
            _close(self._feeding)
            self._feeding = None
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

    def _feed(self, source: int | None, living: int) -> None:
        if source is not None:
            with contextlib.suppress(OSError):
                self._copy(source, living)
        _close(source, living)
        while not self._exited.is_set():
            with contextlib.suppress(OSError, termios.error):
                self._end_input()
            self._exited.wait(TERMINAL_END_SECONDS)

    def _copy(self, source: int, living: int) -> None:
        """Read only when the terminal takes something: what is read and not typed is lost to all."""
        master = self.pair.master
        view = memoryview(b"")
        while _can(master, select.POLLOUT, living):
            if not view:
                if not _can(source, select.POLLIN, living):
                    return
                with contextlib.suppress(BlockingIOError):
                    view = memoryview(os.read(source, KEYS_BYTES))
                    if not view:
                        return
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


def _can(fd: int, event: int, living: int) -> bool:
    """Wait until ``fd`` can be read or written; ``False`` when ``living`` is over before that."""
    poll = select.poll()
    poll.register(fd, event)
    poll.register(living, 0)
    return living not in dict(poll.poll())


def _close(*descriptors: int | None) -> None:
    for fd in descriptors:
        if fd is not None:
            os.close(fd)


def _is_readable(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
