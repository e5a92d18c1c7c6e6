"""The styles that output had on a terminal, for the bytes around what is on screen."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.color import Color
from rich.style import Style

from capture_core.styles import PLAIN, Attribute, Colour, ColourKind, Underline, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.sidecar import Mark

_REMEMBERED_LOOKS = 1024


class Run(NamedTuple):
    """Bytes ``start:end`` of one style."""

    start: int
    end: int
    style: Style


class Colours:
    """What is known of bytes ``start:end``."""

    def __init__(self, start: int = 0, end: int = 0, marks: Sequence[Mark] = ()) -> None:
        self._start = start
        self._end = end
        self._marks = marks
        self._offsets = [mark.offset for mark in marks]

    def cover(self, start: int, end: int) -> bool:
        """Whether all of ``start:end`` is known."""
        return self._start <= start and end <= self._end

    def between(self, start: int, end: int) -> tuple[Run, ...]:
        """The runs in ``start:end`` that are not plain, in order."""
        first = max(0, bisect_right(self._offsets, start) - 1)
        runs: list[Run] = []
        for number in range(first, len(self._marks)):
            at, style = self._marks[number]
            if at >= end:
                break
            until = self._offsets[number + 1] if number + 1 < len(self._marks) else end
            if style != PLAIN and until > start:
                runs.append(Run(max(at, start), min(until, end), rich_style(style)))
        return tuple(runs)


@lru_cache(maxsize=_REMEMBERED_LOOKS)
def rich_style(style: int) -> Style:
    """A style as it is drawn: what blinked is still, and what was concealed is shown, dim."""
    look = unpack(style)
    is_on = look.attributes.__contains__
    return Style(
        color=_colour(look.foreground),
        bgcolor=_colour(look.background),
        bold=is_on(Attribute.BOLD) or None,
        dim=is_on(Attribute.FAINT) or is_on(Attribute.CONCEALED) or None,
        italic=is_on(Attribute.ITALIC) or None,
        underline=look.underline not in (Underline.NONE, Underline.DOUBLE) or None,
        underline2=look.underline is Underline.DOUBLE or None,
        reverse=is_on(Attribute.REVERSE) or None,
        strike=is_on(Attribute.STRUCK) or None,
        overline=is_on(Attribute.OVERLINE) or None,
    )


def _colour(colour: Colour) -> Color | None:
    match colour.kind:
        case ColourKind.DEFAULT:
            return None
        case ColourKind.SIXTEEN | ColourKind.PALETTE:
            return Color.from_ansi(colour.value & 0xFF)
        case ColourKind.RGB:
            return Color.from_rgb(colour.value >> 16, colour.value >> 8 & 0xFF, colour.value & 0xFF)
