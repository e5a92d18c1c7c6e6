"""Work in threads: its results in order, bounded ahead, its errors in their turn, and no thread left behind."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.hits.threads import in_order
from capture_core.limits.searching import SEARCH_AHEAD_BATCHES

if TYPE_CHECKING:
    from collections.abc import Iterator


def searching() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("capview-search")]


def test_results_come_in_the_order_of_the_pieces() -> None:
    later = threading.Event()

    def work(piece: int) -> Iterator[tuple[int, int]]:
        if piece == 0:
            assert later.wait(20)
        for number in range(3):
            yield piece, number
        if piece == 1:
            later.set()

    found = list(in_order(iter(range(5)), work, 2))
    assert found == [(piece, number) for piece in range(5) for number in range(3)]
    assert searching() == []


def test_no_more_is_done_ahead_than_the_bound() -> None:
    made: list[int] = []
    begun = threading.Event()

    def work(piece: int) -> Iterator[int]:
        if piece == 0:
            assert begun.wait(20)
            yield 0
            return
        for number in range(1_000):
            made.append(number)
            if number == SEARCH_AHEAD_BATCHES:
                begun.set()
            yield number

    results = in_order(iter(range(2)), work, 2)
    assert next(results) == 0
    assert len(made) == SEARCH_AHEAD_BATCHES + 1
    results.close()  # type: ignore[attr-defined] # a generator is what it is
    assert searching() == []


def test_what_fails_is_raised_in_its_turn() -> None:
    def work(piece: int) -> Iterator[int]:
        yield piece
        if piece == 1:
            raise ValueError("of piece 1")

    results = in_order(iter(range(9)), work, 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="of piece 1"):
        next(results)
    assert searching() == []
