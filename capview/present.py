"""Facts in words, glyphs and tones: the one place that the command line, the UI and HTTP take them from.

Pure: times are compared with a ``now`` that the caller gives, in seconds since the epoch.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from capture_core import phrases
from capture_core.clock import moment as moment  # noqa: PLC0414 — as below
from capture_core.facts import CaptureState, EndReason, Liveness, ProcessState
from capture_core.phrases import signal_name as signal_name  # noqa: PLC0414
from capture_core.record import NamedTuple
from capview import room
from capview.escaping import safe as safe  # noqa: PLC0414 — who takes words from here takes this too
from capview.escaping import safe_body as safe_body  # noqa: PLC0414
from capview.units import UNKNOWN as UNKNOWN  # noqa: PLC0414
from capview.units import size as size  # noqa: PLC0414

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.facts import CaptureFacts, EndedBy, ProcessFacts, Receipt, Upstream
    from capture_core.source import Entry


class Tone(StrEnum):
    """What a state means to somebody who looks over many of them."""

    BUSY = "busy"
    GOOD = "good"
    BAD = "bad"
    DOUBTFUL = "doubtful"
    QUIET = "quiet"


COLOURS: Final = {
    Tone.BUSY: "cyan",
    Tone.GOOD: "green",
    Tone.BAD: "red",
    Tone.DOUBTFUL: "yellow",
    Tone.QUIET: "bright_black",
}
"""A terminal's own colours, so that they fit its theme."""


class Look(NamedTuple):
    """How a state is shown: one narrow glyph, a word or few, a tone."""

    glyph: str
    words: str
    tone: Tone


def state(entry: Entry) -> Look:
    """The state of a capture's process."""
    return process_look(entry.process, entry.liveness)


def process_look(process: ProcessFacts, liveness: Liveness = Liveness.FINAL) -> Look:
    """The state of a process whose capture is final, or of this liveness."""
    words = phrases.process(process)
    match process.state:
        case ProcessState.RUNNING:
            if liveness is Liveness.UNKNOWN:
                return Look(glyph="?", words=f"{words}, as far as known", tone=Tone.DOUBTFUL)
            return Look(glyph="●", words=words, tone=Tone.BUSY)
        case ProcessState.EXITED:
            return _exited(process, words)
        case ProcessState.CANCELLED:
            return Look(glyph="⊘", words=words, tone=Tone.DOUBTFUL)
        case ProcessState.TIMEOUT:
            return Look(glyph="⊘", words=words, tone=Tone.BAD)
        case ProcessState.NONE:
            if liveness is Liveness.LIVE:
                return Look(glyph="●", words="receiving", tone=Tone.BUSY)
            return Look(glyph="▪", words=words, tone=Tone.QUIET)
        case ProcessState.UNKNOWN:
            return Look(glyph="?", words=words, tone=Tone.DOUBTFUL)


def log(entry: Entry) -> Look:
    """The state of a capture's log."""
    capture = entry.capture
    words = log_words(capture, entry.receipt)
    match capture.state:
        case CaptureState.PENDING:
            return Look(glyph="…", words=words, tone=Tone.QUIET)
        case CaptureState.COMPLETE:
            return Look(glyph="✓", words=words, tone=Tone.QUIET)
        case CaptureState.PARTIAL:
            return Look(glyph="✂", words=words, tone=Tone.DOUBTFUL)
        case CaptureState.FAILED:
            return Look(glyph="✗", words=words, tone=Tone.BAD)
        case CaptureState.DISABLED | CaptureState.UNAVAILABLE:
            return Look(glyph=UNKNOWN, words=words, tone=Tone.DOUBTFUL)


def summary(entry: Entry) -> str:
    """Both in one line: ``failed, log complete``; ``ok, log cut at 32 MiB, its end kept``."""
    return f"{state(entry).words}, {log(entry).words}"


def log_words(capture: CaptureFacts, receipt: Receipt) -> str:
    """How much of what was printed was kept, and why not all."""
    return phrases.log(capture, receipt)


def exit_words(process: ProcessFacts) -> str:
    """The exit code, or the signal's name, or that neither is known."""
    if process.exit_code is not None:
        return str(process.exit_code)
    return UNKNOWN if process.signal is None else signal_name(process.signal)


