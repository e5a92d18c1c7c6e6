"""Characters that differ in case alone: Unicode's simple case folding; pure.

Source: Unicode, CaseFolding.txt, statuses C and S.  Python has the full folding; where that is longer than one
character, the lower case is the simple one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from capture_core.find.tree import joined

if TYPE_CHECKING:
    from capture_core.find.tree import Ranges

_CASED_END: Final = 0x1E944
"""Behind the last character that has a case."""


def folded(ranges: Ranges) -> Ranges:
    """These code points and all that differ from one of them in case alone."""
    out = list(ranges)
    if all(high < ord("A") for _, high in ranges):
        return ranges
    for points in _orbits().values():
        if any(low <= point <= high for low, high in ranges for point in points):
            out.extend((point, point) for point in points)
    return joined(out)


@cache
def _orbits() -> dict[str, tuple[int, ...]]:
    """By its folded form each set of characters that are the same but for their case."""
    found: dict[str, tuple[int, ...]] = {}
    for point in range(ord("A"), _CASED_END):
        character = chr(point)
        form = _simple(character)
        if form != character:
            found[form] = (*found.get(form, (ord(form),)), point)
    return found


def _simple(character: str) -> str:
    for form in (character.casefold(), character.lower()):
        if len(form) == 1:
            return form
    return character
