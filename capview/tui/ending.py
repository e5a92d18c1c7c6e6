"""What a log view says after the last byte of a stream: what was not kept, what came last, or that nothing came."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, ProcessState
from capview import present
from capview.tui.board import is_over
from capview.tui.log_model import Extent

if TYPE_CHECKING:
    from capture_core.source import Entry

_CUT = frozenset(
    {
        CaptureReason.QUOTA,
        CaptureReason.CONVERSATION_QUOTA,
        CaptureReason.DISK_FULL,
        CaptureReason.WRITE_ERROR,
        CaptureReason.WRITER_STALLED,
        CaptureReason.DRAIN_TIMEOUT,
        CaptureReason.OWNER_DIED,
    }
)
"""Reasons after which nothing more of the stream was kept."""

_LAST = "… what came last, outside the kept range:"


def extent(entry: Entry, stream: str, *, committed: int | None = None, last: str = "") -> Extent:
    """How long ``stream`` is, and what to say after it.

    ``committed``: its length, where a later one is known than the entry's.  ``last``: what came last of a stream
    that was cut; listings leave it out.
    """
    known = next((status.committed for status in entry.streams if status.name == stream), None)
    length = (known or 0) if committed is None else committed
    loss = _loss(entry, stream, missing=known is None)
    marked = f"… {loss}\n".encode() if loss else b""
    if marked and length and not entry.receipt.streams[stream].final_newline:
        marked = b"\n" + marked
    rest = f"{_LAST}\n{last}" if last else "" if length or loss else _nothing(entry, stream)
    return Extent(
        committed=length,
        trailer=marked + rest.encode("utf-8", "surrogateescape"),
        marked=len(marked),
        live=not is_over(entry),
    )


def _loss(entry: Entry, stream: str, *, missing: bool) -> str:
    facts = entry.receipt.streams[stream]
    capture = CaptureFacts(state=facts.state, reason=facts.reason)
    if capture.state is CaptureState.PENDING:
        capture = entry.capture
    match capture.state:
        case CaptureState.PENDING | CaptureState.COMPLETE:
            return "the file of this stream is missing" if missing and is_over(entry) else ""
        case CaptureState.PARTIAL | CaptureState.FAILED | CaptureState.DISABLED | CaptureState.UNAVAILABLE:
            words = present.log_words(capture, replace(entry.receipt, preview={}))
            return f"{words}: the rest was not kept" if capture.reason in _CUT else words


def _nothing(entry: Entry, stream: str) -> str:
    if is_over(entry):
        return f"(nothing came on {stream})"
    buffered = "; a program may hold its output back until it is done"
    return f"(waiting for output{buffered if entry.process.state is ProcessState.RUNNING else ''})"
