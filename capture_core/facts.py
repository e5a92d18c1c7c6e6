"""The closed sets of states and the frozen records of a receipt: four independent facts and their counters.

The tables are those of the format page (``capview/docs/format.md``).  Process, capture, representation and
preview are independent: a failed command can have a complete log, and an ok one a cut log.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 — decoders resolve the annotations
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from capture_core.record import Record

SCHEMA = 1

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ProcessState(StrEnum):
    """What became of the child."""

    RUNNING = "running"
    EXITED = "exited"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    NONE = "none"
    """There was no process: a saved text, or ``tee``."""
    UNKNOWN = "unknown"
    """Nobody observed the end.  Derived by readers, never stored."""


class EndReason(StrEnum):
    """Why a process was ended, where somebody ended it."""

    USER = "user"
    TIMEOUT = "timeout"
    MAX_OUTPUT = "max-output"
    MEMORY_LIMIT = "memory-limit"
    HANGUP = "hangup"


class CaptureState(StrEnum):
    """How much of what was printed was kept."""

    PENDING = "pending"
    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"
    DISABLED = "disabled"
    UNAVAILABLE = "unavailable"


class CaptureReason(StrEnum):
    """Why a capture is not complete; the first that happened."""

    FINALIZING = "finalizing"
    QUOTA = "quota"
    CONVERSATION_QUOTA = "conversation-quota"
    DISK_FULL = "disk-full"
    WRITE_ERROR = "write-error"
    WRITER_STALLED = "writer-stalled"
    DRAIN_TIMEOUT = "drain-timeout"
    OWNER_DIED = "owner-died"
    UPSTREAM_TRUNCATED = "upstream-truncated"
    UPSTREAM_UNKNOWN = "upstream-unknown"
    UNDECIDABLE_OMITTED = "undecidable-omitted"
    BINARY_OMITTED = "binary-omitted"
    DAMAGED = "damaged"
    BY_OPTION = "by-option"
    SUPPRESSED_BY_SOURCE = "suppressed-by-source"
    NEEDS_TRANSFER = "needs-transfer"
    NO_CONVERSATION = "no-conversation"
    PLATFORM = "platform"
    MISSING_FILE = "missing-file"


class RepresentationKind(StrEnum):
    """What the committed bytes are."""

    REDACTED_UTF8 = "redacted-utf8"
    DECODED_UTF8 = "decoded-utf8"
    BINARY = "binary"


class StreamName(StrEnum):
    """Which pipe, or what else, a stream came from."""

    STDOUT = "stdout"
    STDERR = "stderr"
    OUTPUT = "output"
    """One pseudo-terminal or one pipe carried both: the only case in which their order is known."""
    CONTENT = "content"


class SidecarKind(StrEnum):
    """What is kept beside a stream's text; the values end the files' names."""

    SGR = "sgr"
    """Where styles begin."""
    TIMES = "times"
    """When text arrived."""


class SidecarState(StrEnum):
    """Whether a sidecar speaks of all committed text."""

    WHOLE = "whole"
    FULL = "full"
    """Its share of the limit was used up."""
    FAILED = "failed"
    """The disk did not take it."""


class Liveness(StrEnum):
    """What a reader can prove about the owner of a capture.  Derived, never stored."""

    FINAL = "final"
    """The final receipt is there."""
    LIVE = "live"
    """The owner holds its lock."""
    OWNER_DIED = "owner-died"
    UNKNOWN = "unknown"
    """Another host wrote it, or locks say nothing here."""


class UpstreamKind(StrEnum):
    """What had been cut from a text before it was given to be saved."""

    NONE = "none"
    HEAD_KEPT = "head-kept"
    TAIL_KEPT = "tail-kept"
    CLIPPED = "clipped"
    """Its middle is missing, or nobody says which part."""
    UNKNOWN = "unknown"
    """Perhaps something, perhaps nothing."""


class RequestKind(StrEnum):
    """What a reader may ask of an owner."""

    CANCEL = "cancel"
    PROMOTE = "promote"


class Producer(Record):
    """Who made a capture: the adapter, its version, and what kind of source it read."""

    adapter: str
    version: str
    source: str


class EndedBy(Record):
    """Why somebody ended the process, with the words given (sanitised)."""

    kind: EndReason
    words: str = ""


class OtherProcess(Record):
    """A process beside the child: its id, and its name as it gives it, masked and bounded."""

    pid: int
    name: str


class ProcessFacts(Record):
    """State and observed status of the child.  ``exit_code`` is null when a signal ended it or nobody knows."""

    state: ProcessState
    pid: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    reason: EndedBy | None = None
    survivors: tuple[OtherProcess, ...] | None = None
    """Processes of the job that were still there after it had been ended, as far as they were seen: those that had
    gone into a session of their own, or could not be killed.  ``None``: nobody ended it, or the OS does not tell."""


class CaptureFacts(Record):
    """How much was kept, and the first reason why not all."""

    state: CaptureState
    reason: CaptureReason | None = None


class Upstream(Record):
    """What is said of a text that was given to be saved: how it had been cut before, and at which limit.

    ``unit`` is what ``limit`` counts, one of :data:`capture_core.upstream.UNITS`; both are ``None`` when unknown.
    """

    kind: UpstreamKind
    limit: int | None = None
    unit: str | None = None


class RepresentationFacts(Record):
    """What the bytes are and what was done to them."""

    kind: RepresentationKind = RepresentationKind.REDACTED_UTF8
    transforms: tuple[str, ...] = ()
    redactions: Mapping[str, int] = _NOTHING
    replaced_bytes: int | None = 0
    stripped_bytes: int | None = 0
    omitted_fragments: int | None = 0
    unmasked_values: tuple[str, ...] = ()
    """Names of values that were to be masked and could not be: too short, too long, a common word, or not secret."""


class SidecarFacts(Record):
    """One sidecar of a stream: ``file`` is ``None`` when none could be made, ``retained`` its bytes.

    ``end`` is the offset in the text from which on it says nothing; ``None`` while it is whole.
    """

    file: str | None
    state: SidecarState
    retained: int
    records: int
    end: int | None = None


class StreamFacts(Record):
    """Counters of one stream, in bytes.  Unknown is ``None``, never 0 and never inferred.

    Raw bytes: ``observed == accepted + pending + discarded``.  Representation bytes: ``retained`` were
    committed to ``file`` as the range ``start:end``; ``uncommitted`` were made and not written.
    """

    file: str
    state: CaptureState = CaptureState.PENDING
    reason: CaptureReason | None = None
    observed: int | None = 0
    accepted: int | None = 0
    pending: int | None = 0
    discarded: int | None = 0
    retained: int | None = 0
    uncommitted: int | None = 0
    start: int = 0
    end: int | None = None
    eof: bool = False
    generation: int = 1
    adopted_at: int | None = None
    lines: int | None = None
    final_newline: bool | None = None
    sha256: str | None = None
    held_by: tuple[OtherProcess, ...] | None = None
    """Processes that held the stream open when it was given up, as far as they were seen: other users' are not.
    ``None``: it was read to its end, or nobody could look in time."""
    sidecars: Mapping[str, SidecarFacts] = _NOTHING


class AllowanceState(StrEnum):
    """How it was known what the conversation's captures retain together."""

    COUNTED = "counted"
    """All owners counted in one tally."""
    SCANNED = "scanned"
    """There could be no tally: the files were counted, so that captures at the same time may have gone beyond."""
    HELD_UP = "held-up"
    """The tally was held by somebody who did not go on; nothing more was retained."""
    CROWDED = "crowded"
    """Too many captures wrote at the same time; nothing was retained."""
    UNCOUNTED = "uncounted"
    """The files could not even be counted; nothing more was retained."""


