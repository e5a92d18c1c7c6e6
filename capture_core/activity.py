"""What a running job seems to be doing, by its output and the OS: derived, at times a guess, never evidence."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from capture_core.facts import CaptureReason, Liveness, ProcessState, RepresentationKind
from capture_core.limits.reading import BUFFERING_SECONDS, PROMPT_SECONDS, SILENT_SECONDS
from capture_core.progress import Progress, find, read_line
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.source import Entry, StreamStatus

_BREAK: Final = re.compile(r"[\r\n]")
_PROMPT: Final = re.compile(
    r"[?:>\u00bb\u276f]$"
    r"|[\[(][^\[\]()]{0,20}\b(?:[yY](?:es)?/[nN]o?|[nN]o?/[yY](?:es)?)\b[^\[\]()]{0,20}[\])]$"
    r"|^[\w.@~/:\[\] -]{0,60}[$#]$"
    r"|\[[^\[\]]{1,60}\]:?$"
    r"|(?i:press|hit) .{0,40}(?i:enter|return|any key|key).{0,40}$"
)
"""How a question ends: of a shell, a debugger, an installer."""
_LINE_CHARS: Final = 240


class Waits(StrEnum):
    """Why a job seems to wait for somebody to type."""

    READS = "reads"
    """The OS says that one of its processes sleeps in a read of a terminal."""
    ASKS = "asks"
    """Its last line is unfinished, looks like a question, and nothing came after it."""


class Said(NamedTuple):
    """What the end of a stream says."""

    progress: Progress | None = None
    is_unfinished: bool = True
    """Whether it ends within a line; so does a stream to which nothing was printed yet."""
    asks: bool = False
    """Whether its last, unfinished line looks like a question."""


NOTHING_SAID: Final = Said()


class Asked(NamedTuple):
    """What the OS says of a job's processes; ``None`` where it does not tell."""

    reads: bool | None = None
    """Whether one sleeps in a read of a terminal."""
    hears: bool | None = None
    """Whether somebody could type to it: not where its stdin is closed, a file or ``/dev/null``."""
    is_stopped: bool | None = None
    buffers: bool | None = None
    """Whether one that works prints on a pipe, and is none that is known to print at once."""


NOT_ASKED: Final = Asked()


class Activity(NamedTuple):
    """What a running job seems to be doing; ``silent_seconds`` where it has printed nothing for long."""

    progress: Progress | None = None
    silent_seconds: float | None = None
    waits: Waits | None = None
    may_be_buffering: bool = False


def is_active(entry: Entry) -> bool:
    """Whether there is anything to tell: its owner lives, and nobody has seen its end."""
    return (
        entry.liveness is Liveness.LIVE
        and entry.process.state in (ProcessState.RUNNING, ProcessState.NONE)
        and entry.capture.reason is not CaptureReason.FINALIZING
    )


def newest_first(entry: Entry) -> tuple[StreamStatus, ...]:
    """The streams that hold text, the one that was written last first."""
    if entry.receipt.representation.kind is RepresentationKind.BINARY:
        return ()
    filled = [status for status in entry.streams if status.committed]
    return tuple(sorted(filled, key=lambda status: status.modified or 0.0, reverse=True))


def read_end(data: bytes, *, is_cut: bool) -> Said:
    """Read the end of one stream; ``is_cut``: there is more before it."""
    text = data.decode(errors="replace")
    line = _BREAK.split(text)[-1]
    asks = len(line) <= _LINE_CHARS and bool(_PROMPT.search(line.rstrip())) and read_line(line) is None
    return Said(progress=find(text, is_cut=is_cut), is_unfinished=bool(line.strip()), asks=asks)


def together(ends: tuple[Said, ...]) -> Said:
    """What the streams say together, the newest first: its own last line, and the newest progress of any."""
    if not ends:
        return NOTHING_SAID
    return ends[0]._replace(progress=next((said.progress for said in ends if said.progress), None))


def is_to_be_asked(said: Said, silent_seconds: float) -> bool:
    """Whether it is worth asking the OS what its processes do."""
    return silent_seconds >= (PROMPT_SECONDS if said.is_unfinished else BUFFERING_SECONDS)


def judge(entry: Entry, said: Said, silent_seconds: float, asked: Asked = NOT_ASKED) -> Activity:
    """Put it together with what the OS says."""
    waits = _waits(said, silent_seconds, asked)
    may_be_buffering = waits is None and silent_seconds >= BUFFERING_SECONDS and _may_buffer(entry, asked)
    silent = silent_seconds if silent_seconds >= SILENT_SECONDS else None
    return Activity(said.progress, silent, waits, may_be_buffering)


def _waits(said: Said, silent_seconds: float, asked: Asked) -> Waits | None:
    if silent_seconds < PROMPT_SECONDS or asked.is_stopped:
        return None
    if asked.reads:
        return Waits.READS
    return Waits.ASKS if said.asks and asked.hears is not False else None


def _may_buffer(entry: Entry, asked: Asked) -> bool:
    """Of what is piped through nobody knows more than that it comes through a pipe."""
    if entry.process.state is ProcessState.NONE:
        return True
    return bool(asked.buffers) and not asked.is_stopped
