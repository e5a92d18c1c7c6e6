"""What a reader concludes from a receipt, the owner's liveness and the files' own lengths; pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, Liveness, ProcessFacts, ProcessState
from capture_core.limits.sanitising import MOST_TORN_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.facts import Receipt, StreamFacts
    from capture_core.source import StreamStatus

_KEPT = frozenset({CaptureState.PENDING, CaptureState.COMPLETE, CaptureState.PARTIAL})
"""States in which there are files to speak of."""

_CONTINUATION, _LEAD_OF_TWO, _LEAD_OF_THREE, _LEAD_OF_FOUR, _NO_LEAD = 0x80, 0xC0, 0xE0, 0xF0, 0xF5
"""The least bytes of UTF-8 that continue a code point, that begin one of so many, and that begin none (RFC 3629)."""


def process(receipt: Receipt, liveness: Liveness) -> ProcessFacts:
    """The child's state: what nobody observed before the owner died is ``unknown``, never 0."""
    if liveness is Liveness.OWNER_DIED and receipt.process.state is ProcessState.RUNNING:
        return replace(receipt.process, state=ProcessState.UNKNOWN, exit_code=None, signal=None)
    return receipt.process


def capture(receipt: Receipt, liveness: Liveness, streams: Sequence[StreamStatus]) -> CaptureFacts:
    """The capture's state: a dead owner's is ``partial/owner-died``; a file that lacks bytes is damaged."""
    stated = receipt.capture
    if stated.state not in _KEPT:
        return stated
    if receipt.streams and all(stream.committed is None for stream in streams):
        return CaptureFacts(state=CaptureState.UNAVAILABLE, reason=CaptureReason.MISSING_FILE)
    match liveness:
        case Liveness.OWNER_DIED:
            return CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.OWNER_DIED)
        case Liveness.FINAL:
            return _final(receipt, streams)
        case Liveness.LIVE | Liveness.UNKNOWN:
            return stated


def readable_end(facts: StreamFacts, size: int, liveness: Liveness) -> int:
    """Where committed text ends in a file of ``size`` bytes.

    A file's length is its committed length, but for a stream that was cut or has ended: a write that failed
    may have left half a code point behind, and the receipt's ``end`` says where the last whole one ended.
    """
    is_open = facts.state is CaptureState.PENDING and facts.reason is None
    if facts.end is None or (is_open and liveness is not Liveness.FINAL):
        return size
    return min(size, facts.end)


def torn(tail: bytes) -> int:
    """How many bytes at the end of ``tail`` begin a code point that does not end there: 0 to ``MOST_TORN_BYTES``.

    A write that is under way, or that SIGKILL ended, may have put them there; they were never committed.
    """
    for size in range(1, min(MOST_TORN_BYTES, len(tail)) + 1):
        byte = tail[-size]
        if byte >= _LEAD_OF_TWO:
            needed = 2 + (byte >= _LEAD_OF_THREE) + (byte >= _LEAD_OF_FOUR)
            return size if size < needed and byte < _NO_LEAD else 0
        if byte < _CONTINUATION:
            return 0
    return 0


def _final(receipt: Receipt, streams: Sequence[StreamStatus]) -> CaptureFacts:
    for status in streams:
        end = receipt.streams[status.name].end
        if status.committed is None or (end is not None and status.committed < end):
            return CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DAMAGED)
    if receipt.capture.state is CaptureState.PENDING:
        # Final by its name and pending by its word: the word is what a crash or a stranger left behind.
        return CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DAMAGED)
    return receipt.capture
