"""How much all streams of one capture may retain together, of its own limit and of its conversation's allowance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.facts import CaptureReason
from capture_core.limits.capturing import SIDECAR_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.allowance import Allowance


class Budget:
    """Bytes that all streams of one capture may still retain; and beside them, of what describes their text.

    They are of its conversation's allowance, too, which ``make_allowance`` gives when there is a first byte.
    """

    __slots__ = ("_make_allowance", "allowance", "left", "left_to_sidecars")

    def __init__(self, size: int, make_allowance: Callable[[], Allowance] | None = None) -> None:
        self.left = size
        self.left_to_sidecars = size // SIDECAR_SHARE
        self.allowance: Allowance | None = None
        self._make_allowance = make_allowance

    def join(self, make_allowance: Callable[[], Allowance]) -> None:
        """Be of a conversation's allowance from now on; what was taken before, :meth:`count` counts there."""
        self._make_allowance = make_allowance

    def count(self, size: int) -> int:
        """Count ``size`` bytes, which were taken before there was an allowance; how many of them fit."""
        if self.allowance is None and self._make_allowance is not None and size:
            self.allowance = self._make_allowance()
        fits = size if self.allowance is None else self.allowance.take_text(size)
        self.left += size - fits
        return fits

    def take(self, size: int) -> tuple[int, CaptureReason]:
        """Take room for ``size`` bytes; for how many there is room, and what it is that others do not fit in."""
        fits = allowed = min(size, self.left)
        if self.allowance is None and self._make_allowance is not None:
            self.allowance = self._make_allowance()
        if self.allowance is not None and allowed:
            fits = self.allowance.take_text(allowed)
        self.left -= fits
        return fits, CaptureReason.QUOTA if fits == allowed else CaptureReason.CONVERSATION_QUOTA

    def give_back(self, size: int) -> None:
        """Room that was taken, and is not used."""
        self.left += size
        if self.allowance is not None:
            self.allowance.give_back(size)

    def take_records(self, count: int, size: int, *, spare: int) -> int:
        """Take room for up to ``count`` records, and for ``spare`` more with the first; how many of them fit.

        They take nothing from the text: how many there are depends on when it arrived, and where it is cut must not.
        """
        room = min((count + spare) * size, self.left_to_sidecars)
        if self.allowance is not None and room > spare * size:
            room = self.allowance.take_sidecars(room)
        fits = max(0, min(count, room // size - spare))
        self.left_to_sidecars -= (fits + spare) * size if fits else 0
        return fits
