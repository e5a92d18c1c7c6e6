"""``capview diff``: what differs between two runs of the same thing, but for times and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.difference.fresh import Failure, Fresh, fresh
from capture_core.difference.normal import exact, normal
from capture_core.difference.rows import Rows
from capture_core.difference.slower import slower
from capture_core.difference.walk import Walk
from capture_core.errors import BadInput, EngineUnavailable, StreamGone
from capture_core.exit_codes import NO, USAGE
from capture_core.facts import Liveness, RepresentationKind
from capture_core.failures.walk import failures
from capture_core.limits.difference import DIFFERENCE_LINES_SHOWN
from capview.cli.diff_report import Report, Runs, put_object, put_text, read
from capview.cli.outline import timed
from capview.cli.pick import pick
from capview.cli.quantities import count
from capview.cli.words import say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from capture_core.difference.comparison import Comparison
    from capture_core.difference.normal import Normal
    from capture_core.difference.slower import Slower
    from capture_core.reader import StreamReader

EXAMPLE: Final = f"""\
examples:
  capview diff @-2 @last
  capview diff @label:make @last --stream stderr --max-count 100
  capview diff 20261130T091500Z @last --folder1 /srv/a/shop --folder2 /srv/b/shop --json

Compares the streams of two captures line by line.  What differs in every run counts as equal: times, durations, dates,
rates, hex addresses, process numbers, UUIDs, temporary folders and names, home folders, and the folders that the two
ran in, where --folder1 and --folder2 say them; --exact compares every byte.  Prints the first difference, lines that
only one of the two has at that place (at most {DIFFERENCE_LINES_SHOWN} of each, the rest is counted), likely failures
that are new (see: capview errors), and steps that took longer (see: capview outline).  Derived from the outputs, never
evidence.

Memory is bounded, whatever the sizes.  Where two outputs have nothing in common for 65,536 lines, the search for where
they meet again is given up, and said so.

exit code: 0 when nothing differs, 1 when something does, 2 for bad input, as diff(1)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``diff``."""
    for name in ("ref1", "ref2"):
        parser.add_argument(name, metavar=name.upper(), help="a capture, as for every command: @-2, @last, an id, …")
    parser.add_argument("--stream", metavar="NAME", help="stdout, stderr, output or content (default: all)")
    parser.add_argument("--exact", action="store_true", help="times, paths and the like are differences, too")
    for number in ("1", "2"):
        parser.add_argument(
            f"--folder{number}", metavar="PATH", help=f"the folder that REF{number} ran in: its paths count as equal"
        )
    parser.add_argument(
        "--max-count",
        type=count,
        default=DIFFERENCE_LINES_SHOWN,
        metavar="N",
        help=f"at most so many lines of each ({DIFFERENCE_LINES_SHOWN})",
    )
    parser.add_argument("--json", action="store_true", help="one object")


def run(arguments: argparse.Namespace) -> int:
    """Print what differs."""
    try:
        return _run(arguments)
    except StreamGone as error:
        # diff(1) has 2 for what it cannot read: 1 would say that the two differ.
        say(str(error))
        return USAGE


def _run(arguments: argparse.Namespace) -> int:
    if arguments.exact and (arguments.folder1 or arguments.folder2):
        raise BadInput("--exact compares every byte, so that --folder1 and --folder2 mean nothing")
    runs = _runs(arguments)
    streams = _streams(runs) if arguments.stream is None else [arguments.stream]
    found = {stream: _compared(runs, stream) for stream in streams}
    new = {stream: _fresh(runs, stream) for stream in streams}
    slower_steps = {stream: _slower(runs, stream) for stream in streams}
    report = Report(runs, found, new, slower_steps, arguments.max_count)
    if arguments.json:
        put_object(report)
    else:
        put_text(report)
    _say_all(report)
    return 0 if report.is_same else NO


def _runs(arguments: argparse.Namespace) -> Runs:
    picked = pick(arguments.ref1, arguments.conversation), pick(arguments.ref2, arguments.conversation)
    for each in picked:
        if each.entry.receipt.representation.kind is RepresentationKind.BINARY:
            raise BadInput(f"{each.entry.receipt.ref} holds exact bytes, which have no lines")
    return Runs(*picked, _normal(arguments.folder1, arguments), _normal(arguments.folder2, arguments))


def _normal(folder: str | None, arguments: argparse.Namespace) -> Normal:
    return exact if arguments.exact else normal((folder or "").encode("utf-8", "surrogateescape"))


def _streams(runs: Runs) -> list[str]:
    """The streams that either has; one that only one has is compared with nothing."""
    return list(dict.fromkeys((*runs.one.entry.receipt.streams, *runs.other.entry.receipt.streams)))


def _compared(runs: Runs, stream: str) -> Comparison:
    if not any(stream in each.entry.receipt.streams for each in (runs.one, runs.other)):
        raise StreamGone(f"neither capture has a stream {stream!r}; they have: {', '.join(_streams(runs)) or 'none'}")
    with runs.opened(stream) as (one, other):
        end, other_end = one.committed if one else 0, other.committed if other else 0
        rows = Rows(read(one), end, runs.normal), Rows(read(other), other_end, runs.other_normal)
        return Walk(*rows).run(end, other_end)


def _slower(runs: Runs, stream: str) -> list[Slower]:
    if not all(stream in each.entry.receipt.streams for each in (runs.one, runs.other)):
        return []
    steps = [timed(each.catalogue.path, each, stream)[0] for each in (runs.one, runs.other)]
    one, other = ([(each.step, each.seconds) for each in side] for side in steps)
    return slower(one, other, normal=runs.normal, later_normal=runs.other_normal)


def _fresh(runs: Runs, stream: str) -> Fresh:
    try:
        with runs.opened(stream) as (one, other):
            return fresh(_failures(one), _failures(other), normal=runs.normal, later_normal=runs.other_normal)
    except EngineUnavailable as error:
        # What else differs can be told all the same.
        say(str(error))
        return Fresh((), None)


def _failures(reader: StreamReader | None) -> Iterator[Failure]:
    batches = failures(reader.read, 0, reader.committed) if reader else ()
    for each in (each for batch in batches for each in batch):
        yield Failure(each.pattern, each.headline, each.start, each.end, each.first_line)


# -- what is said of it -------------------------------------------------------------------------------------------


def _say_all(report: Report) -> None:
    for each in (report.runs.one, report.runs.other):
        if each.entry.liveness is Liveness.LIVE:
            say(f"{each.entry.receipt.ref} is still running: what it has printed so far was compared")
    for stream, found in report.found.items():
        if found.lost is not None:
            left = " and ".join(str(side.uncompared) for side in found.sides)
            say(f"{stream}: nothing in common from there on as far as was looked; {left} bytes were not compared")
        if report.fresh[stream].total is None:
            say(f"{stream}: which likely failures are new is not known")
    if report.is_same:
        lines = sum(found.normalised for found in report.found.values())
        but = f", but for {lines} lines with times, paths and the like (see them: --exact)" if lines else ""
        say(f"the same{but}")
    else:
        say("derived from the outputs, never evidence")
