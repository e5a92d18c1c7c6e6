"""A consumer's cursor in one capture: what is new since it was last given something, and where that ended.

The cursor is an offset in the committed text, which is the same while a capture is live, when it is final and after
any restart.  It is moved when what was given has been handed over, never before.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from capture_core import checked, names
from capture_core.consumers import Consumer, Turn
from capture_core.cursor import Cursor as Position
from capture_core.descend import conversation
from capture_core.limits.reading import CONSUMER_STALE_LINES, READ_RANGE_BYTES
from capture_core.news import Watched

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capture_core.catalog import Catalogue
    from capture_core.news import News

_FILE: Final = "cursors"
_HEADER: Final = "capview cursors 1"


class Cursor:
    """One consumer's place in one capture.  Holds nothing open; not for two threads at once."""

    def __init__(self, conversation: str, ref: str, consumer: str) -> None:
        """``ref`` is a whole one; raises :class:`UnknownRef` for what is none, :class:`BadName` for the consumer."""
        self._watched = Watched(conversation, ref)
        self._consumer = names.consumer_name(consumer)
        self._given: News | None = None

    def poll(self, max_bytes: int = READ_RANGE_BYTES, *, streams: Sequence[str] | None = None) -> News:
        """What is new, of all streams or these, at most ``max_bytes`` (and a code point a stream).

        The cursor moves by :meth:`News.ack`, or by the next call: whoever asks for more has had what came before.

        Raises :class:`UnknownRef` when the capture was removed, ``ReceiptError`` when it cannot be read,
        :class:`CursorStale` when the text that was given before is not there any more, ``ConsumerBusy``, and
        ``BadInput`` for what is no number of bytes, no list, or no stream of it.
        """
        room, wanted = _checked(max_bytes, streams)
        with self._turn() as places:
            if self._given is not None:
                places.move(self._given)
                self._given = None
            self._given = self._watched.news(places.of_capture(), room, wanted, self._acknowledge)
            return self._given

    @contextmanager
    def polled(self, max_bytes: int = READ_RANGE_BYTES, *, streams: Sequence[str] | None = None) -> Iterator[News]:
        """The same for a block that hands it over: the cursor moves at its end, unless it raises.

        Meanwhile the consumer is this process's: of several that poll under one name each gets other bytes.
        """
        room, wanted = _checked(max_bytes, streams)
        with self._turn() as places:
            news = self._watched.news(places.of_capture(), room, wanted)
            yield news
            places.move(news)

    def restart(self) -> None:
        """Begin anew, at the first byte of what each stream has now: the way on from :class:`CursorStale`."""
        self._given = None
        with self._turn() as places:
            streams = self._watched.entry().receipt.streams
            places.put({name: Position(generation=facts.generation) for name, facts in streams.items()})

    @contextmanager
    def _turn(self) -> Iterator[_Places]:
        path = self._watched.catalogue.path
        with conversation(path):
            # A mistyped path is refused, and nothing is made there.
            pass
        with Consumer(path, self._consumer) as consumer, consumer.turn(Turn.CURSORS):
            with consumer.refusing():
                places = _Places(consumer, self._watched.name.capture)
            yield places
            places.forget_others(self._watched.catalogue)

    def _acknowledge(self, news: News) -> None:
        if self._given is news:
            self._given = None
        with self._turn() as places:
            places.move(news)


def _checked(max_bytes: object, streams: object) -> tuple[int, tuple[str, ...] | None]:
    return checked.size("max_bytes", max_bytes), None if streams is None else checked.texts("streams", streams)


class _Places:
    """Where a consumer is in each capture, as its file has it.  Within the turn."""

    def __init__(self, consumer: Consumer, capture: str) -> None:
        self._consumer = consumer
        self._capture = capture
        self._journal = consumer.journal(_FILE, _HEADER)
        loaded = self._journal.load()
        if loaded is None:
            self._journal.make(())
            loaded = self._journal.load()
        self._counted = self._journal.count
        # A line that a crash of the machine left behind tells nothing: the one before it counts.
        self._places = dict(place for line in (loaded or (True, []))[1] if (place := _parse(line)) is not None)

    def of_capture(self) -> dict[str, Position]:
        """By stream."""
        return {stream: place for (capture, stream), place in self._places.items() if capture == self._capture}

    def move(self, news: News) -> None:
        """Behind what was given, where that begins at the cursor: else another process has moved it."""
        places, given = self.of_capture(), news.positions()
        begins = {part.stream: part.start for part in news.parts}
        self.put({name: at for name, at in given.items() if places.get(name, Position()).offset == begins[name]})

    def put(self, positions: Mapping[str, Position]) -> None:
        """There."""
        moved = {(self._capture, stream): position for stream, position in positions.items()}
        if moved:
            with self._consumer.marking(f"what was read of {self._capture}"):
                self._journal.append([_line(*key, position) for key, position in moved.items()])
            self._places.update(moved)

    def forget_others(self, catalogue: Catalogue) -> None:
        """Write the file anew when most of it tells nothing any more, or tells it of captures that are gone."""
        if self._journal.count // CONSUMER_STALE_LINES == self._counted // CONSUMER_STALE_LINES:
            # What is gone is known by a listing, which is worth its price now and then.
            return
        there = {name.capture for name in catalogue.names()}
        kept = [_line(*key, position) for key, position in self._places.items() if key[0] in there]
        if self._journal.count - len(kept) >= max(CONSUMER_STALE_LINES // 2, len(kept)):
            # On a full disk it stays as it is.
            with suppress(OSError):
                self._journal.rewrite(kept)


def _line(capture: str, stream: str, position: Position) -> str:
    return f"{capture} {stream} {position.generation} {position.offset}"


def _parse(line: str) -> tuple[tuple[str, str], Position] | None:
    words = line.split(" ")
    if len(words) != 4 or not all(word.isascii() and word.isdigit() for word in words[2:]):  # noqa: PLR2004
        return None
    capture, stream, generation, offset = words
    return (capture, stream), Position(generation=int(generation), offset=int(offset))
