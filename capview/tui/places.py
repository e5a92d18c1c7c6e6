"""Places in a log as people type them: a line, a part of the whole, a byte."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_PLACE = re.compile(r"(@)?([0-9]{1,18})(%)?", re.ASCII)


class BadPlace(ValueError):
    """What was typed is no place; ``str()`` says what is."""


@dataclass(frozen=True, slots=True)
class Place:
    """``number`` of a line (from 1), of percent of the bytes, or of a byte (from 0)."""

    unit: Literal["line", "percent", "byte"]
    number: int


def parse_place(text: str) -> Place:
    """``120``, ``50%`` or ``@4096``; raises :class:`BadPlace`."""
    match = _PLACE.fullmatch(text.strip().replace(",", ""))
    if match is None or (match[1] and match[3]):
        raise BadPlace("Type a line (120), a place (50%) or a byte (@4096).")
    number = int(match[2])
    if match[3]:
        return Place("percent", min(number, 100))
    return Place("byte" if match[1] else "line", number)
