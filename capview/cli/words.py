"""What every command says and gives out: words on stderr, one line at a time; data on stdout, all of it."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING

from capture_core.errors import AmbiguousRef, EngineUnavailable
from capture_core.limits import LISTED_CANDIDATES
from capview.cli.standard import silence
from capview.escaping import safe

if TYPE_CHECKING:
    from typing import TextIO

    from capture_core.errors import CaptureError


def say(text: str) -> None:
    """One line of words."""
    _print(f"capview: {safe(text)}")


def warn(text: str) -> None:
    """One line of words that may repeat what the user gave, or another's: masked by the built-in rules and names."""
    say(masked(text))


def masked(text: str) -> str:
    """A message without the secrets in it.  What masks is loaded for it: errors are rare, and may take their time."""
    from importlib.util import find_spec

    from capture_core.known_sources import KnownSources, environment_of
    from capture_core.limits import FOR_PEOPLE
    from capture_core.masking import EngineMasking
    from capview.folders import cache_folder

    known = KnownSources(environment_of(None))
    slow = find_spec("hyperscan") is None
    return EngineMasking(FOR_PEOPLE, engine_folder=cache_folder(), known=known, slow=slow).message(text)


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
    if isinstance(error, EngineUnavailable):
        say(str(error))
    else:
        warn(str(error))
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
