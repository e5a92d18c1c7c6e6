"""``capview outline``: the steps of a build with the time that each took, and the command that opens one."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Final

from capture_core.arrivals import Arrivals
from capture_core.errors import BadInput
from capture_core.exit_codes import NO
from capture_core.facts import RepresentationKind
from capture_core.limits.outline import OUTLINE_STEPS_SHOWN
from capture_core.outline.duration import seconds
from capture_core.outline.scan import outline
from capture_core.reader import StreamReader
from capture_core.record import NamedTuple
from capview.cli.pick import add_ref, pick
from capview.cli.quantities import count
from capview.cli.words import put, put_json, say
from capview.escaping import safe
from capview.present import duration

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from capture_core.outline.step import Step
    from capview.cli.pick import Picked

EXAMPLE: Final = f"""\
examples:
  capview outline @last
  capview outline @last --slowest --max-count 5
  capview outline @last --json | jq -r 'select(.seconds > 10) | .read'

Knows the steps of make, ninja, CMake, CTest, cargo, go test, Maven, Gradle, npm, Yarn, pytest, docker build, and the
groups of CI logs, by a table of forms.  What it shows is derived from the output: it is never evidence.  A step is
printed with the time between the arrivals of its first and its last text, which are kept 50 ms apart at most; a dash:
the time is not known.  Where several steps run at once, their texts mix, and a step has what was printed until the next
was announced.  "open": the text ends before the step does.

A column each: time, bytes, lines, form, title.  The first {OUTLINE_STEPS_SHOWN} steps are shown; more are named on
stderr, with the command that shows them.

exit code: 0 when there are steps, 1 when none was found, 2 for bad input
"""


class _Timed(NamedTuple):
    """A step of a stream, its place in the outline, and how long it took, if known."""

    place: int
    step: Step
    seconds: float | None


class _Part(NamedTuple):
    """The outline of one stream, as far as it is asked for."""

    stream: str
    asked: tuple[_Timed, ...]
    shown: tuple[_Timed, ...]
    unkept: int
    """Steps that were too many to keep."""
    times: str | None
    """What is to be said of their times."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``outline``."""
    add_ref(parser)
    parser.add_argument("--stream", metavar="NAME", help="stdout, stderr, output or content (default: all)")
    parser.add_argument("--depth", type=count, metavar="N", help="no steps within N others")
    parser.add_argument("--slowest", action="store_true", help="the slowest first, not in their order")
    parser.add_argument(
        "--max-count",
        type=count,
        default=OUTLINE_STEPS_SHOWN,
        metavar="N",
        help=f"at most so many of each stream ({OUTLINE_STEPS_SHOWN})",
    )
    parser.add_argument("--skip", type=count, default=0, metavar="N", help="leave out the first N of each stream")
    parser.add_argument("--json", action="store_true", help="one object a step")


def run(arguments: argparse.Namespace) -> int:
    """Print the outline."""
    if arguments.max_count < 1:
        raise BadInput("--max-count: it must be at least 1")
    if arguments.depth == 0:
        raise BadInput("--depth: it must be at least 1")
    picked = pick(arguments.ref, arguments.conversation)
    if picked.entry.receipt.representation.kind is RepresentationKind.BINARY:
        raise BadInput(f"{picked.entry.receipt.ref} holds exact bytes, which have no lines")
    streams = list(picked.entry.receipt.streams) if arguments.stream is None else [arguments.stream]
    parts = [_part(picked, stream, arguments) for stream in streams]
    labelled = sum(bool(part.shown) for part in parts) > 1
    for part in parts:
        _print(picked, part, arguments, labelled=labelled)
    _say_all(picked, parts, arguments)
    return 0 if any(part.asked for part in parts) else NO


def timed(conversation: str, picked: Picked, stream: str) -> tuple[tuple[_Timed, ...], int, str | None]:
    """The steps of a stream with their times, how many were not kept, and what is to be said of the times."""
    with StreamReader(conversation, picked.entry, stream) as reader:
        found = outline(reader.read, reader.committed)
    with Arrivals(conversation, picked.entry, stream, found.end) as arrivals:
        steps = tuple(_Timed(place, step, seconds(step, arrivals.at)) for place, step in enumerate(found.steps))
        return steps, found.more, _words_of_times(arrivals, steps)


