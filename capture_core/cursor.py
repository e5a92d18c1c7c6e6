"""Positions in a stream's committed bytes: code-point edges for what is shown as text, and cursors; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from capture_core.source import Page

CODE_POINT_BYTES: Final = 4
"""No UTF-8 code point is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far one reader has come in one stream: the next byte's offset, within a generation of its bytes."""

    generation: int = 1
    offset: int = 0


def advance(cursor: Cursor, page: Page) -> Cursor:
    """The cursor after ``page`` was taken.

    A page of another generation starts the stream anew: the bytes before it were replaced as a whole, and
    whoever goes on from the old offset would skip or repeat some.
    """
    if page.generation != cursor.generation:
        return Cursor(generation=page.generation)
    return Cursor(generation=cursor.generation, offset=max(cursor.offset, page.end))


def floor_edge(data: bytes, at: int) -> int:
    """The last index ≤ ``at`` in ``data`` that does not lie inside a code point.

    ``data`` must hold the three bytes before ``at``, where the stream has them, and the byte at it.  Where
    the bytes are not UTF-8 the index stays: everything has an edge on both sides.
    """
    if at >= len(data) or not _continues(data[at]):
        return at
    for back in range(1, min(at, CODE_POINT_BYTES - 1) + 1):
        byte = data[at - back]
        if not _continues(byte):
            return at - back if _width(byte) > back else at
    return at


def ceil_edge(data: bytes, at: int) -> int:
    """The first index ≥ ``at`` in ``data`` that does not lie inside a code point; see :func:`floor_edge`."""
    start = floor_edge(data, at)
    if start == at:
        return at
    end = start + 1
    # As far as its bytes go, and no further than its lead says: what is cut short ends where the next begins.
    while end < min(start + _width(data[start]), len(data)) and _continues(data[end]):
        end += 1
    return end


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80  # noqa: PLR2004 — 10xxxxxx, RFC 3629


def _width(lead: int) -> int:
    # RFC 3629, section 4: C0, C1 and F5-FF never occur.
    for first, last, width in ((0xC2, 0xDF, 2), (0xE0, 0xEF, 3), (0xF0, 0xF4, 4)):
        if first <= lead <= last:
            return width
    return 1
