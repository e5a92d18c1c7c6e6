"""What ``capview diff`` found, as text and as an object."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from capture_core import lines
from capture_core.limits.difference import DIFFERENCE_CONTEXT_LINES, DIFFERENCE_TEXT_BYTES
from capture_core.reader import StreamReader
from capture_core.record import NamedTuple
from capview.cli.words import put, put_json
from capview.escaping import safe
from capview.present import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capture_core.difference.comparison import Alone, Comparison
    from capture_core.difference.fresh import Failure, Fresh
    from capture_core.difference.normal import Normal
    from capture_core.difference.rows import Place
    from capture_core.difference.slower import Slower
    from capture_core.lines import Read
    from capview.cli.pick import Picked

_WHICH: Final = ("first", "second")
_SIGNS: Final = ("-", "+")


class Runs(NamedTuple):
    """Two captures, and how a line of each is compared."""

    one: Picked
    other: Picked
    normal: Normal
    other_normal: Normal

    @contextmanager
    def opened(self, stream: str) -> Iterator[tuple[StreamReader | None, StreamReader | None]]:
        """The stream of both; ``None`` where a capture has none of that name."""
        with ExitStack() as stack:
            readers = [
                stack.enter_context(StreamReader(each.catalogue.path, each.entry, stream))
                if stream in each.entry.receipt.streams
                else None
                for each in (self.one, self.other)
            ]
            yield readers[0], readers[1]


def read(reader: StreamReader | None) -> Read:
    """What reads it; nothing, where there is none."""
    return _nothing if reader is None else reader.read


def _nothing(_start: int, _end: int) -> bytes:
    return b""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found, by stream; at most ``most`` lines of each side are shown."""

    runs: Runs
    found: Mapping[str, Comparison]
    fresh: Mapping[str, Fresh]
    slower: Mapping[str, Sequence[Slower]]
    most: int

    @property
    def is_same(self) -> bool:
        """Whether nothing differs, but for what differs in every run."""
        return all(found.is_same for found in self.found.values())


# -- as text ------------------------------------------------------------------------------------------------------


def put_text(report: Report) -> None:
    """Print it for people."""
    rows: list[str] = []
    for stream, found in report.found.items():
        if found.first is not None:
            rows += [f"==> {stream} <==", *_first(report, stream, found.first)]
            for side in (0, 1):
                rows += _alone(report, stream, found, side)
        rows += _fresh(report, stream)
        rows += _slower(report, stream)
    put("".join(f"{row}\n" for row in rows).encode("utf-8", "backslashreplace"), sys.stdout)


def _first(report: Report, stream: str, first: tuple[Place, Place]) -> Iterator[str]:
    one, other = first
    yield f"first difference: line {one.line} (byte {one.offset}) and line {other.line} (byte {other.offset})"
    with report.runs.opened(stream) as readers:
        if readers[0] is not None:
            start = max(0, one.offset - DIFFERENCE_TEXT_BYTES * DIFFERENCE_CONTEXT_LINES)
            start = lines.before_lines(readers[0].read, start, one.offset, DIFFERENCE_CONTEXT_LINES)
            context = readers[0].read(start, one.offset).split(b"\n")[:-1]
            yield from (f"  {_shown(row)}" for row in context)
        for sign, reader, place in zip(_SIGNS, readers, first, strict=True):
            yield f"{sign} {_line(reader, place)}"


def _line(reader: StreamReader | None, place: Place) -> str:
    end = 0 if reader is None else reader.committed
    if reader is None or place.offset >= end:
        return "(it ends here)"
    return _shown(reader.read(place.offset, min(place.offset + DIFFERENCE_TEXT_BYTES, end)).partition(b"\n")[0])


def _alone(report: Report, stream: str, found: Comparison, side: int) -> Iterator[str]:
    alone, total = found.sides[side].alone[: report.most], found.sides[side].lines
    if not total:
        return
    so_far = " so far" if found.lost is not None else ""
    yield f"only in the {_WHICH[side]}: {total} line{'s' if total > 1 else ''}{so_far}"
    width = max((len(str(each.line)) for each in alone), default=0)
    yield from (f"{_SIGNS[side]} {each.line:>{width}}  {_shown(each.text)}" for each in alone)
    if total > len(alone):
        yield f"  … and {total - len(alone)} more; from the last one shown on: {_opening(report, stream, side, alone)}"


