"""What every command says and gives out: words on stderr, one line at a time; data on stdout, all of it."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING

from capture_core.errors import AmbiguousRef
from capture_core.limits import LISTED_CANDIDATES
from capview.cli.standard import silence
from capview.escaping import safe

if TYPE_CHECKING:
    from typing import TextIO

    from capture_core.errors import CaptureError


def say(text: str) -> None:
    """One line of words."""
    _print(f"capview: {safe(text)}")


def put(data: bytes, stream: TextIO) -> None:
    """Write all of ``data``, whatever stream this is.

    Not by ``stream.buffer``: under PYTHONUNBUFFERED that is the bare descriptor, whose writes fall short without a
    word, and a descriptor shared with others may have been made non-blocking by them.
    """
    stream.flush()
    descriptor, rest = stream.fileno(), memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select((), (descriptor,), ())


def put_json(value: object, *, indent: int | None = None) -> None:
    """One JSON object on stdout, and a newline."""
    import json

    put(json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace") + b"\n", sys.stdout)


def complain(error: CaptureError) -> None:
    """Say an error, and the captures that an ambiguous name could have meant."""
    say(str(error))
    if isinstance(error, AmbiguousRef):
        for ref in error.candidates[:LISTED_CANDIDATES]:
            _print(f"  {safe(ref)}")
        if len(error.candidates) > LISTED_CANDIDATES:
            _print(f"  … and {len(error.candidates) - LISTED_CANDIDATES} more")


def _print(line: str) -> None:
    # Where nobody takes our words, what was asked for is done all the same, and its exit code stands.
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)
