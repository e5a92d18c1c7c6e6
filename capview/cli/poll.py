"""``capview poll``: what is new in a capture for whoever asks by this name; nobody else's place moves."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from capture_core.catalog import ENDED
from capture_core.errors import BadInput
from capture_core.facts import RepresentationKind
from capture_core.limits.reading import READ_RANGE_BYTES
from capture_core.polling import Cursor
from capview import present
from capview.cli.passage import content, put_passage
from capview.cli.pick import add_consumer, add_ref, pick
from capview.cli.quantities import size
from capview.cli.words import put_json, say, warn

if TYPE_CHECKING:
    import argparse

    from capture_core.news import News
    from capview.cli.pick import Picked

EXAMPLE: Final = """\
examples:
  capview poll @last --consumer planner
  capview poll @last --consumer planner --stream stderr --max-bytes 4KiB
  capview poll @last --consumer planner --json | jq -r '.streams[].text'

The first poll of a consumer begins at the first byte.  Its place moves when all was printed; it outlives restarts, and
the end of the capture.  A poll takes no notice away (see: capview notices).

exit code: 0, also when nothing is new; 1 when a stream's file is gone, or what was printed cannot be marked
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``poll``."""
    add_ref(parser)
    add_consumer(parser)
    parser.add_argument("--stream", metavar="NAME", help="stdout, stderr, output or content (default: all)")
    parser.add_argument(
        "--max-bytes", type=size, default=READ_RANGE_BYTES, metavar="N", help="at most this much (16KiB)"
    )
    parser.add_argument("--restart", action="store_true", help="begin anew, at the first byte")
    parser.add_argument("--json", action="store_true", help="one object: the streams' new text, and how it stands")


def run(arguments: argparse.Namespace) -> int:
    """Print what is new; then move the consumer's place."""
    picked = pick(arguments.ref, arguments.conversation)
    is_binary = picked.entry.receipt.representation.kind is RepresentationKind.BINARY
    if is_binary and not arguments.json and arguments.stream is None and len(picked.entry.receipt.streams) > 1:
        raise BadInput(f"{picked.entry.receipt.ref} holds exact bytes: name one stream by --stream, or use --json")
    cursor = Cursor(picked.catalogue.path, picked.entry.receipt.ref, arguments.consumer)
    streams = None if arguments.stream is None else (arguments.stream,)
    if arguments.restart:
        cursor.restart()
    with cursor.polled(arguments.max_bytes, streams=streams) as news:
        if arguments.json:
            put_json(_plain(news, arguments.consumer, is_binary=is_binary))
        else:
            _print(news, picked, arguments)
    for words in news.gone.values():
        warn(words)
    return 1 if news.gone else 0


def _print(news: News, picked: Picked, arguments: argparse.Namespace) -> None:
    labelled = arguments.stream is None and len(news.entry.receipt.streams) > 1
    for part in news.parts:
        if part.data:
            put_passage(part.stream, (part.data,), labelled=labelled)
    if news.more:
        say(f"{news.more} bytes more: {shlex.join(_again(picked, arguments))}")
    elif news.entry.liveness in ENDED:
        say(f"{present.summary(news.entry)}: {news.entry.receipt.ref}")


def _again(picked: Picked, arguments: argparse.Namespace) -> list[str]:
    words = ["capview", "poll", picked.name.capture, "--consumer", arguments.consumer]
    if arguments.stream is not None:
        words += ["--stream", arguments.stream]
    if picked.option is not None:
        words += ["--conversation", picked.option]
    if arguments.max_bytes != READ_RANGE_BYTES:
        words += ["--max-bytes", str(arguments.max_bytes)]
    return words


def _plain(news: News, consumer: str, *, is_binary: bool) -> dict[str, Any]:
    entry = news.entry
    return {
        "ref": entry.receipt.ref,
        "consumer": consumer,
        "streams": {
            part.stream: {
                "start": part.start,
                "end": part.end,
                "more": part.more,
                "generation": part.generation,
                **content(part.data, is_binary=is_binary),
            }
            for part in news.parts
        },
        "gone": dict(news.gone),
        "more": news.more,
        "over": news.is_over,
        "liveness": str(entry.liveness),
        "process": {
            "state": str(entry.process.state),
            "exit_code": entry.process.exit_code,
            "signal": entry.process.signal,
        },
        "capture": {
            "state": str(entry.capture.state),
            "reason": None if entry.capture.reason is None else str(entry.capture.reason),
        },
    }
