"""When the UI acts by itself: one value, so that a test can have it act only when told to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from capture_core import names
from capview.limits import VIEW_NEWS_SECONDS, VIEW_PAINT_SECONDS, VIEW_TAIL_SECONDS, VIEW_TICK_SECONDS
from capview.pager.growth import growth

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from capture_core.source import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakeups:
    """``tick_seconds``: ages are drawn anew.

    ``paint_seconds``: growth of a log is painted at most this often, and ``news_seconds``: news of captures; 0: each
    time.

    ``growth`` gives an item whenever a live stream on screen may have grown, and its length is then asked for, at
    most every ``tail_seconds``; ``None``: only when the source tells changes.
    """

    tick_seconds: float | None = VIEW_TICK_SECONDS
    paint_seconds: float = VIEW_PAINT_SECONDS
    news_seconds: float = VIEW_NEWS_SECONDS
    tail_seconds: float = VIEW_TAIL_SECONDS
    growth: Callable[[Entry, str], AsyncGenerator[None]] | None = None


BY_HAND = Wakeups(tick_seconds=None, paint_seconds=0, news_seconds=0)
"""Nothing happens by the clock."""


def for_captures(path_of: Callable[[str], str | None]) -> Wakeups:
    """For captures on this machine; ``path_of`` gives a conversation's path by its key."""
    return Wakeups(growth=lambda entry, stream: growth(_stream_path(path_of, entry, stream)))


def for_file(path: str) -> Wakeups:
    """For one file."""
    return Wakeups(growth=lambda _entry, _stream: growth(path))


def _stream_path(path_of: Callable[[str], str | None], entry: Entry, stream: str) -> str | None:
    """Where a live stream is: to be watched, not to be read, so a wrong one does no harm."""
    conversation = path_of(entry.address.conversation)
    if conversation is None or not names.is_tool_name(entry.receipt.tool):
        return None
    generation = entry.receipt.streams[stream].generation
    name = names.live_stream_file(names.capture_id(entry.receipt.capture_id), stream, generation)
    return str(Path(conversation) / names.TOOL_OUTPUTS / entry.receipt.tool / name)