class AllowanceFacts(Record):
    """What the conversation's captures may retain together, and what they did when this one was over, in bytes.

    ``raised_from`` is the setting where this capture's own limit, given for it, raised that to what the others
    had retained and as much again as was asked for.
    """

    state: AllowanceState
    limit_bytes: int
    used_bytes: int | None = None
    raised_from: int | None = None


class ByteRange(Record):
    """Committed representation bytes ``start:end`` of a stream."""

    start: int
    end: int


class PreviewFacts(Record):
    """Which ranges a preview shows; ``tail_text`` holds what came last after a cut, outside the retained range."""

    head: ByteRange
    tail: ByteRange | None = None
    returned_bytes: int
    omitted_bytes: int
    tail_text: str | None = None


class TimeFacts(Record):
    """RFC 3339 times in UTC; the duration is measured on a monotonic clock."""

    started: str
    ended: str | None = None
    duration_seconds: float | None = None


class ResourceFacts(Record):
    """CPU time and peak memory of the child and what it waited for, where the OS tells."""

    user_seconds: float | None = None
    system_seconds: float | None = None
    peak_rss_bytes: int | None = None


class Receipt(Record):
    """One capture's facts, live or final; what ``<capture-id>.live.json`` and ``<capture-id>.json`` hold."""

    schema: int = SCHEMA
    capture_id: str
    tool: str
    ref: str
    conversation: str
    producer: Producer
    host: str
    boot_id: str | None
    process: ProcessFacts
    capture: CaptureFacts
    representation: RepresentationFacts
    streams: dict[str, StreamFacts]
    times: TimeFacts
    preview: Mapping[str, PreviewFacts] = _NOTHING
    resources: ResourceFacts | None = None
    limit_bytes: int | None = None
    allowance: AllowanceFacts | None = None
    """``None`` where nothing was retained, so that nobody asked."""
    label: str | None = None
    call_id: str | None = None
    job_id: str | None = None
    upstream: Upstream | None = None
    """Of a saved text; ``None`` where the capture read its source itself."""
