"""``capview``: what every command begins with, and how every ending becomes an exit code."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from capture_core.errors import CaptureError, StreamGone, Unmarked
from capture_core.exit_codes import BROKEN_PIPE, INTERRUPTED, NO, USAGE
from capview.cli import standard

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    standard.fill_closed()
    _expect_any_text()
    try:
        return _concluded(words)
    finally:
        standard.settle(sys.stderr)
        if argv is None:
            # The process ends: a last search for garbage would free nothing that the kernel does not, in 3 ms.
            gc.freeze()


def _concluded(words: list[str]) -> int:
    try:
        return _finished(_dispatch(words))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except CaptureError as error:
        return _refused(error)
    except BrokenPipeError:
        standard.silence(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:
        standard.silence(sys.stdout)
        return _failed(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["run"] and hasattr(os, "fork") and not _wants_no_owner(words):
        return _dispatch_run(words)
    if words[:1] == ["tee"]:
        from capview.cli.tee import expect_end_of_source

        expect_end_of_source()
    from capview.cli.commands import dispatch

    return dispatch(words)


def _dispatch_run(words: list[str]) -> int:
    from capture_core.seat import dismiss, prepare

    # Before more is loaded: the owner loads what it needs while this process reads its command line.
    try:
        prepare(pty=_may_want_pty(words))
    except OSError as error:
        return _not_started(error)
    try:
        from capview.cli.commands import dispatch

        return dispatch(words)
    finally:
        dismiss()


def _may_want_pty(words: list[str]) -> bool:
    """Before the words are understood: a guess, which makes nothing but the start faster or slower."""
    return all(map(os.isatty, range(3))) or any(word.startswith("--pty") for word in words)


def _wants_no_owner(words: list[str]) -> bool:
    """An owner that nobody needs would be a child of the command, which did not start it."""
    return "--no-capture" in (words[: words.index("--")] if "--" in words else words)


def _not_started(error: OSError) -> int:
    from capview.cli.run import not_started

    return not_started(error)


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
    return NO if isinstance(error, StreamGone | Unmarked) else USAGE


def _failed(error: OSError) -> int:
    from capview.cli.words import warn

    where = "" if error.filename is None else f"{error.filename!r}: "
    warn(f"{where}{error.strerror or error}")
    return NO
