"""What a capture asks of whatever sanitises for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.facts import RepresentationFacts
    from capture_core.marks import Marks
    from capture_core.sanitise import Counts


class TextStage(Protocol):
    """What turns raw bytes into committed text: bytes in, whole sanitised code points out."""

    @property
    def held(self) -> int:
        """Raw bytes undecided."""

    @property
    def accepted(self) -> int:
        """Raw bytes transformed."""

    @property
    def discarded(self) -> int:
        """Raw bytes of omitted fragments."""

    def counts(self) -> Counts:
        """What was done so far."""

    def feed(self, raw: bytes) -> bytes:
        """Text that is decided now."""

    def finish(self, *, eof: bool) -> bytes:
        """Text that the end decides; nothing is held afterwards."""

    def take_styles(self) -> Marks:
        """The styles of text given out so far, each by the offset where it begins in all of it; each once."""


class Masking(Protocol):
    """What sanitises: a stage for each stream, a line for labels; the engine behind both is loaded when needed."""

    @property
    def is_raw(self) -> bool:
        """Whether the stages pass on any bytes, as they come."""

    def require(self) -> None:
        """Raise ``EngineUnavailable`` where there is no engine to be loaded later."""

    def stage(self) -> TextStage:
        """A new stage for one stream."""

    def is_plain(self, name: str) -> bool:
        """Tell at once that there is nothing to mask in a name; ``False``: there may be."""

    def line(self, text: str) -> str:
        """One line of text, masked like a stream."""

    def facts(self, stages: Sequence[TextStage]) -> RepresentationFacts:
        """What was done to the text of these stages, together."""
