"""Work on pieces in a few threads, its results in the pieces' order: a bounded number ahead of whoever takes them."""

from __future__ import annotations

import queue
import threading
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

from capture_core.errors import no_thread
from capture_core.limits.searching import SEARCH_AHEAD_BATCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_P = TypeVar("_P")
_T = TypeVar("_T")


def in_order(pieces: Iterator[_P], work: Callable[[_P], Iterator[_T]], threads: int) -> Iterator[_T]:
    """What ``work`` gives for each piece, in order; ``pieces`` are asked for in this thread.

    What fails in a thread is raised here, in its turn.  However this ends, the threads have ended by then; one that is
    at work does so at its next result.  Raises :class:`Refused` where no thread can be started.
    """
    todo: queue.SimpleQueue[_Part[_P, _T] | None] = queue.SimpleQueue()
    parts: deque[_Part[_P, _T]] = deque()
    workers = _start(todo, work, threads)
    try:
        # One piece more than threads, so that none of them waits for the next.
        for piece in pieces:
            parts.append(_Part(piece))
            todo.put(parts[-1])
            if len(parts) > threads:
                yield from parts.popleft().results()
        while parts:
            yield from parts.popleft().results()
    finally:
        for part in parts:
            part.abandon()
        for _ in workers:
            todo.put(None)
        for worker in workers:
            worker.join()


class _Part(Generic[_P, _T]):
    """One piece and the results that wait to be taken."""

    def __init__(self, piece: _P) -> None:
        self._piece = piece
        self._changed = threading.Condition()
        self._waiting: deque[_T] = deque()
        self._error: BaseException | None = None
        self._is_done = False
        self._is_abandoned = False

    def do(self, work: Callable[[_P], Iterator[_T]]) -> None:
        """In a worker: all of it, as far as anybody wants it."""
        try:
            for result in work(self._piece):
                if not self._put(result):
                    break
        except BaseException as error:  # noqa: BLE001 — raised by whoever takes the results
            self._error = error
        with self._changed:
            self._is_done = True
            self._changed.notify()

    def results(self) -> Iterator[_T]:
        """Elsewhere: what comes, until it is done."""
        try:
            while (taken := self._take()) is not None:
                yield from taken
        finally:
            self.abandon()
        if self._error is not None:
            raise self._error

    def abandon(self) -> None:
        """Nobody takes results any more."""
        with self._changed:
            self._is_abandoned = True
            self._changed.notify()

    def _put(self, result: _T) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._is_abandoned or len(self._waiting) < SEARCH_AHEAD_BATCHES)
            self._waiting.append(result)
            self._changed.notify()
            return not self._is_abandoned

    def _take(self) -> list[_T] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_done or self._waiting)
            taken = list(self._waiting)
            self._waiting.clear()
            self._changed.notify()
            return taken or None


def _start(
    todo: queue.SimpleQueue[_Part[_P, _T] | None], work: Callable[[_P], Iterator[_T]], threads: int
) -> list[threading.Thread]:
    def run() -> None:
        while (part := todo.get()) is not None:
            part.do(work)

    workers = [threading.Thread(target=run, name=f"capview-search-{n}", daemon=True) for n in range(threads)]
    for number, worker in enumerate(workers):
        try:
            worker.start()
        except RuntimeError as error:
            for _ in workers[:number]:
                todo.put(None)
            raise no_thread(error) from error
    return workers
