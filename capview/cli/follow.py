"""``capview follow``: a capture as it grows, through the change to final, and then the command's exit code."""

from __future__ import annotations

import codecs
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Self

from capture_core import lines
from capture_core.errors import StreamGone
from capture_core.facts import RepresentationKind
from capture_core.limits.reading import FOLLOW_LOOK_SECONDS, FOLLOW_POLL_SECONDS
from capture_core.reader import StreamReader
from capview.cli.endings import Doubt, exit_code, has_ended
from capview.cli.pick import add_ref, pick
from capview.cli.quantities import count
from capview.cli.words import put, say, warn
from capview.escaping import safe_body
from capview.limits import FOLLOW_LINES

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from capture_core.catalog import Catalogue
    from capture_core.source import Entry

EXAMPLE: Final = """\
examples:
  capview follow @last
  capview follow @label:nightly --whole > nightly.log

Stdout goes to stdout, stderr to stderr.  Exit code: as capview run exits: the command's own, 128+N for a signal, 124
when a time limit ended it, never 0 when it was cancelled; 1 and a word when the owner of the capture died.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``follow``."""
    add_ref(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--whole", action="store_true", help="from the first byte on")
    where.add_argument("--tail", type=count, default=FOLLOW_LINES, metavar="N", help="from the last N lines on (10)")


def run(arguments: argparse.Namespace) -> int:
    """Print until the capture has ended; its exit code."""
    picked = pick(arguments.ref, arguments.conversation)
    entry, doubt = picked.entry, Doubt()
    with ExitStack() as stack:
        followed = [stack.enter_context(_Followed(picked.catalogue, entry, stream)) for stream in entry.receipt.streams]
        # Exact bytes have no lines of which some could be the last.
        if not arguments.whole and entry.receipt.representation.kind is not RepresentationKind.BINARY:
            for item in followed:
                item.skip_to_tail(arguments.tail)
        while not has_ended(entry):
            doubt.look(entry)
            _pump(followed, until=time.monotonic() + FOLLOW_LOOK_SECONDS)
            entry = picked.fresh()
            for item in followed:
                item.take(entry)
        # The end was seen before this last look at the files: what they hold now is all there will be.
        while any([item.pump() for item in followed]):  # noqa: C419 — each has its turn
            pass
        for item in followed:
            item.finish()
    return exit_code(entry)


def _pump(followed: list[_Followed], *, until: float) -> None:
    while time.monotonic() < until:
        if not any([item.pump() for item in followed]):  # noqa: C419 — each has its turn
            time.sleep(FOLLOW_POLL_SECONDS)


class _Followed:
    """One stream and how far it was printed."""

    def __init__(self, catalogue: Catalogue, entry: Entry, stream: str) -> None:
        self._path = catalogue.path
        self._entry = entry
        self._stream = stream
        self._reader: StreamReader | None = self._open()
        self._at = 0
        self._printer = _Printer(sys.stderr if stream == "stderr" else sys.stdout)

    def skip_to_tail(self, count: int) -> None:
        """Begin with the last ``count`` lines."""
        if self._reader is not None:
            self._at = lines.before_lines(self._reader.read, 0, self._reader.committed, count)

    def take(self, entry: Entry) -> None:
        """Take the newest word about the capture; a later generation is followed from its beginning."""
        self._entry = entry
        if self._reader is not None and not self._reader.follow(entry):
            say(f"{entry.receipt.ref} {self._stream}: its text was replaced; from the beginning")
            self._reader.close()
            self._reader, self._at = self._open(), 0

    def pump(self) -> bool:
        """Print what is new; whether there was anything."""
        if self._reader is None:
            return False
        try:
            page = self._reader.page(self._at, sys.maxsize)
        except StreamGone as error:
            self._lose(error)
            return False
        self._at = page.end
        self._printer.feed(page.data)
        return bool(page.data)

    def finish(self) -> None:
        """Print what a torn end held back."""
        self._printer.feed(b"", final=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.close()

    def _open(self) -> StreamReader | None:
        try:
            return StreamReader(self._path, self._entry, self._stream)
        except StreamGone as error:
            warn(str(error))
            return None

    def _lose(self, error: StreamGone) -> None:
        warn(str(error))
        if self._reader is not None:
            self._reader.close()
        self._reader = None


class _Printer:
    """Bytes as they are, or made safe where a terminal would obey them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace") if stream.isatty() else None

    def feed(self, data: bytes, *, final: bool = False) -> None:
        if self._decoder is not None:
            data = safe_body(self._decoder.decode(data, final)).encode()
        put(data, self._stream)
