"""Facts of a process and of what was kept, in words: the one place, for people, scripts and models alike.

Pure.  Glyphs and tones are :mod:`capview.present`'s, which has its words from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.escaping import safe
from capture_core.facts import AllowanceState, CaptureReason, CaptureState, EndReason, ProcessState, UpstreamKind
from capture_core.units import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.facts import CaptureFacts, EndedBy, OtherProcess, ProcessFacts, Receipt, Upstream


def process(facts: ProcessFacts) -> str:
    """What became of a process, in a word or few: ``ok``, ``failed``, ``killed by SIGKILL``, ``timed out``."""
    match facts.state:
        case ProcessState.RUNNING:
            return "running"
        case ProcessState.EXITED:
            return _exited(facts)
        case ProcessState.CANCELLED:
            return "cancelled"
        case ProcessState.TIMEOUT:
            return "timed out"
        case ProcessState.NONE:
            return "saved"
        case ProcessState.UNKNOWN:
            return "end unknown"


def outcome(facts: ProcessFacts) -> str:
    """The same with what was observed: ``exit 0``, ``exit 3``, ``cancelled, exit 143``, ``timed out, SIGKILL``."""
    match facts.state:
        case ProcessState.EXITED:
            return _exited(facts) if facts.exit_code is None else f"exit {facts.exit_code}"
        case ProcessState.CANCELLED | ProcessState.TIMEOUT:
            return f"{process(facts)}, {_observed(facts)}"
        case ProcessState.RUNNING | ProcessState.NONE | ProcessState.UNKNOWN:
            return process(facts)


def has_failed(facts: ProcessFacts) -> bool:
    """Whether a process ended otherwise than well, or nobody knows how."""
    match facts.state:
        case ProcessState.RUNNING | ProcessState.NONE:
            return False
        case ProcessState.EXITED:
            return facts.exit_code != 0
        case ProcessState.CANCELLED | ProcessState.TIMEOUT | ProcessState.UNKNOWN:
            return True


def log(capture: CaptureFacts, receipt: Receipt) -> str:
    """How much of what was printed was kept, and why not all."""
    match capture.state:
        case CaptureState.PENDING:
            is_ending = capture.reason is CaptureReason.FINALIZING
            return "log being finished" if is_ending else "log growing"
        case CaptureState.COMPLETE:
            return "log complete"
        case CaptureState.PARTIAL:
            return f"log {shortfall(capture, receipt)}{_kept_end(receipt)}"
        case CaptureState.FAILED:
            return f"no log: {allowance(receipt, capture.reason) or _why(capture)}"
        case CaptureState.DISABLED:
            return f"not captured: {_why(capture)}"
        case CaptureState.UNAVAILABLE:
            return f"log unavailable: {_why(capture)}"


def shortfall(capture: CaptureFacts, receipt: Receipt) -> str:
    """What a partial log, or one stream of it, lacks: ``cut at 32 MiB``, ``lacks binary parts``."""
    if capture.reason is CaptureReason.QUOTA and receipt.limit_bytes is not None:
        return f"cut at {size(receipt.limit_bytes)}"
    if words := allowance(receipt, capture.reason):
        return _CUT + words
    if capture.reason is CaptureReason.DRAIN_TIMEOUT and (found := _holders(receipt)):
        return f"{_CUT}{others(found)} kept its pipe open"
    return "partial" if capture.reason is None else _REASONS[capture.reason]


def allowance(receipt: Receipt, found: CaptureReason | None) -> str | None:
    """Why nothing more was kept, where it was the conversation's allowance."""
    if found is not CaptureReason.CONVERSATION_QUOTA or receipt.allowance is None:
        return None
    return _ALLOWANCE[receipt.allowance.state]