def _opening(report: Report, stream: str, side: int, alone: Sequence[Alone]) -> str:
    first = report.found[stream].first
    at = alone[-1].start if alone else 0 if first is None else first[side].offset
    return command(report, stream, side, f"{at}:")


def command(report: Report, stream: str, side: int, span: str) -> str:
    """The command that prints a range of bytes of one of the two."""
    picked = (report.runs.one, report.runs.other)[side]
    words = ["capview", "read", picked.name.capture, "--stream", stream, "--bytes", span]
    if picked.option is not None:
        words += ["--conversation", picked.option]
    return shlex.join(words)


def _fresh(report: Report, stream: str) -> Iterator[str]:
    shown, total = report.fresh[stream].failures[: report.most], report.fresh[stream].total or 0
    if total:
        yield f"==> new likely failures in {stream} <=="
    yield from (f"line {each.line}  {each.name}  {_shown(each.headline)}" for each in shown)
    if total > len(shown):
        yield f"… and {total - len(shown)} more"


def _slower(report: Report, stream: str) -> Iterator[str]:
    found = report.slower[stream]
    if found:
        yield f"==> slower steps of {stream} <=="
    for each in found[: report.most]:
        title = f"{each.step.form}  {safe(each.step.title)}"
        yield f"{duration(each.before)} → {duration(each.after)}  line {each.step.first_line}  {title}"
    if len(found) > report.most:
        yield f"… and {len(found) - report.most} more"


def _shown(row: bytes) -> str:
    cut = "…" if len(row) >= DIFFERENCE_TEXT_BYTES else ""
    return safe(row.decode("utf-8", "replace")) + cut


# -- as an object -------------------------------------------------------------------------------------------------


def put_object(report: Report) -> None:
    """Print it for scripts."""
    put_json(
        {
            "refs": [each.entry.receipt.ref for each in (report.runs.one, report.runs.other)],
            "derived": True,
            "same": report.is_same,
            "streams": {stream: _object(report, stream, found) for stream, found in report.found.items()},
        }
    )


def _object(report: Report, stream: str, found: Comparison) -> dict[str, object]:
    return {
        "same": found.is_same,
        "normalised_lines": found.normalised,
        "first": None if found.first is None else [_place(report, stream, side, found.first[side]) for side in (0, 1)],
        "only": [_side(report, found, side) for side in (0, 1)],
        "met_again": found.met,
        "gave_up": None if found.lost is None else [_place(report, stream, side, found.lost[side]) for side in (0, 1)],
        "new_failures": [_failure(report, stream, each) for each in report.fresh[stream].failures[: report.most]],
        "new_failures_total": report.fresh[stream].total,
        "slower": [_slower_object(each) for each in report.slower[stream][: report.most]],
        "slower_steps": len(report.slower[stream]),
    }


def _place(report: Report, stream: str, side: int, place: Place) -> dict[str, object]:
    read = command(report, stream, side, f"{place.offset}:")
    return {"line": place.line, "offset": place.offset, "read": read}


def _side(report: Report, found: Comparison, side: int) -> dict[str, object]:
    part = found.sides[side]
    shown = [
        {"line": each.line, "start": each.start, "end": each.end, "text": each.text.decode("utf-8", "replace")}
        for each in part.alone[: report.most]
    ]
    return {"lines": part.lines, "shown": shown, "uncompared_bytes": part.uncompared}


def _failure(report: Report, stream: str, each: Failure) -> dict[str, object]:
    return {
        "pattern": each.name,
        "headline": each.headline.decode("utf-8", "replace"),
        "line": each.line,
        "start": each.start,
        "end": each.end,
        "read": command(report, stream, 1, f"{each.start}:{each.end}"),
    }


def _slower_object(each: Slower) -> dict[str, object]:
    step = each.step
    return {
        "form": step.form,
        "title": step.title,
        "start": step.start,
        "end": step.end,
        "seconds": [each.before, each.after],
    }
