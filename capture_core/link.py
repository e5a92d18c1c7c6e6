"""Front and owner talk: frozen values over two pipes, each value whole, between two processes of one program."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Generic, TypeVar

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from capture_core.facts import Receipt
    from capture_core.happenings import Signal, Told
    from capture_core.order import Order
    from capture_core.tty_settings import Attributes

_LENGTH = 4
_Word = TypeVar("_Word")


class Lent(NamedTuple):
    """The front sets its terminal to ``applied``, and ``saved`` is what it had."""

    saved: Attributes
    applied: Attributes


class Returned(NamedTuple):
    """The front's terminal has its own settings again."""


class Begin(NamedTuple):
    """The first word down: what to run, and whether the child gets the terminal at once."""

    order: Order
    has_terminal: bool
    give_terminal: bool
    has_keys: bool = False
    """The front types into the child's pseudo-terminal; without that the owner types what comes from its stdin."""
    lent: Lent | None = None
    """How it has set its terminal for that."""


class Foreground(NamedTuple):
    """Whether the child is to be in the foreground of its pseudo-terminal."""

    given: bool


class KeysOver(NamedTuple):
    """Nobody will type into the child's pseudo-terminal any more."""


class Started(NamedTuple):
    """The child runs."""

    pid: int
    ref: str


class NotStarted(NamedTuple):
    """The child was not started: ``code`` is the exit code to give, ``words`` the one line to print."""

    code: int
    words: str


class Settled(NamedTuple):
    """The capture is over; ``receipt`` is ``None`` when none could be published.  ``words``: what went wrong."""

    receipt: Receipt | None
    words: str
    texts: Mapping[str, bytes] | None = None
    """By stream, what a small result printed and no file has."""


class Completing(NamedTuple):
    """The capture is over, as ``settled`` says, and what is to be done then is under way, for so long at most."""

    settled: Settled
    seconds: float


if TYPE_CHECKING:
    Down: TypeAlias = Signal | Foreground | KeysOver | Lent | Returned
    """What the front says after :class:`Begin`."""
    Up: TypeAlias = Started | NotStarted | Told | Completing | Settled
    """What the owner says."""


class Sender(Generic[_Word]):
    """The writing end of one direction."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def send(self, value: _Word) -> bool:
        """Send one value whole; ``False`` when nobody is there to read it."""
        data = pickle.dumps(value)
        view = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
        try:
            while view:
                view = view[os.write(self.fd, view) :]
        except BrokenPipeError:
            return False
        return True

    def close(self) -> None:
        """Let the other side see the end."""
        os.close(self.fd)


class Receiver(Generic[_Word]):
    """The reading end of one direction.

    What arrives was pickled by the other half of this very program, forked from it, over a pipe that nobody else
    has: it is trusted as the process's own memory is.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def receive(self) -> _Word | None:
        """The next value, waiting for it; ``None`` at the end."""
        head = self._exactly(_LENGTH)
        if head is None:
            return None
        body = self._exactly(int.from_bytes(head, "big"))
        if body is None:
            return None
        word: _Word = pickle.loads(body)  # noqa: S301 — see the class
        return word

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.fd)

    def _exactly(self, size: int) -> bytes | None:
        data = b""
        while len(data) < size:
            piece = os.read(self.fd, size - len(data))
            if not piece:
                return None
            data += piece
        return data
