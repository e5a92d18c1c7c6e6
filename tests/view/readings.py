"""Answers readings from bytes in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from capview.pager.pages import Reading

T = TypeVar("T")


def read(data: bytes, reading: Reading[T], page: int) -> T:
    """Run ``reading`` over ``data`` in pages of ``page`` bytes."""
    try:
        number = next(reading)
        while True:
            number = reading.send(data[number * page : (number + 1) * page])
    except StopIteration as done:
        value: T = done.value
        return value