def others(found: Sequence[OtherProcess], at_most: int = 2) -> str:
    """Processes by what they call themselves and their ids: ``sleep (4711), sh (4712) and 3 more``."""
    names = [f"{safe(process.name)} ({process.pid})" for process in found[:at_most]]
    if len(found) > at_most:
        names.append(f"{len(found) - at_most} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def survivors(facts: ProcessFacts) -> str | None:
    """Who was still there after the job had been ended; ``None``: nobody was seen."""
    return f"still running: {others(facts.survivors)}" if facts.survivors else None


def _holders(receipt: Receipt) -> list[OtherProcess]:
    found = {process.pid: process for stream in receipt.streams.values() for process in stream.held_by or ()}
    return [found[pid] for pid in sorted(found)]


def ended_by(reason: EndedBy) -> str:
    """Who ended a process, with the words given."""
    return f"{_ENDED_BY[reason.kind]}: {safe(reason.words)}" if reason.words else _ENDED_BY[reason.kind]


def upstream(said: Upstream) -> str:
    """What is said of a saved text: ``cut before it came here, its head kept (10 pages)``."""
    words = _UPSTREAM[said.kind]
    return words if said.limit is None else f"{words} ({said.limit} {safe(said.unit or '')})"


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9, ``signal 99`` for what has no name."""
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _exited(facts: ProcessFacts) -> str:
    if facts.signal is not None:
        return f"killed by {signal_name(facts.signal)}"
    if facts.exit_code is None:
        return "ended, exit unknown"
    return "ok" if facts.exit_code == 0 else "failed"


def _observed(facts: ProcessFacts) -> str:
    if facts.exit_code is not None:
        return f"exit {facts.exit_code}"
    return "exit unknown" if facts.signal is None else signal_name(facts.signal)


def _why(capture: CaptureFacts) -> str:
    return "reason unknown" if capture.reason is None else _REASONS[capture.reason].removeprefix(_CUT)


def _kept_end(receipt: Receipt) -> str:
    is_kept = any(preview.tail_text is not None for preview in receipt.preview.values())
    return ", its end kept" if is_kept else ""


_ENDED_BY: Final = {
    EndReason.USER: "asked for",
    EndReason.TIMEOUT: "time limit",
    EndReason.MAX_OUTPUT: "too much output",
    EndReason.MEMORY_LIMIT: "memory limit",
    EndReason.HANGUP: "terminal hung up",
}
_CUT: Final = "cut: "
_REASONS: Final = {
    CaptureReason.FINALIZING: "being finished",
    CaptureReason.QUOTA: _CUT + "its limit is used up",
    CaptureReason.CONVERSATION_QUOTA: _CUT + "the conversation's allowance is used up",
    CaptureReason.DISK_FULL: _CUT + "disk full",
    CaptureReason.WRITE_ERROR: _CUT + "a write failed",
    CaptureReason.WRITER_STALLED: _CUT + "the disk was too slow",
    CaptureReason.DRAIN_TIMEOUT: _CUT + "something kept its pipe open",
    CaptureReason.OWNER_DIED: _CUT + "its owner died",
    CaptureReason.UPSTREAM_TRUNCATED: "cut before it came here",
    CaptureReason.UPSTREAM_UNKNOWN: "perhaps cut before it came here",
    CaptureReason.UNDECIDABLE_OMITTED: "lacks undecidable parts",
    CaptureReason.BINARY_OMITTED: "lacks binary parts",
    CaptureReason.DAMAGED: "damaged",
    CaptureReason.BY_OPTION: "by option",
    CaptureReason.SUPPRESSED_BY_SOURCE: "suppressed by its source",
    CaptureReason.NEEDS_TRANSFER: "it is on another machine",
    CaptureReason.NO_CONVERSATION: "no conversation to keep it in",
    CaptureReason.PLATFORM: "not possible on this platform",
    CaptureReason.MISSING_FILE: "its file is missing",
}
_ALLOWANCE: Final = {
    AllowanceState.COUNTED: "the conversation's allowance is used up",
    AllowanceState.SCANNED: "the conversation's allowance is used up",
    AllowanceState.HELD_UP: "nobody could count what the conversation keeps",
    AllowanceState.CROWDED: "too many captures wrote in the conversation at once",
    AllowanceState.UNCOUNTED: "the system did not let capview count what the conversation keeps",
}
_UPSTREAM: Final = {
    UpstreamKind.NONE: "given as whole",
    UpstreamKind.HEAD_KEPT: "cut before it came here, its head kept",
    UpstreamKind.TAIL_KEPT: "cut before it came here, its tail kept",
    UpstreamKind.CLIPPED: "cut before it came here, nobody says where",
    UpstreamKind.UNKNOWN: "perhaps cut before it came here",
}
