"""A terminal's settings: what raw ones are, who they hold, and having them applied."""

from __future__ import annotations

import contextlib
import signal
import termios
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Attributes: TypeAlias = list[int | list[bytes | int]]
    """As tcgetattr gives them."""

_IFLAG, _OFLAG, _CFLAG, _LFLAG, _CC = 0, 1, 2, 3, 6
_NOT_IN = (
    termios.IGNBRK
    | termios.BRKINT
    | termios.PARMRK
    | termios.ISTRIP
    | termios.INLCR
    | termios.IGNCR
    | termios.ICRNL
    | termios.IXON
)
_NOT_LOCAL = termios.ECHO | termios.ECHONL | termios.ICANON | termios.IEXTEN


def raw(attributes: Attributes, *, keeping: int, flow: int, shows: bool) -> Attributes:
    """As cfmakeraw(3), without waiting in a read; output goes through as it is only where it is the command's.

    ``keeping`` of the local flags and ``flow`` of the input flags stay as they are.
    """
    made = list(attributes)
    made[_IFLAG] = _flags(made, _IFLAG) & ~_NOT_IN | flow & _flags(made, _IFLAG)
    made[_LFLAG] = _flags(made, _LFLAG) & ~(_NOT_LOCAL | termios.ISIG & ~keeping)
    made[_CFLAG] = _flags(made, _CFLAG) & ~(termios.CSIZE | termios.PARENB) | termios.CS8
    if shows:
        made[_OFLAG] = _flags(made, _OFLAG) & ~termios.OPOST
    characters = made[_CC]
    assert isinstance(characters, list)  # noqa: S101 — tcgetattr's form
    made[_CC] = characters = [*characters]
    characters[termios.VMIN] = characters[termios.VTIME] = 0
    return made


def _flags(attributes: Attributes, index: int) -> int:
    flags = attributes[index]
    assert isinstance(flags, int)  # noqa: S101 — tcgetattr's form
    return flags


def has_flow(attributes: Attributes) -> bool:
    """Whether keys hold its output and let it go on."""
    return bool(_flags(attributes, _IFLAG) & termios.IXON)


def is_held(attributes: Attributes, key: bytes, *, held: bool) -> bool:
    """Whether its output is held once ``key`` was typed; ``held``: whether it was before."""
    characters = attributes[_CC]
    assert isinstance(characters, list)  # noqa: S101 — tcgetattr's form
    if key == characters[termios.VSTOP]:
        return True
    wakes = [characters[termios.VSTART]]
    if _flags(attributes, _LFLAG) & termios.ISIG:
        wakes += [characters[which] for which in (termios.VINTR, termios.VQUIT, termios.VSUSP)]
    return held and key not in wakes and not _flags(attributes, _IFLAG) & termios.IXANY


def are_alike(one: Attributes, other: Attributes) -> bool:
    """Whether both treat input, output and keys alike."""
    return all(one[index] == other[index] for index in (_IFLAG, _OFLAG, _LFLAG))


def apply(fd: int, attributes: Attributes) -> None:
    """Have the terminal of ``fd`` set so, if it is still there."""
    # Never after the output has drained: a terminal that is held would hold us.
    with contextlib.suppress(OSError, termios.error), undisturbed():
        termios.tcsetattr(fd, termios.TCSANOW, attributes)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Without being stopped for it, where somebody has put us into the background meanwhile."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
