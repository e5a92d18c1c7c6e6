"""How long a step took, by when its text arrived; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.outline.step import Step

    Arrival = Callable[[int], int | None]
    """Nanoseconds at which the byte at an offset arrived, at the text's end when it ended; ``None``: not known."""

_NANOSECONDS: Final = 1_000_000_000


def seconds(step: Step, arrival: Arrival) -> float | None:
    """The time that it took, never below 0; ``None``: unknown."""
    began, ended = arrival(step.since), arrival(step.until)
    if began is None or ended is None:
        return None
    # The clock of arrivals may be set back.
    return max(0, ended - began) / _NANOSECONDS
