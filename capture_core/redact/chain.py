"""Stages that hide values in place, one after another: each takes what the one before gives."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Hider(Protocol):
    """Takes text without terminal control; gives back the same length of text, with veils in place of values."""

    @property
    def accepted(self) -> int:
        """Raw bytes of hidden values less those of their veils, for which later stages account: 0 or less."""

    @property
    def held(self) -> int:
        """Raw bytes that are not decided."""

    @property
    def discarded(self) -> int:
        """Raw bytes of omitted fragments."""

    @property
    def omitted(self) -> int:
        """Omitted fragments: none but at an end, and without a mark in the text."""

    @property
    def redactions(self) -> Counter[str]:
        """Hidden values for which there was no room for a veil."""

    def feed(self, text: bytes) -> bytes:
        """Return the text that is decided now."""

    def finish(self, *, eof: bool) -> bytes:
        """Settle what is held."""


class Chain:
    """Several stages as one, and the names that their veils bear."""

    def __init__(self, stages: Sequence[Hider] = (), names: Sequence[str] = ()) -> None:
        self.names = names
        """What stands in the text for a hidden value, by the index that its veil bears."""
        self._stages = stages

    @property
    def accepted(self) -> int:
        """Raw bytes of hidden values less those of their veils: 0 or less."""
        return sum(stage.accepted for stage in self._stages)

    @property
    def held(self) -> int:
        """Raw bytes that are not decided."""
        return sum(stage.held for stage in self._stages)

    @property
    def discarded(self) -> int:
        """Raw bytes of omitted fragments."""
        return sum(stage.discarded for stage in self._stages)

    @property
    def omitted(self) -> int:
        """Omitted fragments."""
        return sum(stage.omitted for stage in self._stages)

    @property
    def redactions(self) -> Counter[str]:
        """Hidden values for which there was no room for a veil."""
        return sum((stage.redactions for stage in self._stages), Counter())

    def feed(self, text: bytes) -> bytes:
        """Return the text that is decided now."""
        for stage in self._stages:
            text = stage.feed(text)
        return text

    def finish(self, *, eof: bool) -> bytes:
        """Settle what is held, the first stage first: what it gives is for those behind it."""
        text = b""
        for stage in self._stages:
            text = stage.feed(text) + stage.finish(eof=eof)
        return text
