"""Quantities as people write and read them: sizes such as 64MiB, times such as 90, 5m or 1h."""

from __future__ import annotations

import re
from typing import Final

from capture_core.limits import LARGEST_BYTES, LONGEST_SECONDS
from capture_core.units import UNKNOWN as UNKNOWN  # noqa: PLC0414 — reading and writing of quantities in one place
from capture_core.units import size as size  # noqa: PLC0414

# Compiled when first used: most commands are given no quantity.
_SIZE: Final = r"(?ai)([0-9]+(?:\.[0-9]+)?) ?(?:([kmgt])?(i?)b?)?"
_DURATION: Final = r"(?a)([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?(ms|s|m|min|h|d|w)?"
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SECONDS: Final = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}


def parse_size(text: str) -> int:
    """Bytes: ``4096``, ``64k``, ``64KiB``, ``1.5g``.  Units are powers of 1024, with or without the i.

    Raises ``ValueError`` with one clear line.
    """
    match = re.fullmatch(_SIZE, text.strip())
    if match is None:
        raise ValueError(f"{text[:40]!r} is no size; write bytes, or a number with KiB, MiB, GiB")
    found = float(match[1]) * 1024 ** _POWERS[(match[2] or "").lower()]
    if found > LARGEST_BYTES:
        raise ValueError(f"{text[:40]!r} is more than any file can hold")
    return int(found)


def parse_duration(text: str) -> float:
    """Seconds: ``90``, ``0.5``, ``.5``, ``500ms``, ``5m``, ``2h``, ``1d``, ``1w``.

    Raises ``ValueError`` with one clear line.
    """
    match = re.fullmatch(_DURATION, text.strip())
    if match is None:
        raise ValueError(f"{text[:40]!r} is no time span; write seconds, or a number with s, m, h, d")
    found = float(match[1]) * _SECONDS[match[2] or "s"]
    if found > LONGEST_SECONDS:
        raise ValueError(f"{text[:40]!r} is longer than a hundred years")
    return found
