"""A bound divided among streams: what a short one does not need goes to the others; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def shares(lengths: Mapping[str, int], total: int) -> dict[str, int]:
    """How much of ``total`` each may have that wants as much as its length; the last in size may have all the rest."""
    given: dict[str, int] = {}
    for name in sorted(lengths, key=lambda name: lengths[name]):
        left = len(lengths) - len(given)
        fair = max(1, (total - sum(given.values())) // left)
        given[name] = fair if left == 1 else min(fair, lengths[name])
    return given
