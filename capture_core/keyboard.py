"""The front's side of a pseudo-terminal: the real terminal in raw mode, and its keys and size passed on.

Keys go to the pseudo-terminal as they are typed; what they mean is decided there, by the settings that the command
gives to it.  The real terminal has its own settings back whenever we stop or end.
"""

from __future__ import annotations

import contextlib
import os
import select
import termios
from typing import TYPE_CHECKING

from capture_core.limits.capturing import COLUMNS, KEYS_BYTES, MOST_COLUMNS, ROWS
from capture_core.link import Foreground, KeysOver, Lent, Returned
from capture_core.tty_settings import apply, has_flow, is_held, raw, undisturbed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.link import Down, Sender
    from capture_core.terminal import Terminal
    from capture_core.tty_settings import Attributes

_GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Keyboard:
    """A real terminal that types into a pseudo-terminal; or none, and then all of this does little."""

    def __init__(self, master: int, terminal: Terminal | None, down: Sender[Down]) -> None:
        """``terminal``: our controlling terminal; we type what it gives to our stdin, if that is where it goes."""
        self._master = master
        self._terminal = terminal
        self._down = down
        self.has_keys = terminal is not None and _is_controlling(0)
        self._shows = os.isatty(1)
        self._saved: Attributes | None = None
        """The terminal's own settings while it has ours."""
        self.lent: Lent | None = None
        """What :meth:`prepare` has set it to."""
        self._is_typing = False
        self._over = False
        self._held = False
        """Whether ``^S`` holds the output."""
        self.is_hung_up = False
        """Whether the real terminal is gone."""
        self._typed = b""
        self._watched: dict[int, int] = {}
        os.set_blocking(master, False)
        self.fit()

    @property
    def has_terminal(self) -> bool:
        """Whether there is a terminal whose keys may interrupt."""
        return self._terminal is not None

    def in_foreground(self) -> bool:
        """Whether the keys that are typed now are for us; without keys nobody else can claim them."""
        return not self.has_keys or (self._terminal is not None and self._terminal.foreground() == os.getpgrp())

    def is_lent_to(self, _group: int | None) -> bool:
        """Whether the command has the real terminal: it never does."""
        return False

    def give_up(self) -> None:
        """Nobody will ever sit here: the command has its own terminal, and the end of its input."""
        self._is_typing = False
        self._down.send(KeysOver())

    def waits_for_keys(self) -> bool:
        """Whether the command gets the terminal from somebody: without a real one it has its own from the start."""
        return self.has_keys

    def prepare(self) -> None:
        """Before the command starts: as it will be, but that ``^C`` still reaches us."""
        if self.has_keys:
            attributes = termios.tcgetattr(0)
            termios.tcsetattr(self._master, termios.TCSANOW, attributes)
            self.lent = self._lent(keeping=termios.ISIG)
            apply(0, self.lent.applied)

    def started(self, group: int, *, lent: bool) -> None:
        """Begin to type, if the command has the terminal."""
        if lent:
            self.lend(group)

    def lend(self, _group: int) -> None:
        """Put the command into the foreground of its terminal, and type to it."""
        if self.has_keys:
            self._set()
            self.fit()
            self._is_typing = not self.is_hung_up
        self._down.send(Foreground(given=True))

    def restore(self) -> None:
        """Give the real terminal its settings back."""
        self._hold(held=False)
        self._is_typing = False
        if self._saved is not None:
            saved, self._saved = self._saved, None
            apply(0, saved)
            self._down.send(Returned())

    def take_back(self, _group: int | None) -> None:
        """Give the real terminal its settings back, and put the command into the background of its own."""
        self.restore()
        if self.has_keys:
            self._down.send(Foreground(given=False))

    def child_exited(self) -> None:
        """Type no more: what comes now is for whoever reads the terminal next."""
        self._over = True
        self._end_typing()

    def fit(self) -> None:
        """Give the pseudo-terminal the size of the real one."""
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetwinsize(self._master, self._size())

    def watch(self, poll: select.poll) -> None:
        """Have what we wait for polled."""
        wanted = {}
        if self._is_typing and not self._typed:
            wanted[0] = select.POLLIN
        if self._typed:
            wanted[self._master] = select.POLLOUT
        for fd in self._watched.keys() - wanted.keys():
            poll.unregister(fd)
        for fd in wanted.keys() - self._watched.keys():
            poll.register(fd, wanted[fd])
        self._watched = wanted

    def serve(self, ready: Mapping[int, int]) -> None:
        """Pass on what was typed."""
        if 0 in ready:
            self._read(ready[0])
        if self._typed:
            self._type()

    def _read(self, events: int) -> None:
        try:
            keys = os.read(0, KEYS_BYTES)
        except OSError:
            keys = b""
        if not keys and events & _GONE:
            self.is_hung_up = True
            self.give_up()
        self._typed += keys
        self._follow_flow(keys)

    def _type(self) -> None:
        try:
            self._typed = self._typed[os.write(self._master, self._typed) :]
        except BlockingIOError:
            pass
        except OSError:
            self._typed = b""

    def _follow_flow(self, keys: bytes) -> None:
        """Hold the real terminal's output, too, where a key holds that of the command's.

        What was printed before is on its way to us and would still come, and the user sees a ``^S`` without effect.
        """
        with contextlib.suppress(OSError, termios.error):
            attributes = termios.tcgetattr(self._master)
            if has_flow(attributes):
                held = self._held
                for number in keys:
                    held = is_held(attributes, bytes([number]), held=held)
                self._hold(held=held)
        self._end_typing()

    def _hold(self, *, held: bool) -> None:
        if held != self._held:
            self._held = held
            with contextlib.suppress(OSError, termios.error), undisturbed():
                termios.tcflow(0, termios.TCOOFF if held else termios.TCOON)

    def _end_typing(self) -> None:
        # As long as its output is held somebody has to see the key that lets it go on.
        if self._over and self._saved is not None and not self._held:
            self._is_typing = False
            self._set(keeping=termios.ISIG, flow=termios.IXON)

    def _set(self, *, keeping: int = 0, flow: int = 0) -> None:
        with contextlib.suppress(OSError, termios.error):
            lent = self._lent(keeping=keeping, flow=flow)
            # Before it is so: whenever we are killed, the owner knows.
            self._down.send(lent)
            apply(0, lent.applied)

    def _lent(self, *, keeping: int = 0, flow: int = 0) -> Lent:
        if self._saved is None:
            self._saved = termios.tcgetattr(0)
        return Lent(self._saved, raw(self._saved, keeping=keeping, flow=flow, shows=self._shows))

    def _size(self) -> tuple[int, int]:
        if self._terminal is not None:
            return termios.tcgetwinsize(self._terminal.fd)
        return _number("LINES", ROWS), _number("COLUMNS", COLUMNS)


def _is_controlling(fd: int) -> bool:
    try:
        return os.tcgetpgrp(fd) >= 0
    except OSError:
        return False


def _number(name: str, default: int) -> int:
    given = os.environ.get(name, "")
    value = int(given) if given.isascii() and given.isdigit() and len(given) <= len(str(MOST_COLUMNS)) else 0
    return value if 0 < value <= MOST_COLUMNS else default
