"""What a search asks for, apart from the captures in which it looks; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.find.matcher import Wanted


class Search(NamedTuple):
    """Which lines are hits, and how much is told of each.

    Hits come by capture, stream and offset; with ``backward`` in exactly the opposite order.
    """

    wanted: Wanted
    stream: str | None = None
    """This stream only."""
    invert: bool = False
    """The lines that do not match."""
    every_match: bool = False
    """All matches of a line are told, up to a bound, not only the first."""
    numbered: bool = True
    """Lines are numbered, for which everything before the last hit is read once more where no index is kept."""
    before: int = 0
    after: int = 0
    """So many lines before and after each hit come with it."""
    most: int | None = None
    """So many hits, of all captures together."""
    start: int = 0
    """Matches that begin at this offset of each stream or later; with ``backward``: before it, where it is not 0."""
    backward: bool = False
    token: str | None = None
    """Go on where an earlier search stopped, see :mod:`capture_core.hits.token`; ``start`` counts for nothing then."""