def _part(picked: Picked, stream: str, arguments: argparse.Namespace) -> _Part:
    steps, unkept, times = timed(picked.catalogue.path, picked, stream)
    asked = [each for each in steps if arguments.depth is None or each.step.depth < arguments.depth]
    if arguments.slowest:
        asked.sort(key=lambda each: -1 if each.seconds is None else each.seconds, reverse=True)
    shown = asked[arguments.skip : arguments.skip + arguments.max_count]
    return _Part(stream, tuple(asked), tuple(shown), unkept, times)


def _words_of_times(arrivals: Arrivals, steps: Sequence[_Timed]) -> str | None:
    unknown = sum(each.seconds is None for each in steps)
    if not unknown:
        return None
    if not arrivals.any:
        return "no arrival times were kept, so that no step's time is known"
    where = "" if arrivals.known_to is None else f" to byte {arrivals.known_to}"
    return f"arrival times were kept only{where}: the time of {unknown} steps is not known"


# -- what is printed ----------------------------------------------------------------------------------------------


def _print(picked: Picked, part: _Part, arguments: argparse.Namespace, *, labelled: bool) -> None:
    if arguments.json:
        for each in part.shown:
            put_json(_object(picked, part.stream, each))
        return
    rows = [*([f"==> {part.stream} <=="] if labelled and part.shown else []), *_rows(part.shown, arguments)]
    put("".join(f"{row}\n" for row in rows).encode("utf-8", "backslashreplace"), sys.stdout)


def _rows(shown: Sequence[_Timed], arguments: argparse.Namespace) -> Iterator[str]:
    table = [_cells(each, is_tree=not arguments.slowest) for each in shown]
    widths = [max((len(row[column]) for row in table), default=0) for column in range(4)]
    for time, where, lines, form, title in table:
        yield f"{time:>{widths[0]}}  {where:<{widths[1]}}  {lines:<{widths[2]}}  {form:<{widths[3]}}  {title}"


def _cells(each: _Timed, *, is_tree: bool) -> tuple[str, str, str, str, str]:
    step = each.step
    told = "" if step.told_seconds is None else f"  [says {duration(step.told_seconds)}]"
    title = f"{'  ' * step.depth * is_tree}{safe(step.title)}{told}{'' if step.has_ended else '  [open]'}"
    lines = f"{step.first_line}-{step.last_line}" if step.first_line != step.last_line else f"{step.first_line}"
    return duration(each.seconds), f"{step.start}:{step.end}", lines, step.form, title


def _object(picked: Picked, stream: str, each: _Timed) -> dict[str, object]:
    step = each.step
    return {
        "ref": picked.entry.receipt.ref,
        "stream": stream,
        "derived": True,
        "place": each.place,
        "parent": step.parent,
        "depth": step.depth,
        "form": step.form,
        "title": step.title,
        "start": step.start,
        "end": step.end,
        "first_line": step.first_line,
        "last_line": step.last_line,
        "seconds": each.seconds,
        "told_seconds": step.told_seconds,
        "ended": step.has_ended,
        "read": _command(picked, "read", stream, ["--bytes", f"{step.start}:{step.end}"]),
    }


def _command(picked: Picked, command: str, stream: str, options: Sequence[str]) -> str:
    words = ["capview", command, picked.name.capture, "--stream", stream, *options]
    if picked.option is not None:
        words += ["--conversation", picked.option]
    return shlex.join(words)


# -- what is said of it -------------------------------------------------------------------------------------------


def _say_all(picked: Picked, parts: Sequence[_Part], arguments: argparse.Namespace) -> None:
    for part in parts:
        behind = arguments.skip + len(part.shown)
        if behind < len(part.asked):
            options = _options(arguments, behind)
            say(
                f"{len(part.asked) - behind} more in {part.stream}: {_command(picked, 'outline', part.stream, options)}"
            )
        if part.unkept:
            say(f"{part.stream}: {part.unkept} further steps were only counted")
        if part.times is not None:
            say(f"{part.stream}: {part.times}")
    first = next((part for part in parts if part.shown), None)
    if first is None:
        say("no steps of a build were found")
        return
    step = first.shown[0].step
    opening = _command(picked, "read", first.stream, ["--bytes", f"{step.start}:{step.end}"])
    say(f"derived from the output, never evidence; to open a step: {opening}")


def _options(arguments: argparse.Namespace, skip: int) -> list[str]:
    options = ["--skip", str(skip), "--max-count", str(arguments.max_count)]
    options += [] if arguments.depth is None else ["--depth", str(arguments.depth)]
    options += ["--slowest"] if arguments.slowest else []
    return options + (["--json"] if arguments.json else [])
