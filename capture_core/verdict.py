"""What may be said of a stream, and of its capture, at the end: complete, partial or failed, and why."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState

if TYPE_CHECKING:
    from capture_core.facts import StreamFacts


_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def fault(error: BaseException) -> CaptureReason:
    """What an error of the disk means for what is kept."""
    is_full = isinstance(error, OSError) and error.errno in _DISK_FULL
    return CaptureReason.DISK_FULL if is_full else CaptureReason.WRITE_ERROR


def stream_state(reason: CaptureReason | None, *, observed: int, retained: int) -> CaptureState:
    """Complete without a reason; failed when bytes came and none was kept; else partial."""
    if reason is None:
        return CaptureState.COMPLETE
    return CaptureState.FAILED if observed and not retained else CaptureState.PARTIAL


def verdict(streams: list[StreamFacts], first: CaptureReason | None) -> CaptureFacts:
    """The capture's own state from its streams': complete when all are; failed when nothing at all was kept.

    Of files that somebody deleted a reader would say the same: unavailable when all are gone, else damaged.
    """
    if all(stream.state is CaptureState.COMPLETE for stream in streams):
        return CaptureFacts(state=CaptureState.COMPLETE)
    lost = [stream for stream in streams if stream.state is CaptureState.UNAVAILABLE]
    if lost:
        if len(lost) == len(streams):
            return CaptureFacts(state=CaptureState.UNAVAILABLE, reason=CaptureReason.MISSING_FILE)
        return CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DAMAGED)
    reason = first or next(stream.reason for stream in streams if stream.reason is not None)
    printed = [stream for stream in streams if stream.observed]
    if printed and all(stream.state is CaptureState.FAILED for stream in printed):
        return CaptureFacts(state=CaptureState.FAILED, reason=reason)
    return CaptureFacts(state=CaptureState.PARTIAL, reason=reason)
