"""Descriptors 0, 1 and 2 as they may be handed to a program: closed, full, or with nobody at their far end."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import TextIO

_WRONG_WAY: Final = (os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)


def fill_closed() -> None:
    """Put something at each of 0, 1 and 2 that is closed, else the next file that is opened takes its place.

    It is opened the wrong way round, so that whoever uses it meets the error that a closed one gives.
    """
    for descriptor, way in enumerate(_WRONG_WAY):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, way)
    # The interpreter has none for a descriptor that was closed, and print() takes stdout where there is no stderr.
    if sys.stdout is None:
        sys.stdout = _stream(1)
    if sys.stderr is None:
        sys.stderr = _stream(2)


def settle(stream: TextIO) -> None:
    """Flush; what cannot be written is dropped, so that the interpreter's own try at its exit changes no exit code."""
    try:
        stream.flush()
    except OSError:
        silence(stream)


def silence(stream: TextIO) -> None:
    """Let everything that is still written to ``stream`` go nowhere."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)
    with contextlib.suppress(OSError):
        stream.flush()


def _stream(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
