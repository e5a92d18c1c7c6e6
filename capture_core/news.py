"""What is new in a capture behind given offsets, as far as it was asked for; and waiting for more, and for its end."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from capture_core import names, refs
from capture_core.catalog import ENDED, Catalogue, Name
from capture_core.cursor import Cursor as Position
from capture_core.errors import BadInput, CursorStale, ReceiptError, StreamGone, UnknownRef
from capture_core.facts import RepresentationKind
from capture_core.limits.reading import FOLLOW_LOOK_SECONDS, FOLLOW_POLL_SECONDS, READ_RANGE_BYTES
from capture_core.lines import text_edges
from capture_core.reader import StreamReader
from capture_core.shares import shares
from capture_core.source import Entry, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """New committed bytes ``start:end`` of one stream; ``more`` bytes behind them are committed too.

    Of a text they begin and end at whole code points.
    """

    stream: str
    start: int
    end: int
    data: bytes
    more: int
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What is new, as far as it was asked for, and how the capture stands.

    ``gone``: by stream why its file cannot be read any more.
    """

    entry: Entry
    parts: tuple[Part, ...]
    gone: Mapping[str, str]
    _ack: Callable[[News], None] | None = field(default=None, repr=False)

    @property
    def more(self) -> int:
        """How many bytes are committed behind these."""
        return sum(part.more for part in self.parts)

    @property
    def is_over(self) -> bool:
        """Whether the capture has ended, and nothing is left to be given of it."""
        return self.entry.liveness in ENDED and not self.more

    @property
    def is_empty(self) -> bool:
        """Whether there is no new byte."""
        return not any(part.data for part in self.parts)

    def positions(self) -> dict[str, Position]:
        """By stream the place behind what is new in it."""
        return {part.stream: Position(generation=part.generation, offset=part.end) for part in self.parts if part.data}

    def ack(self) -> None:
        """Move the consumer's cursor behind these parts: they were handed over.

        Raises ``Unmarked`` when that cannot be kept.  Does nothing where no consumer has them.
        """
        if self._ack is not None:
            self._ack(self)


class Watched:
    """One capture of a conversation by its whole ref, looked at again and again.  Not for two threads at once."""

    def __init__(self, conversation: str, ref: str) -> None:
        """Raises :class:`UnknownRef` for what is no whole ref."""
        located = refs.locate(ref)
        if located is None:
            raise UnknownRef(f"{ref[:200]!a} is no ref, such as {names.TOOL_OUTPUTS}/shell/CAPTURE-ID")
        self.ref = located.ref
        _, tool, capture = located.ref.split("/")
        self.name = Name(tool, capture)
        self.catalogue = Catalogue(conversation)

    def entry(self) -> Entry:
        """How it stands now; raises :class:`UnknownRef` when it was removed, ``ReceiptError`` for a bad receipt."""
        match self.catalogue.fresh(self.name):
            case None:
                raise UnknownRef(f"{self.ref} is not there any more")
            case Unreadable(words=words):
                raise ReceiptError(f"{self.ref}: {words}")
            case Entry() as entry:
                return entry

    def wait(self, timeout: float | None = None) -> Entry | None:
        """How it stands when it has ended, an owner that died included; ``None`` when the time was over first."""
        until = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            entry = self.entry()
            if entry.liveness in ENDED:
                return entry
            left = until - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(FOLLOW_LOOK_SECONDS, left))

    def news(
        self,
        places: Mapping[str, Position],
        max_bytes: int = READ_RANGE_BYTES,
        streams: Sequence[str] | None = None,
        ack: Callable[[News], None] | None = None,
    ) -> News:
        """What is new behind these places; raises :class:`CursorStale` where one is not in the text any more."""
        # The end is looked at before the text: what is committed then is all of it.
        entry = self.entry()
        gone: dict[str, str] = {}
        with ExitStack() as stack:
            opened: list[_Opened] = []
            for stream in self._wanted(entry, streams):
                try:
                    reader = stack.enter_context(StreamReader(self.catalogue.path, entry, stream))
                    opened.append(_Opened(self.ref, reader, reader.committed, places.get(stream, Position())))
                except StreamGone as error:
                    gone[stream] = str(error)
            given = shares({one.reader.stream: one.length() for one in opened}, max_bytes)
            is_text = entry.receipt.representation.kind is not RepresentationKind.BINARY
            parts = tuple(one.part(given[one.reader.stream], is_text=is_text) for one in opened)
        return News(entry=entry, parts=parts, gone=gone, _ack=ack)

    def follow(self, max_bytes: int = READ_RANGE_BYTES) -> Iterator[News]:
        """All of it from the first byte on, as it grows, through the change to final; the last one is over."""
        places: dict[str, Position] = {}
        while True:
            news = self.news(places, max_bytes)
            if not news.is_empty or news.is_over:
                yield news
            if news.is_over:
                return
            places |= news.positions()
            if not news.more:
                time.sleep(FOLLOW_POLL_SECONDS)

    def _wanted(self, entry: Entry, streams: Sequence[str] | None) -> Sequence[str]:
        known = entry.receipt.streams
        strange = [name for name in streams or () if name not in known]
        if strange:
            raise BadInput(f"{self.ref} has no stream {strange[0]!r}; it has: {', '.join(known) or 'none'}")
        return list(known) if streams is None else streams


class _Opened(NamedTuple):
    """One stream, open, its committed length now, and the place behind which everything is new."""

    ref: str
    reader: StreamReader
    committed: int
    position: Position

    def length(self) -> int:
        """How many bytes are new; raises :class:`CursorStale`."""
        position = self.position
        if position.offset and position.generation != self.reader.generation:
            why = f"was replaced by generation {self.reader.generation}"
        elif position.offset > self.committed:
            why = f"has only {self.committed} bytes now"
        else:
            return self.committed - position.offset
        raise CursorStale(
            f"{self.ref} {self.reader.stream}: {position.offset} bytes of generation {position.generation} were "
            f"given, and the text {why}; begin anew with: --restart (restart() in the library)",
            self.reader.stream,
        )

    def part(self, room: int, *, is_text: bool) -> Part:
        start = self.position.offset
        end = min(self.committed, start + room)
        if is_text and start < end < self.committed:
            end = text_edges(self.reader.read, self.committed, start, end)[1]
        return Part(
            stream=self.reader.stream,
            start=start,
            end=end,
            data=self.reader.read(start, end),
            more=self.committed - end,
            generation=self.reader.generation,
        )