def receipt_line(receipt: Receipt) -> str:
    """A finished run in one line: ``failed (exit code 3), log complete: tool-outputs/shell/…``.

    It says how to keep more where a limit cut the log, or soon will.
    """
    process = receipt.process
    look = process_look(process)
    details = ", ".join(_details(process, is_told=look.words == "ok"))
    log = "; ".join((log_words(receipt.capture, receipt), *room.advice(receipt)))
    return f"{look.words}{f' ({details})' if details else ''}, {log}: {receipt.ref}"


def _details(process: ProcessFacts, *, is_told: bool) -> Iterator[str]:
    if process.exit_code is not None and not is_told:
        yield f"exit code {process.exit_code}"
    if process.signal is not None and process.state is not ProcessState.EXITED:
        yield signal_name(process.signal)
    if process.reason is not None:
        yield _ended_by(process.reason)
    if words := phrases.survivors(process):
        yield words


def process_words(process: ProcessFacts) -> str:
    """A process's end in one line, for a receipt: state, code or signal, and who ended it with which words."""
    parts: list[str] = [process.state]
    if process.exit_code is not None:
        parts.append(f"exit code {process.exit_code}")
    if process.signal is not None:
        parts.append(f"signal {signal_name(process.signal)}")
    if process.reason is not None:
        parts.append(_ended_by(process.reason))
    if words := phrases.survivors(process):
        parts.append(words)
    return ", ".join(parts)


def _ended_by(reason: EndedBy) -> str:
    """``asked for`` alone reads as if its end were missing."""
    return "on request" if reason.kind is EndReason.USER and not reason.words else phrases.ended_by(reason)


def _exited(process: ProcessFacts, words: str) -> Look:
    if process.signal is not None:
        return Look(glyph="✗", words=words, tone=Tone.BAD)
    if process.exit_code is None:
        return Look(glyph="?", words=words, tone=Tone.DOUBTFUL)
    if process.exit_code == 0:
        return Look(glyph="✓", words=words, tone=Tone.GOOD)
    return Look(glyph="✗", words=words, tone=Tone.BAD)


def upstream_words(upstream: Upstream) -> str:
    """What is said of a saved text: ``cut before it came here, its head kept (10 pages)``."""
    return phrases.upstream(upstream)


def duration(seconds: float | None) -> str:
    """``0.4 s``, ``12.3 s``, ``3 min 20 s``, ``2 h 5 min``, ``4 d 3 h``; the dash when unknown."""
    if seconds is None:
        return UNKNOWN
    if round(seconds, 1) < 60:  # noqa: PLR2004
        return f"{max(seconds, 0):.1f} s"
    whole = round(seconds)
    if whole < 3600:  # noqa: PLR2004
        return _pair(whole, 60, "min", "s")
    if whole < 86_400:  # noqa: PLR2004
        return _pair(whole // 60, 60, "h", "min")
    return _pair(whole // 3600, 24, "d", "h")


def _pair(count: int, each: int, large: str, small: str) -> str:
    whole, rest = divmod(count, each)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"


def age(moment: float | None, now: float) -> str:
    """How long ago: ``now``, ``40 s``, ``3 min``, ``2 h``, ``4 d``; the dash when unknown."""
    if moment is None:
        return UNKNOWN
    seconds = now - moment
    if seconds < 1:
        return "now"
    for unit, each, limit in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 86_400)):
        if seconds < limit:
            return f"{int(seconds // each)} {unit}"
    return f"{int(seconds // 86_400)} d"


def elapsed(entry: Entry, now: float) -> float | None:
    """How long the process ran, or has been running; seconds."""
    times = entry.receipt.times
    if times.duration_seconds is not None:
        return times.duration_seconds
    started = moment(times.started)
    if started is None or entry.liveness is not Liveness.LIVE:
        return None
    return max(0.0, now - started)


def committed(entry: Entry) -> int | None:
    """Readable bytes of all streams together; ``None`` when no file of them is there."""
    known = [stream.committed for stream in entry.streams if stream.committed is not None]
    return sum(known) if known else None


def short_id(capture: str) -> str:
    """The first eight of a capture id's random characters: enough to name it by in its conversation."""
    return capture.partition("-")[2][:8]
