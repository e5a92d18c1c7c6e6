"""``capview read``: a bounded part of a capture, and the exact command that goes on behind it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from capture_core import lines
from capture_core.errors import BadInput
from capture_core.exit_codes import NO
from capture_core.facts import Liveness, RepresentationKind
from capture_core.limits.reading import LINE_CACHE_FROM_BYTES, RANGE_BYTES, READ_PIECE_BYTES, READ_RANGE_BYTES
from capture_core.reader import StreamReader
from capture_core.shares import shares
from capview.cli.passage import content, put_passage
from capview.cli.pick import add_ref, pick
from capview.cli.quantities import byte_range, count, line_range, size
from capview.cli.words import put_json, say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from capture_core.line_places import LinePlaces
    from capview.cli.pick import Picked

EXAMPLE: Final = """\
examples:
  capview read @last --tail 40
  capview read @last --stream stderr --lines 100:140
  capview read 20261130T091500Z --bytes 16384:32768

A and B of --bytes count from 0, B is not included; A and B of --lines count from 1, B is included.
What does not fit --max-bytes is named on stderr, with the command that prints it.  Exit code 1: somebody cut the file,
and a part of what was asked for is missing.  Exact bytes (run --raw-binary)
have no lines; a terminal gets them escaped, everything else gets them as they are.
"""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of one stream: what was asked for, and what of it is printed."""

    stream: str
    asked: tuple[int, int]
    shown: tuple[int, int]
    committed: int
    missing: int
    """Bytes that its file lacks: somebody cut it."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing that was asked for is among what its file lacks."""
        return not self.missing or self.asked[1] < self.committed

    @property
    def rest(self) -> tuple[int, int] | None:
        """What was asked for and is not printed: behind it, or, when the end was kept, before it."""
        if self.shown[1] < self.asked[1]:
            return self.shown[1], self.asked[1]
        return (self.asked[0], self.shown[0]) if self.shown[0] > self.asked[0] else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``read``."""
    add_ref(parser)
    parser.add_argument(
        "--stream", metavar="NAME", help="stdout, stderr, output or content (default: all that have text)"
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--bytes", type=byte_range, metavar="A:B", help="these bytes; either end may be left out")
    part.add_argument("--lines", type=line_range, metavar="A:B", help="these lines; either end may be left out")
    part.add_argument("--head", type=count, metavar="N", help="the first N lines")
    part.add_argument("--tail", type=count, metavar="N", help="the last N lines; what does not fit is cut at its start")
    part.add_argument("--around", type=count, metavar="OFFSET", help="the lines around this byte")
    parser.add_argument(
        "--max-bytes", type=size, default=READ_RANGE_BYTES, metavar="N", help="at most this much (16KiB)"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="one object a stream: text, range, its first line's number if that is quickly told, and where to go on",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the part."""
    picked = pick(arguments.ref, arguments.conversation)
    streams = _streams(picked, arguments.stream)
    if _is_binary(picked):
        _refuse_ways_of_text(arguments)
        streams = _the_one(picked, streams) if not arguments.json else streams
    # An object is made in memory, so what it holds is bounded whatever is asked for; the rest of it goes on there.
    most = min(arguments.max_bytes, RANGE_BYTES) if arguments.json else arguments.max_bytes
    shares = _shares(picked, streams, most)
    code = 0
    for stream in streams:
        with StreamReader(picked.catalogue.path, picked.entry, stream) as reader:
            part = _part(reader, arguments, shares[stream], is_text=not _is_binary(picked))
            if arguments.json:
                _print_json(picked, part, reader)
            else:
                put_passage(part.stream, _pieces(reader, part), labelled=len(streams) > 1)
                _say_rest(picked, part, arguments)
        if part.missing:
            say(f"{part.stream}: its file was cut to {part.committed} bytes, {part.missing} are missing")
        code = code if part.is_whole else NO
    return code


def _is_binary(picked: Picked) -> bool:
    return picked.entry.receipt.representation.kind is RepresentationKind.BINARY


def _refuse_ways_of_text(arguments: argparse.Namespace) -> None:
    for option in ("lines", "head", "tail", "around"):
        if getattr(arguments, option) is not None:
            raise BadInput(f"--{option}: {arguments.ref} holds exact bytes, which have no lines; use --bytes A:B")


def _the_one(picked: Picked, streams: Sequence[str]) -> Sequence[str]:
    """One stream alone: a label between two would be no exact byte of either."""
    if len(streams) > 1 and any(status.committed for status in picked.entry.streams):
        raise BadInput(
            f"{picked.entry.receipt.ref} holds the exact bytes of {', '.join(streams)}: name one by --stream"
        )
    return streams[:1]


