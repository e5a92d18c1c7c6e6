"""A stream's text, sanitised, with a mark where what is binary was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.binary import Omission, Recogniser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.binary import Piece
    from capture_core.marks import Marks
    from capture_core.sanitise import Counts, Sanitiser


class TextOnly:
    """A sanitiser behind a recogniser of binary output; what is left out counts as discarded.

    A binary stretch ends what came before it as the end of the stream would: a value that has begun is masked.
    """

    def __init__(self, sanitiser: Sanitiser) -> None:
        self._sanitiser = sanitiser
        self._recogniser = Recogniser()

    @property
    def accepted(self) -> int:
        """Raw bytes transformed."""
        return self._sanitiser.accepted

    @property
    def held(self) -> int:
        """Raw bytes undecided, by either."""
        return self._recogniser.held + self._sanitiser.held

    @property
    def discarded(self) -> int:
        """Raw bytes of omitted fragments, and of binary output."""
        return self._recogniser.omitted + self._sanitiser.discarded

    def counts(self) -> Counts:
        """Return what was done so far."""
        counts = self._sanitiser.counts()
        return counts._replace(
            omitted_fragments=counts.omitted_fragments + self._recogniser.omissions,
            omitted_binary_bytes=self._recogniser.omitted,
        )

    def feed(self, raw: bytes) -> bytes:
        """Return the text that is decided now."""
        if self._recogniser.passes_plain and self._sanitiser.is_plain(raw):
            return self._sanitiser.feed(raw, is_plain=True)
        return self._text(self._recogniser.feed(raw))

    def finish(self, *, eof: bool) -> bytes:
        """Settle all that is held."""
        return self._text(self._recogniser.finish()) + self._sanitiser.finish(eof=eof)

    def take_styles(self) -> Marks:
        """Return the styles of text given out so far, each by the offset where it begins in all of it; each once."""
        return self._sanitiser.take_styles()

    def _text(self, pieces: Iterable[Piece]) -> bytes:
        return b"".join(
            self._sanitiser.interrupt(piece.mark) if isinstance(piece, Omission) else self._sanitiser.feed(piece)
            for piece in pieces
        )
