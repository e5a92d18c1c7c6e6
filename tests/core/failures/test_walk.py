"""Failures of a stream of any length: in order, and from one to the next in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capture_core.failures.walk import failures, next_failure, previous_failure
from capture_core.limits.failures import FAILURE_BLOCK_BYTES, FAILURE_LEAD_BYTES
from tests.core.failures.logs import FAILED, found_in, text

if TYPE_CHECKING:
    from capture_core.failures.finding import Finding
    from capture_core.lines import Read

FILLER = b"[1/2] Building C object main.c.o\n" * (FAILURE_BLOCK_BYTES // 30)
DATA = b"".join((b"error: %d\n" % number) + FILLER for number in range(4)) + b"error: last"


def reader(data: bytes) -> Read:
    return lambda start, end: data[start:end]


def forward(data: bytes) -> list[Finding]:
    found, at = [], -1
    while (each := next_failure(reader(data), len(data), at)) is not None:
        found.append(each)
        at = each.at
    return found


def backward(data: bytes) -> list[Finding]:
    found, at = [], len(data)
    while (each := previous_failure(reader(data), len(data), at)) is not None:
        found.append(each)
        at = each.at
    return found[::-1]


def test_in_order() -> None:
    batches = list(failures(reader(DATA), 0, len(DATA)))
    assert tuple(found for batch in batches for found in batch) == found_in([DATA])
    assert [found.headline for batch in batches for found in batch][-2:] == [b"error: 3", b"error: last"]
    assert len(batches) == -(-len(DATA) // FAILURE_BLOCK_BYTES) + 1, "a caller can stop between any two blocks"


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.name)
def test_steps_through_a_log_lead_to_each_failure(path: object) -> None:
    data = next(text(each) for each in FAILED if each == path)
    expected = sorted(found.at for found in found_in([data]))
    assert [found.at for found in forward(data)] == expected
    assert [found.at for found in backward(data)] == expected


def test_steps_through_a_long_text() -> None:
    expected = [found.headline for found in found_in([DATA])]
    assert [found.headline for found in forward(DATA)] == expected
    assert [found.headline for found in backward(DATA)] == expected


def test_a_place_in_the_middle_of_a_failure() -> None:
    trace = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n'
    data = b"ok\n" * FAILURE_LEAD_BYTES + trace
    middle = data.index(b"File")
    found = next_failure(reader(data), len(data), middle)
    assert found is not None
    assert (found.start, found.headline) == (len(data) - len(trace), b"KeyError: 1")


def test_nothing_to_find() -> None:
    assert next_failure(reader(FILLER), len(FILLER), -1) is None
    assert previous_failure(reader(FILLER), len(FILLER), len(FILLER)) is None
    assert next_failure(reader(b""), 0, -1) is None


def test_lines_are_not_counted_where_the_beginning_was_not_read() -> None:
    found = next_failure(reader(DATA), len(DATA), 10)
    assert found is not None
    assert (found.first_line, found.last_line) == (None, None)


def test_a_search_can_be_stopped_between_blocks() -> None:
    asked: list[int] = []
    data = FILLER * 5

    def read(start: int, end: int) -> bytes:
        asked.append(start)
        return data[start:end]

    assert next_failure(read, len(data), -1, stop=lambda: len(asked) >= 2) is None
    assert len(asked) == 2
    assert previous_failure(read, len(data), len(data), stop=lambda: True) is None
