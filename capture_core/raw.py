"""Streams that are kept as they came, because whoever ran the command asked for their exact bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.facts import RepresentationFacts, RepresentationKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.marks import Marks
    from capture_core.sanitise import Counts
    from capture_core.stage import Masking, TextStage


class Raw:
    """Passes every byte on at once: nothing is decoded, stripped, masked or held."""

    def __init__(self) -> None:
        self.accepted = 0
        self.held = 0
        self.discarded = 0

    def counts(self) -> Counts:
        """Nothing is done to raw bytes."""
        from capture_core.sanitise import Counts

        return Counts()

    def feed(self, raw: bytes) -> bytes:
        """Return the bytes."""
        self.accepted += len(raw)
        return raw

    def take_styles(self) -> Marks:
        """Raw bytes have no style: their control sequences are among them."""
        from capture_core.marks import Marks

        return Marks()

    def finish(self, *, eof: bool) -> bytes:  # noqa: ARG002 — either way nothing was held
        """Nothing is left."""
        return b""


class RawStreams:
    """Masks labels and words as another does, and keeps the streams as they are."""

    is_raw: Final = True

    def __init__(self, masking: Masking) -> None:
        self.require = masking.require
        self.is_plain = masking.is_plain
        self.line = masking.line

    def stage(self) -> Raw:
        """A new stage for one stream."""
        return Raw()

    def facts(self, stages: Sequence[TextStage]) -> RepresentationFacts:  # noqa: ARG002 — nothing was done
        """No claim is made about the bytes."""
        return RepresentationFacts(kind=RepresentationKind.BINARY, redactions={})
