"""``capview``: what every command begins with, and how every ending becomes an exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from capture_core.errors import CaptureError, StreamGone

if TYPE_CHECKING:
    from collections.abc import Sequence

NO: Final = 1
"""Nothing found, or not what was asked for."""

USAGE: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""As the shell sees a program that SIGPIPE ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _expect_any_text()
    try:
        return _finished(_dispatch(words))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except CaptureError as error:
        return _refused(error)
    except BrokenPipeError:
        _stop_printing()
        return BROKEN_PIPE
    except OSError as error:
        _stop_printing()
        return _failed(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["run"] and hasattr(os, "fork"):
        return _dispatch_run(words)
    from capview.cli.commands import dispatch

    return dispatch(words)


def _dispatch_run(words: list[str]) -> int:
    from capture_core.seat import dismiss, prepare

    # Before anything else is loaded: the owner loads what it needs while this process reads its command line.
    prepare()
    try:
        from capview.cli.commands import dispatch

        return dispatch(words)
    finally:
        dismiss()


def _expect_any_text() -> None:
    """Let words that the terminal's encoding lacks come out escaped, not as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _finished(code: int) -> int:
    sys.stdout.flush()
    return code


def _refused(error: CaptureError) -> int:
    from capview.cli.words import complain

    complain(error)
    return NO if isinstance(error, StreamGone) else USAGE


def _failed(error: OSError) -> int:
    from capview.cli.words import say

    where = "" if error.filename is None else f"{error.filename!r}: "
    say(f"{where}{error.strerror or error}")
    return NO


def _stop_printing() -> None:
    """Keep the interpreter from trying once more, at its exit, what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