def _streams(picked: Picked, wanted: str | None) -> Sequence[str]:
    """The stream asked for, else the only one with text, else all."""
    if wanted is not None:
        return (wanted,)
    filled = [stream.name for stream in picked.entry.streams if stream.committed]
    return filled if len(filled) == 1 else list(picked.entry.receipt.streams)


def _shares(picked: Picked, streams: Sequence[str], total: int) -> dict[str, int]:
    lengths = {status.name: status.committed or 0 for status in picked.entry.streams}
    return shares({stream: lengths.get(stream, 0) for stream in streams}, total)


def _part(reader: StreamReader, arguments: argparse.Namespace, room: int, *, is_text: bool) -> _Part:
    end = reader.committed
    keeps_end = arguments.tail is not None
    start, stop = _asked(reader, arguments, end, room)
    if not is_text:
        shown = start, max(start, min(stop, start + room))
        return _Part(reader.stream, (start, max(start, stop)), shown, end, reader.missing)
    start, stop = lines.text_edges(reader.read, end, start, stop) if start < stop else (start, start)
    shown = (max(start, stop - room), stop) if keeps_end else (start, min(stop, start + room))
    if keeps_end and shown[0] > start:
        shown = lines.text_edges(reader.read, end, *shown)[0], stop
    elif shown[0] < shown[1]:
        shown = lines.text_edges(reader.read, end, *shown)
    return _Part(reader.stream, (start, stop), shown, end, reader.missing)


def _pieces(reader: StreamReader, part: _Part) -> Iterator[bytes]:
    """What is printed, in pieces that end where a character does."""
    start, stop = part.shown
    while start < stop:
        end = min(start + READ_PIECE_BYTES, stop)
        if end < stop:
            _, end = lines.text_edges(reader.read, part.committed, start, end)
        yield reader.read(start, end)
        start = end


def _asked(reader: StreamReader, arguments: argparse.Namespace, end: int, room: int) -> tuple[int, int]:
    if arguments.head is not None:
        return 0, lines.after_lines(reader.read, 0, end, arguments.head, data_from=reader.data_from)
    if arguments.tail is not None:
        return lines.before_lines(reader.read, 0, end, arguments.tail, data_from=reader.data_from), end
    if arguments.around is not None:
        return lines.around(reader.read, end, arguments.around, room)
    if arguments.lines is not None:
        return _lines(reader, arguments.lines, end)
    start, stop = arguments.bytes or (0, None)
    return min(start, end), end if stop is None else min(stop, end)


def _lines(reader: StreamReader, wanted: tuple[int, int | None], end: int) -> tuple[int, int]:
    start, stop = _places(reader).range(*wanted)
    return min(start, end), min(stop, end)  # it may have grown since


def _places(reader: StreamReader) -> LinePlaces:
    from capture_core.line_cache import LineCache
    from capture_core.line_places import LinePlaces
    from capview.folders import cache_folder

    return LinePlaces(reader, LineCache(cache_folder()))


def _print_json(picked: Picked, part: _Part, reader: StreamReader) -> None:
    is_binary = _is_binary(picked)
    start = part.shown[0]
    answer = {
        "ref": picked.entry.receipt.ref,
        "stream": part.stream,
        "start": start,
        "end": part.shown[1],
        "committed": part.committed,
        "missing": part.missing,
        "line": None if is_binary else _places(reader).known_line_of(start, within_bytes=LINE_CACHE_FROM_BYTES),
        "fixed": picked.entry.liveness is not Liveness.LIVE,
        "rest": None if part.rest is None else f"{part.rest[0]}:{part.rest[1]}",
        **content(reader.read(*part.shown), is_binary=is_binary),
    }
    put_json(answer)


def _say_rest(picked: Picked, part: _Part, arguments: argparse.Namespace) -> None:
    if part.rest is None:
        return
    start, stop = part.rest
    words = ["capview", "read", picked.name.capture, "--stream", part.stream, "--bytes", f"{start}:{stop}"]
    if picked.option is not None:
        words += ["--conversation", picked.option]
    if arguments.max_bytes != READ_RANGE_BYTES:
        words += ["--max-bytes", str(arguments.max_bytes)]
    which = "before" if stop <= part.shown[0] else "more"
    say(f"{stop - start} bytes {which}: {shlex.join(words)}")
