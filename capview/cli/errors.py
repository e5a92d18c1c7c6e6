"""``capview errors``: what in a capture looks like a failure, and the command that opens the place."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadInput
from capture_core.exit_codes import NO
from capture_core.facts import RepresentationKind
from capture_core.failures.walk import failures
from capture_core.limits.failures import (
    FAILURE_CONTEXT_LINES,
    FAILURE_CONTEXT_MOST_LINES,
    FAILURE_SHOWN_BYTES,
    FAILURES_SHOWN,
)
from capture_core.reader import StreamReader
from capture_core.shares import shares
from capview.cli.failure_text import excerpt
from capview.cli.passage import put_passage
from capview.cli.pick import add_ref, pick
from capview.cli.quantities import count
from capview.cli.words import put_json, say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from capture_core.failures.finding import Finding
    from capview.cli.pick import Picked

EXAMPLE: Final = f"""\
examples:
  capview errors @last
  capview errors @last --stream stderr --max-count 3
  capview errors @last --json | jq -r 'select(.severity != "consequence") | .headline'

Looks for what compilers, linkers, test runners, build tools, package managers, runtimes and shells print when
something fails, by a table of patterns.  What it shows is derived from the output, a guess: it is never evidence.  A
failure may look like none of these, and what looks like one may be harmless; how the command ended is in its receipt
(capview show).

A failure of several lines, such as a traceback, is one.  "fatal" ended a process; a "consequence" says that something
failed which stands elsewhere.  Lines of it are marked with >, those around it are not.  Offsets are bytes of the
stream.  The first {FAILURES_SHOWN} are shown; more are named on stderr, with the command that shows them.

exit code: 0 when something was found, 1 when nothing was, 2 for bad input
"""


@dataclass(frozen=True, slots=True)
class _Found:
    """What of a stream's failures is shown; ``more``: there are others behind them."""

    shown: tuple[Finding, ...]
    more: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``errors``."""
    add_ref(parser)
    parser.add_argument("--stream", metavar="NAME", help="stdout, stderr, output or content (default: all)")
    parser.add_argument(
        "--max-count", type=count, default=FAILURES_SHOWN, metavar="N", help=f"at most so many ({FAILURES_SHOWN})"
    )
    parser.add_argument("--skip", type=count, default=0, metavar="N", help="leave out the first N of each stream")
    parser.add_argument(
        "-C",
        "--context",
        type=count,
        default=FAILURE_CONTEXT_LINES,
        metavar="N",
        help=f"lines around each ({FAILURE_CONTEXT_LINES}, at most {FAILURE_CONTEXT_MOST_LINES})",
    )
    parser.add_argument("--json", action="store_true", help="one object a failure")


def run(arguments: argparse.Namespace) -> int:
    """Print what was found."""
    if arguments.max_count < 1:
        raise BadInput("--max-count: it must be at least 1")
    if arguments.context > FAILURE_CONTEXT_MOST_LINES:
        raise BadInput(f"--context: at most {FAILURE_CONTEXT_MOST_LINES} lines")
    picked = pick(arguments.ref, arguments.conversation)
    if picked.entry.receipt.representation.kind is RepresentationKind.BINARY:
        raise BadInput(f"{picked.entry.receipt.ref} holds exact bytes, which have no lines")
    streams = list(picked.entry.receipt.streams) if arguments.stream is None else [arguments.stream]
    found = _look(picked, streams, arguments)
    for stream, part in found.items():
        _print(picked, stream, part.shown, arguments)
    _say_all(picked, found, arguments)
    return 0 if any(part.shown for part in found.values()) else NO


def _look(picked: Picked, streams: Sequence[str], arguments: argparse.Namespace) -> dict[str, _Found]:
    """Look through the streams no further than for what is shown, and one more."""
    first: dict[str, tuple[Finding, ...]] = {}
    for stream in streams:
        with StreamReader(picked.catalogue.path, picked.entry, stream) as reader:
            behind = islice(_failures(reader), arguments.skip, arguments.skip + arguments.max_count + 1)
            first[stream] = tuple(behind)
    wanted = {stream: len(found) for stream, found in first.items() if found}
    given = shares(wanted, arguments.max_count) if wanted else {}
    return {stream: _part(found, given.get(stream, 0)) for stream, found in first.items()}


def _part(found: tuple[Finding, ...], share: int) -> _Found:
    return _Found(found[:share], share < len(found))


def _failures(reader: StreamReader) -> Iterator[Finding]:
    for batch in failures(reader.read, 0, reader.committed):
        yield from batch


# -- what is printed ----------------------------------------------------------------------------------------------


def _print(picked: Picked, stream: str, found: Sequence[Finding], arguments: argparse.Namespace) -> None:
    if not found:
        return
    with StreamReader(picked.catalogue.path, picked.entry, stream) as reader:
        for each in found:
            if arguments.json:
                put_json(_object(picked, reader, each))
            else:
                put_passage(stream, (_text(picked, reader, each, arguments.context),), labelled=False)


def _text(picked: Picked, reader: StreamReader, found: Finding, context: int) -> bytes:
    heading = f"{reader.stream}:{_lines(found)}: {found.severity}, {found.kind} ({found.pattern})\n"
    opening = f"  {_opening(picked, reader.stream, found)}\n\n"
    return heading.encode() + excerpt(reader.read, reader.committed, found, context) + opening.encode()


def _lines(found: Finding) -> str:
    return f"{found.first_line}" if found.first_line == found.last_line else f"{found.first_line}-{found.last_line}"


def _object(picked: Picked, reader: StreamReader, found: Finding) -> dict[str, object]:
    end = min(found.end, found.start + FAILURE_SHOWN_BYTES)
    return {
        "ref": picked.entry.receipt.ref,
        "stream": reader.stream,
        "derived": True,
        "pattern": found.pattern,
        "tool": found.tool,
        "kind": found.kind,
        "severity": found.severity,
        "first_line": found.first_line,
        "last_line": found.last_line,
        "start": found.start,
        "end": found.end,
        "at": found.at,
        "headline": found.headline.decode("utf-8", "replace"),
        "text": reader.read(found.start, end).decode("utf-8", "replace"),
        "text_end": end,
        "read": _opening(picked, reader.stream, found),
    }


def _opening(picked: Picked, stream: str, found: Finding) -> str:
    return _command(picked, "read", stream, ["--around", str(found.at)])


def _command(picked: Picked, command: str, stream: str, options: Sequence[str]) -> str:
    words = ["capview", command, picked.name.capture, "--stream", stream, *options]
    if picked.option is not None:
        words += ["--conversation", picked.option]
    return shlex.join(words)


# -- what is said of it -------------------------------------------------------------------------------------------


def _say_all(picked: Picked, found: dict[str, _Found], arguments: argparse.Namespace) -> None:
    for stream, part in found.items():
        if part.more:
            options = ["--skip", str(arguments.skip + len(part.shown)), "--max-count", str(arguments.max_count)]
            options += ["--context", str(arguments.context)] if arguments.context != FAILURE_CONTEXT_LINES else []
            options += ["--json"] if arguments.json else []
            say(f"more in {stream}: {_command(picked, 'errors', stream, options)}")
    shown = sum(len(part.shown) for part in found.values())
    many = "nothing looks like a failure" if not shown else f"{shown} likely failure{'s' if shown > 1 else ''}"
    say(f"{many}: a guess by patterns, never evidence; how the command ended: capview show {picked.name.capture}")
