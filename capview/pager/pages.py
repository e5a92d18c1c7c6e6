"""The raw pages of one document, few and bounded, and the driver that feeds readings from them.

A *reading* is a generator that asks for pages by number and is sent their bytes.  What it works out is therefore
plain arithmetic, testable on a ``bytes``; the same reading runs to its end at once where all pages are cached, and
goes on in a task where one is missing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from capture_core.source import Page
from capview.limits import VIEW_AHEAD_PAGES, VIEW_CACHED_PAGES, VIEW_PAGE_BYTES

T = TypeVar("T")
Reading: TypeAlias = Generator[int, bytes, T]
Fetch: TypeAlias = Callable[[int, int], Awaitable[Page]]

_IN_A_ROW = 4
"""What asked for so many pages in a row is likely to ask for more of them."""


class Replaced(Exception):
    """The file is not what it was: it became shorter or was replaced as a whole; ``committed`` is its length now."""

    def __init__(self, committed: int, generation: int) -> None:
        super().__init__(f"{committed} bytes of generation {generation}")
        self.committed = committed
        self.generation = generation


@dataclass(frozen=True, slots=True)
class Miss(Generic[T]):
    """A reading that cannot go on before page ``page`` was fetched."""

    reading: Reading[T]
    page: int


class Pages:
    """Committed bytes of one stream, followed by ``trailer`` bytes that only this view shows.

    ``fetch`` gives a byte range of the stream.  At most ``capacity`` pages of ``page_bytes`` are kept.
    """

    def __init__(self, fetch: Fetch, *, page_bytes: int = VIEW_PAGE_BYTES, capacity: int = VIEW_CACHED_PAGES) -> None:
        self._fetch = fetch
        self._capacity = capacity
        self._cached: OrderedDict[int, bytes] = OrderedDict()
        self._epoch = 0
        self.page_bytes = page_bytes
        self.generation: int | None = None
        self.committed = 0
        self.trailer = b""

    @property
    def length(self) -> int:
        """Bytes of the document: what is committed, and the trailer."""
        return self.committed + len(self.trailer)

    def extend(self, committed: int, trailer: bytes = b"") -> None:
        """Take a later state of the same file; raise :class:`Replaced` when it became shorter."""
        if committed < self.committed:
            raise Replaced(committed, self.generation or 1)
        if self.trailer and (trailer != self.trailer or committed != self.committed):
            self._forget_from(self.committed)
        self.committed = committed
        self.trailer = trailer

    def reset(self, committed: int, generation: int | None, trailer: bytes = b"") -> None:
        """Start over on another file."""
        self._cached.clear()
        self._epoch += 1
        self.generation = generation
        self.committed = committed
        self.trailer = trailer

    def cached(self, number: int) -> bytes | None:
        """Page ``number`` when all its bytes are here."""
        data = self._cached.get(number)
        if data is None or len(data) < self._wanted(number):
            return None
        self._cached.move_to_end(number)
        return data

    def held(self, number: int) -> bytes:
        """What is cached of page ``number``: less than there is, when the file has grown since, or nothing."""
        return self._cached.get(number, b"")

    def add(self, start: int, data: bytes) -> None:
        """Keep bytes that came by themselves, where they go on with what is cached."""
        while data and not self.trailer:
            number, offset = divmod(start, self.page_bytes)
            held = self._cached.get(number, b"")
            if len(held) != offset:
                return
            part = data[: self.page_bytes - offset]
            self._keep(number, held + part)
            start, data = start + len(part), data[len(part) :]

    async def load(self, number: int) -> bytes:
        """Page ``number``, from the cache or by one fetch of what is missing of it."""
        start = number * self.page_bytes
        end = min(start + self.page_bytes, self.committed)
        data = self._cached.get(number, b"")
        if start + len(data) < end:
            data += await self._bytes(start + len(data), end)
        data += self._overlay(start, len(data))
        self._keep(number, data)
        return data

    def advance(self, reading: Reading[T], data: bytes | None = None) -> T | Miss[T]:
        """Run ``reading`` as far as cached pages carry it; ``data`` answers what it asked for last."""
        try:
            number = next(reading) if data is None else reading.send(data)
            while (page := self.cached(number)) is not None:
                number = reading.send(page)
        except StopIteration as done:
            value: T = done.value
            return value
        return Miss(reading, number)

    async def finish(self, miss: Miss[T]) -> T:
        """Fetch what ``miss`` and its successors wait for, to the reading's end."""
        span, in_a_row = range(miss.page, miss.page + 1), 0
        while True:
            result = self.advance(miss.reading, await self.load(miss.page))
            if not isinstance(result, Miss):
                return result
            miss = result
            in_a_row = in_a_row + 1 if miss.page in (span.start - 1, span.stop) else 0
            span = self._span(miss.page, span, 1 if in_a_row < _IN_A_ROW else VIEW_AHEAD_PAGES)
            await self._load_all(span)

    async def run(self, reading: Reading[T]) -> T:
        """Run ``reading`` to its end."""
        result = self.advance(reading)
        return await self.finish(result) if isinstance(result, Miss) else result

    def _wanted(self, number: int) -> int:
        return min(self.page_bytes, self.length - number * self.page_bytes)

    def _span(self, page: int, before: range, size: int) -> range:
        """The pages to read together from ``page`` on, away from those that were read ``before``."""
        size = min(size, self._capacity // 2)
        if page < before.start:
            return range(max(0, page - size + 1), page + 1)
        return range(page, min(page + size, self.committed // self.page_bytes))

    async def _load_all(self, span: range) -> None:
        """Read several whole pages at once: asking a source takes longer than a page."""
        if len(span) > 1:
            data = await self._bytes(span.start * self.page_bytes, span.stop * self.page_bytes)
            for number in span:
                start = (number - span.start) * self.page_bytes
                self._keep(number, data[start : start + self.page_bytes])

    async def _bytes(self, start: int, end: int) -> bytes:
        """Ask until all of ``start:end`` is here: a source may give less at once than it was asked for."""
        epoch = self._epoch
        parts = []
        while start < end:
            page = await self._fetch(start, end)
            if self.generation is None:
                self.generation = page.generation
            stale = epoch != self._epoch or page.generation != self.generation
            if stale or not page.data:
                raise Replaced(page.committed, page.generation)
            parts.append(page.data)
            start += len(page.data)
        return b"".join(parts)

    def _overlay(self, start: int, have: int) -> bytes:
        skip = start + have - self.committed
        return self.trailer[skip : skip + self.page_bytes - have] if skip >= 0 else b""

    def _keep(self, number: int, data: bytes) -> None:
        self._cached[number] = data
        self._cached.move_to_end(number)
        while len(self._cached) > self._capacity:
            self._cached.popitem(last=False)

    def _forget_from(self, offset: int) -> None:
        for number in [n for n in self._cached if (n + 1) * self.page_bytes > offset]:
            del self._cached[number]
