"""Likely failures of a stream, in order or next to a place, whatever its length.

``read(start, end)`` gives exactly the bytes of that range, as :meth:`StreamReader.read` does, so that a file, a remote
stream and a test's bytes are the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.failures.scan import FailureScan
from capture_core.limits.failures import FAILURE_BLOCK_BYTES, FAILURE_LEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.failures.finding import Finding
    from capture_core.lines import Read


def failures(read: Read, start: int, end: int, *, first_line: int | None = 1) -> Iterator[tuple[Finding, ...]]:
    """Look through ``start:end``; give what each block that was read told, so that a caller can stop between.

    ``start`` is where a line starts, ``first_line`` its number, if known.  Raises ``EngineUnavailable``, and what
    ``read`` does.
    """
    scan = FailureScan(start=start, first_line=first_line)
    position = start
    while position < end:
        block = read(position, min(position + FAILURE_BLOCK_BYTES, end))
        if not block:
            break
        position += len(block)
        yield scan.feed(block)
    yield scan.finish()


def next_failure(read: Read, end: int, after: int, *, stop: Callable[[], bool] = lambda: False) -> Finding | None:
    """Find the first failure whose headline begins behind ``after``; ``None``: there is none, or ``stop`` said so.

    For a view that goes from one to the next: what lies more than ``FAILURE_LEAD_BYTES`` before ``after`` is not looked
    at, so that lines are not counted, and a failure that is longer may be seen as more than one.
    """
    for batch in failures(read, _lead_in(read, after), end, first_line=None):
        found = min((each for each in batch if each.at > after), key=_place, default=None)
        if found is not None or stop():
            return found
    return None


def previous_failure(read: Read, end: int, before: int, *, stop: Callable[[], bool] = lambda: False) -> Finding | None:
    """Find the last failure whose headline begins before ``before``, as :func:`next_failure` finds the next."""
    high, size = min(before, end), FAILURE_BLOCK_BYTES
    while high > 0 and not stop():
        low = max(0, high - size)
        found = _last_within(read, end, low, high)
        if found is not None:
            return found
        high, size = low, size * 2
    return None


def _last_within(read: Read, end: int, low: int, high: int) -> Finding | None:
    """The last failure whose headline begins in ``low:high``."""
    last: Finding | None = None
    stretch = failures(read, _lead_in(read, low), min(end, high + FAILURE_LEAD_BYTES), first_line=None)
    for batch in stretch:
        within = (each for each in batch if low <= each.at < high)
        last = max(within, key=_place, default=last) if last is None else max((last, *within), key=_place)
    return last


def _lead_in(read: Read, place: int) -> int:
    """Where a line starts, far enough before ``place``; in the middle of one that is longer than that."""
    low = max(0, place - FAILURE_LEAD_BYTES)
    if low == 0:
        return 0
    return low + read(low, place).find(b"\n") + 1


def _place(found: Finding) -> int:
    return found.at
