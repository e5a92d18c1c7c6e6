"""A search whose batches are taken in any threads, one at a time, and which can be left at any moment."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from capture_core.hits.captures import CaptureSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from capture_core.hits.captures import Place
    from capture_core.line_places import KeptIndexes
    from capture_core.sought import Search
    from capture_core.source import Hit


class RunningSearch:
    """Hits of ``places``, which are asked for one by one as the search comes to them."""

    def __init__(self, search: Search, places: Callable[[], Iterable[Place]], cache: KeptIndexes | None = None) -> None:
        self._stopped = threading.Event()
        self._turn = threading.Lock()
        self._batches: Generator[tuple[Hit, ...]] = _started(
            CaptureSearch(search, stop=self._stopped.is_set, cache=cache), places
        )

    def take(self) -> tuple[Hit, ...] | None:
        """The next hits; ``None`` at the end, or after :meth:`leave`."""
        with self._turn:
            batch = None if self._stopped.is_set() else next(self._batches, None)
            if batch is None or self._stopped.is_set():
                self._batches.close()
                return None
            return batch

    def leave(self) -> None:
        """End the search, from any thread, waiting for nothing: not for a disk either."""
        self._stopped.set()
        # Whoever is taking hits just now closes it; otherwise its files are still open.  Where no thread can be had
        # they are closed when this is forgotten.
        with suppress(RuntimeError):
            threading.Thread(target=self.take, name="capview-search-end", daemon=True).start()


def _started(search: CaptureSearch, places: Callable[[], Iterable[Place]]) -> Generator[tuple[Hit, ...]]:
    yield from search.hits(places())
