"""Quantities as people read them; how they write them is :mod:`capview.units`'s.  Pure."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = "–"
"""Stands where a number is not known."""


def size(count: int | None) -> str:
    """``0 B``, ``999 B``, ``1.4 KiB``, ``32 MiB``; the dash when unknown."""
    if count is None:
        return UNKNOWN
    if count < 1024:  # noqa: PLR2004 — the unit's own size
        return f"{count} B"
    value, unit = float(count), "B"
    for unit in ("KiB", "MiB", "GiB", "TiB"):  # noqa: B007 — the last one reached is used
        value /= 1024
        if round(value, 1) < 1000:  # noqa: PLR2004 — three digits
            break
    return f"{value:.0f} {unit}" if value >= 100 or value.is_integer() else f"{value:.1f} {unit}"  # noqa: PLR2004
