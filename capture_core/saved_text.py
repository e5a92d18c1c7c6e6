"""A finished text, made a capture of its own: the same files, stages and order as a job's, without a child.

Whoever gives the text waits for the disk; nothing is queued, and nobody else has to go on meanwhile.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Final, NoReturn

from capture_core import upstream
from capture_core.capture import Capture
from capture_core.errors import EngineUnavailable, SourceFailed
from capture_core.facts import CaptureReason, ProcessState, StreamName
from capture_core.handoff import ReaderCounts
from capture_core.identity import Identity, admit
from capture_core.limits import LimitFrom
from capture_core.record import NamedTuple
from capture_core.text_source import pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from capture_core.facts import Producer, Receipt, Upstream
    from capture_core.limits import Limits
    from capture_core.stage import Masking
    from capture_core.text_source import Given

_AT_ONCE: Final = nullcontext()


class Description(NamedTuple):
    """What is said of a text that is given to be saved, by whoever gives it."""

    tool: str
    producer: Producer
    upstream: Upstream = upstream.WHOLE
    label: str | None = None
    call_id: str | None = None
    limit_from: LimitFrom = LimitFrom.DEFAULT


def save(
    given: Given,
    description: Description,
    conversation: str,
    limits: Limits,
    masking: Masking,
    *,
    on_leftover: Callable[[str], object] | None = None,
) -> Receipt:
    """Publish a text as a final capture in ``conversation``; its receipt, whatever kept parts of it out.

    Raises ``Refused`` (nothing stays behind), ``SourceFailed`` when reading ``given`` did, and ``OSError`` when the
    receipt could not be published: what was written is a leftover then, readable, of which ``on_leftover`` is told the
    ref.
    """
    source = pieces(given, limits.read_bytes)
    description = description._replace(upstream=upstream.checked(description.upstream))
    admit(description.tool, masking)
    writer = _TextWriter(_identity(description, conversation, masking), limits, masking)
    try:
        writer.describe(None if description.label is None else masking.line(description.label))
        failure = writer.write_all(source)
        receipt = writer.finish(failure)
    except BaseException as error:
        leftover = writer.give_up(error)
        if leftover is not None and on_leftover is not None:
            on_leftover(leftover)
        raise
    if failure is not None:
        _tell(failure, receipt, masking)
    assert receipt is not None  # noqa: S101 — only where the source failed there may be none
    return receipt


def _identity(description: Description, conversation: str, masking: Masking) -> Identity:
    producer = description.producer
    masked = {name: masking.line(getattr(producer, name)) for name in producer.__annotations__}
    return Identity(
        conversation=conversation,
        tool=description.tool,
        streams=(StreamName.CONTENT,),
        producer=type(producer)(**masked),
        call_id=description.call_id,
        limit_from=description.limit_from,
        process=ProcessState.NONE,
        upstream=description.upstream,
    )


class _Given:
    """Counts what is given; whoever writes it takes it at once."""

    def __init__(self) -> None:
        self.observed = 0

    def counts(self, _stream: str) -> ReaderCounts:
        return ReaderCounts(observed=self.observed)

    def at_disk(self) -> AbstractContextManager[None]:
        return _AT_ONCE


class _TextWriter:
    """Writes one text, in the thread of whoever gives it."""

    def __init__(self, identity: Identity, limits: Limits, masking: Masking) -> None:
        self._given = _Given()
        self._said = identity.upstream
        self._capture = Capture(identity, self._given, limits, masking)
        self._spool = self._capture.spools[StreamName.CONTENT]
        self._is_ending = False

    def describe(self, label: str | None) -> None:
        """Let readers see what this is, before its first byte."""
        self._capture.set_label(label)
        self._capture.replace_live()

    def write_all(self, source: Iterator[bytes]) -> BaseException | None:
        """Write all that the source gives; what it raised, if it did.  What goes wrong on our side is raised."""
        while True:
            try:
                piece = next(source, None)
            except BaseException as failure:  # noqa: BLE001 — raised again when what came before it is safe
                return failure
            if piece is None:
                return None
            self._write(piece)

    def finish(self, failure: BaseException | None) -> Receipt | None:
        """The final receipt; ``None`` when the source failed before it gave anything: nothing stays behind then."""
        if failure is not None and not self._given.observed:
            self._capture.abandon()
            return None
        self._is_ending = True
        if failure is not None:
            self._capture.set_upstream(upstream.broken_off(self._said))
        self._spool.finish(eof=failure is None, reason=CaptureReason.UPSTREAM_TRUNCATED)
        self._capture.note_cuts()
        return self._capture.finish()

    def give_up(self, error: BaseException) -> str | None:
        """Leave nothing behind where nothing was written yet; else what was, for readers to find: its ref."""
        if isinstance(error, EngineUnavailable) or not (self._given.observed or self._is_ending):
            self._capture.abandon()
            return None
        self._capture.release()
        return self._capture.ref

    def _write(self, piece: bytes) -> None:
        self._given.observed += len(piece)
        self._spool.feed(piece)
        if self._capture.note_cuts():
            self._capture.replace_live()


def _tell(failure: BaseException, receipt: Receipt | None, masking: Masking) -> NoReturn:
    if not isinstance(failure, Exception):
        raise failure
    words = masking.line(_words(failure))
    kept = "nothing came before" if receipt is None else f"what came before is kept as {receipt.ref}"
    raise SourceFailed(f"what was to be saved broke off ({words}); {kept}", receipt) from failure


def _words(failure: Exception) -> str:
    if isinstance(failure, OSError) and failure.strerror:
        return failure.strerror.lower()
    try:
        text = str(failure)
    except Exception:  # noqa: BLE001 — whatever its own words are, they are not to hide it
        text = ""
    return f"{type(failure).__name__}: {text}" if text else type(failure).__name__
