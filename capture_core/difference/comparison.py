"""What is said of two streams: where they first differ, what each has alone, and how far they were compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.difference.rows import Place


class Alone(NamedTuple):
    """A line without a counterpart at its place, bytes ``start:end``; ``text`` is its beginning.

    Of a line that is longer than ``DIFFERENCE_LINE_BYTES`` it may be a piece.
    """

    line: int
    start: int
    end: int
    text: bytes


class Side(NamedTuple):
    """One of the two: the lines that it has alone, those kept of ``lines``; ``uncompared``: its bytes behind them."""

    alone: tuple[Alone, ...]
    lines: int
    uncompared: int


class Comparison(NamedTuple):
    """``first`` are the places of the first difference in both; ``None``: there is none.

    ``met``: how often they were found side by side again behind differences; ``lost``: where in both that was given up,
    since nothing was in both as far as was looked, and nothing behind it was compared.  ``normalised``: lines that are
    the same only but for what differs in every run.
    """

    first: tuple[Place, Place] | None
    sides: tuple[Side, Side]
    met: int
    lost: tuple[Place, Place] | None
    normalised: int

    @property
    def is_same(self) -> bool:
        """Whether nothing differs, but for what differs in every run."""
        return self.first is None
