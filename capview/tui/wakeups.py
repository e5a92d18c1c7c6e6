"""When the UI acts by itself: one value, so that a test can have it act only when told to."""

from __future__ import annotations

from dataclasses import dataclass

from capture_core.limits import VIEW_PAINT_SECONDS, VIEW_TAIL_SECONDS, VIEW_TICK_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakeups:
    """``tick_seconds``: ages are drawn anew; ``paint_seconds``: growth is painted at most this often, 0: each time.

    ``tail_seconds``: a live stream on screen is asked for its length; ``None``: only when its source tells changes.
    """

    tick_seconds: float | None = VIEW_TICK_SECONDS
    paint_seconds: float = VIEW_PAINT_SECONDS
    tail_seconds: float | None = VIEW_TAIL_SECONDS


BY_HAND = Wakeups(tick_seconds=None, paint_seconds=0, tail_seconds=None)
"""Nothing happens by the clock."""
