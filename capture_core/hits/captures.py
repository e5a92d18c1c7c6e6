"""One search over captures: hits by capture, stream and offset, as far as they are asked for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from capture_core.errors import Refused, StreamGone
from capture_core.find.matcher import compile_wanted
from capture_core.hits import surroundings, token
from capture_core.hits.numbers import Numbers
from capture_core.hits.stopping import StoppableText, Stopped
from capture_core.hits.stream import StreamSearch
from capture_core.limits.searching import SEARCH_CONTEXT_LINES
from capture_core.reader import StreamReader
from capture_core.source import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from capture_core.find.matcher import Matcher
    from capture_core.hits.matches import Found
    from capture_core.hits.pieces import Text
    from capture_core.hits.token import Token
    from capture_core.line_places import KeptIndexes
    from capture_core.sought import Search
    from capture_core.source import Entry

Place = tuple[str, "Entry"]
"""The path of a conversation, and a capture in it."""


def _never() -> bool:
    return False


def _pass_over(_error: StreamGone) -> None:
    """A log that is missing holds no hit; the entry says that it is missing."""


class CaptureSearch:
    """Does what a :class:`Search` asks for; raises :class:`Refused` at once for what cannot be searched for.

    ``stop`` is asked every few milliseconds, in any thread: when it says so, hits end as if there were no more.
    ``missing`` is told of each stream whose file is not there; one that goes while it is searched is raised.
    ``cache``: where the line indexes of ended captures are kept.
    """

    def __init__(
        self,
        search: Search,
        *,
        stop: Callable[[], bool] = _never,
        missing: Callable[[StreamGone], object] = _pass_over,
        cache: KeptIndexes | None = None,
    ) -> None:
        self._search = search
        self._stop = stop
        self._missing = missing
        self._cache = cache
        self._matcher: Matcher = compile_wanted(search.wanted)
        self._token = None if search.token is None else token.parse(search.token)
        if max(search.before, search.after) > SEARCH_CONTEXT_LINES:
            raise Refused(f"at most {SEARCH_CONTEXT_LINES} lines before and after a hit can be given")

    def hits(self, places: Iterable[Place]) -> Iterator[tuple[Hit, ...]]:
        """The hits of these captures, in batches that are never empty.

        Raises :class:`StreamGone`, and :class:`Refused` where the capture or the text of a token is not among them.
        """
        left = self._search.most
        with suppress(Stopped):
            for path, entry, stream, begin in self._streams(places):
                for batch in self._in_stream(path, entry, stream, begin):
                    taken = batch if left is None else batch[:left]
                    if taken:
                        yield taken
                    left = None if left is None else left - len(taken)
                    if left == 0:
                        return

    def count(self, path: str, entry: Entry, *, matches: bool = False) -> int:
        """How many lines of one capture are hits, or how many ``matches`` they have, wherever a search would begin."""
        total = 0
        for stream in self._names(entry):
            if (reader := self._open(path, entry, stream)) is not None:
                with reader:
                    search = self._over(reader)
                    total += search.count_matches() if matches else search.count()
        return total

    def _streams(self, places: Iterable[Place]) -> Iterator[tuple[str, Entry, str, Token | None]]:
        """Those to be searched, in order, and the token at the one where it goes on."""
        turn = reversed if self._search.backward else iter
        awaited = self._token
        for path, entry in turn(list(places)) if self._search.backward else places:
            for stream in turn(self._names(entry)):
                if awaited is None:
                    yield path, entry, stream, None
                elif _is_at(awaited, entry, stream):
                    yield path, entry, stream, awaited
                    awaited = None
        if awaited is not None:
            raise Refused(f"{awaited.ref} {awaited.stream}, where the search stopped, is not among what is searched")

    def _names(self, entry: Entry) -> tuple[str, ...]:
        wanted = self._search.stream
        return tuple(name for name in entry.receipt.streams if wanted in (None, name))

    def _in_stream(self, path: str, entry: Entry, stream: str, begin: Token | None) -> Iterator[tuple[Hit, ...]]:
        if (reader := self._open(path, entry, stream)) is None:
            return
        with reader:
            if begin is not None and begin.generation != reader.generation:
                raise Refused(f"{entry.receipt.ref} {stream}: its text was replaced; begin the search anew")
            search, end = self._over(reader), reader.committed
            numbers = Numbers(reader, self._cache, self._stop) if self._search.numbered else None
            start = self._search.start if begin is None else begin.offset
            if self._search.backward:
                batches = search.hits_before(start if start or begin else None)
            else:
                batches = search.hits(start)
            text = StoppableText(reader, self._stop)
            for batch in batches:
                yield tuple(self._hit(entry, reader, text, numbers, found, end) for found in batch)

    def _over(self, reader: StreamReader) -> StreamSearch:
        wanted = self._search.wanted
        return StreamSearch(
            reader,
            self._matcher,
            reader.committed,
            invert=self._search.invert,
            every_match=self._search.every_match,
            skips_zeros=wanted.fixed and "\0" not in wanted.pattern,
            stop=self._stop,
        )

    def _open(self, path: str, entry: Entry, stream: str) -> StreamReader | None:
        try:
            return StreamReader(path, entry, stream)
        except StreamGone as error:
            self._missing(error)
            return None

    def _hit(
        self, entry: Entry, reader: StreamReader, text: Text, numbers: Numbers | None, found: Found, end: int
    ) -> Hit:
        number = None if numbers is None else numbers.of(found.line_start)
        search = self._search
        return Hit(
            address=entry.address,
            stream=reader.stream,
            generation=reader.generation,
            line=number,
            line_start=found.line_start,
            line_end=found.line_end,
            start=found.start,
            end=found.end,
            text=found.text,
            text_start=found.text_start,
            matches=found.matches,
            before=surroundings.before(found, number, text, search.before) if search.before else (),
            after=surroundings.after(found, number, text, end, search.after) if search.after else (),
        )


def _is_at(place: Token, entry: Entry, stream: str) -> bool:
    address = entry.address
    return (place.ref, place.stream) == (address.ref, stream) and place.conversation in ("", address.conversation)
