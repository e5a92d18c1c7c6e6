"""``capview run --no-capture``: the command in our place, with all that can be had where nobody looks on."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadInput, system_words
from capture_core.exit_codes import NOT_EXECUTABLE, NOT_FOUND
from capture_core.order import open_stdin

if TYPE_CHECKING:
    import argparse

_NEEDS_US: Final = (
    "json",
    "inline",
    "detach",
    "timeout",
    "promote_after",
    "memory_limit",
    "max_output",
    "on_complete",
)
"""What somebody would have to look on for, or to keep something.  How much is kept, and masked, is moot: nothing is."""
_IGNORED_BY_PYTHON: Final = (signal.SIGPIPE, signal.SIGXFSZ)
"""A program that inherits that complains, or goes on, where it is to end: ``yes | head``."""


def refuse_what_needs_us(arguments: argparse.Namespace) -> None:
    """Raise ``BadInput`` for options that ask for what a command that is left alone cannot have."""
    asked = [f"--{name.replace('_', '-')}" for name in _NEEDS_US if getattr(arguments, name)]
    if arguments.pty == "always":
        asked.append("--pty")
    if asked:
        what = ", ".join(asked)
        raise BadInput(f"--no-capture leaves nobody there to do what {what} asks for; leave out one or the other")


def become(arguments: argparse.Namespace) -> int:
    """Become the command; the exit code where that cannot be.  Raises ``BadInput`` for a stdin that cannot be read."""
    _redirect_stdin(arguments)
    stderr = os.dup(2)
    _redirect_output(arguments)
    with contextlib.suppress(OSError):
        # As nice(1) does: it runs all the same.
        os.nice(arguments.nice)
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(arguments.command[0], arguments.command)
    except OSError as error:
        os.dup2(stderr, 2)
        return _not_run(arguments.command[0], error)


def _redirect_stdin(arguments: argparse.Namespace) -> None:
    if arguments.stdin is not None:
        _put_at(0, open_stdin(os.devnull if arguments.stdin == "close" else arguments.stdin))


def _redirect_output(arguments: argparse.Namespace) -> None:
    if arguments.quiet:
        _put_at(1, os.open(os.devnull, os.O_WRONLY))
    if arguments.quiet or arguments.merge:
        os.dup2(1, 2)


def _put_at(place: int, descriptor: int) -> None:
    os.dup2(descriptor, place)
    os.close(descriptor)


def _not_run(program: str, error: OSError) -> int:
    from capview.cli.words import warn

    warn(f"{program}: {system_words(error)}")
    return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
