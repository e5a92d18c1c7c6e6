"""Raw bytes to what may be committed: decoded, terminal control stripped, secrets masked, in whole code points."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from capture_core.decode import Decoder
from capture_core.record import NamedTuple
from capture_core.redact.chain import Chain
from capture_core.redact.engine import shared_engine
from capture_core.redact.redactor import OMITTED, Redactor
from capture_core.sidecar import Places
from capture_core.strip import Stripper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capture_core.marks import Marks
    from capture_core.redact.scanning import Engine


class Counts(NamedTuple):
    """What was done to a stream."""

    redactions: Mapping[str, int] = MappingProxyType({})
    """Masked values by rule."""
    replaced_bytes: int = 0
    """Raw bytes that were not UTF-8."""
    stripped_bytes: int = 0
    """Raw bytes of terminal control."""
    omitted_fragments: int = 0
    """Fragments that could not be decided, and binary stretches; each has its mark in the text."""
    omitted_binary_bytes: int = 0
    """Raw bytes of binary stretches."""


def sanitised(
    raw: bytes,
    *,
    pending_bytes: int,
    engine: Callable[[], Engine] = shared_engine,
    veils: Callable[[], Chain] = Chain,
) -> bytes:
    """Return the text of raw bytes that are whole: a label, a saved text, a message."""
    sanitiser = Sanitiser(pending_bytes=pending_bytes, engine=engine, veils=veils)
    return sanitiser.feed(raw) + sanitiser.finish(eof=True)


class Sanitiser:
    """One stream's way from raw bytes to text, which depends on the bytes and never on how they were cut.

    Always ``bytes fed == accepted + held + discarded``; each is counted where it happens, none from the others.
    The engine is asked for at the first byte, since a stream that stays empty needs none; ``feed`` raises
    :exc:`~capture_core.errors.EngineUnavailable` when there is none to be had.
    """

    def __init__(
        self,
        *,
        pending_bytes: int,
        engine: Callable[[], Engine] = shared_engine,
        veils: Callable[[], Chain] = Chain,
    ) -> None:
        """``veils``: makes the stages that hide what is secret beyond the engine's rules."""
        self._pending_bytes = pending_bytes
        self._engine = engine
        self._veils = veils
        self._stages: _Stages | None = None
        self._places = Places()

    @property
    def accepted(self) -> int:
        """Raw bytes transformed: passed on, replaced, stripped or masked."""
        return self._stages.accepted if self._stages else 0

    @property
    def held(self) -> int:
        """Raw bytes that wait for what comes next, in any stage."""
        return self._stages.held if self._stages else 0

    @property
    def discarded(self) -> int:
        """Raw bytes of omitted fragments."""
        return self._stages.discarded if self._stages else 0

    def counts(self) -> Counts:
        """Return what was done so far."""
        return self._stages.counts() if self._stages else Counts()

    def is_plain(self, raw: bytes) -> bool:
        """Tell whether these bytes are ASCII without control: one look that saves each stage its own."""
        return self._begun().is_plain(raw)

    def feed(self, raw: bytes, *, is_plain: bool = False) -> bytes:
        """Return the text that is decided now; ``is_plain``: what :meth:`is_plain` has said."""
        return self._given(self._begun().feed(raw, is_plain=is_plain)) if raw else b""

    def interrupt(self, mark: bytes) -> bytes:
        """Settle what is held, as where the stream ends, and say ``mark`` there; more text may follow."""
        text = self.finish(eof=True)
        self._places.insert(len(mark))
        return text + mark

    def finish(self, *, eof: bool) -> bytes:
        """Settle all that is held.  Without ``eof`` more was to come; what only that could decide is omitted."""
        return self._given(self._stages.finish(eof=eof)) if self._stages else b""

    def take_styles(self) -> Marks:
        """Return the styles of text given out so far, each by the offset where it begins in all of it; each once."""
        return self._places.take()

    def _begun(self) -> _Stages:
        if self._stages is None:
            self._stages = _Stages(self._engine(), self._veils(), pending_bytes=self._pending_bytes)
        return self._stages

    def _given(self, text: bytes) -> bytes:
        if self._stages is not None:
            self._stages.tell(self._places, len(text))
        return text


class _Stages:
    """The stages of one stream, in a row."""

    def __init__(self, engine: Engine, veils: Chain, *, pending_bytes: int) -> None:
        scanner = engine.scanner()
        self.is_plain = scanner.is_plain
        self._decoder = Decoder()
        self._stripper = Stripper(scanner.has_control)
        self._veils = veils
        self._redactor = Redactor(engine.exact, scanner, pending_bytes=pending_bytes, veil_names=self._veils.names)
        self._cut_characters = 0

    @property
    def accepted(self) -> int:
        return self._decoder.accepted + self._stripper.accepted + self._veils.accepted + self._redactor.accepted

    @property
    def held(self) -> int:
        return self._decoder.held + self._stripper.held + self._veils.held + self._redactor.held

    @property
    def discarded(self) -> int:
        return self._decoder.discarded + self._veils.discarded + self._redactor.discarded

    def counts(self) -> Counts:
        return Counts(
            redactions=dict(self._veils.redactions + self._redactor.redactions),
            replaced_bytes=self._decoder.replaced,
            stripped_bytes=self._stripper.accepted,
            omitted_fragments=self._veils.omitted + self._redactor.omitted + self._cut_characters,
        )

    def tell(self, places: Places, length: int) -> None:
        """Tell what happened on the way of the last ``length`` bytes that were given out."""
        places.give(length, self._stripper.take_styles(), self._redactor.edits)
        self._redactor.edits.clear()

    def feed(self, raw: bytes, *, is_plain: bool) -> bytes:
        text = raw if is_plain and not self._decoder.held else self._decoder.feed(raw)
        return self._redactor.feed(self._veils.feed(self._stripper.feed(text, is_plain=is_plain and text is raw)))

    def finish(self, *, eof: bool) -> bytes:
        # What is held is settled first: what the end left in doubt must not make it look like something else.
        text = self._settle(self._stripper.finish(), eof=eof)
        if doubtful := self._stripper.release():
            text += self._settle(doubtful, eof=eof)
        if cut := self._decoder.finish(eof=eof):
            text += self._settle(self._stripper.feed(cut) + self._stripper.finish(), eof=eof)
        self._cut_characters = min(1, self._decoder.discarded)
        return text + OMITTED * (self._veils.omitted + self._cut_characters)

    def _settle(self, text: bytes, *, eof: bool) -> bytes:
        text = self._veils.feed(text) + self._veils.finish(eof=eof)
        return self._redactor.feed(text) + self._redactor.finish(eof=eof)
