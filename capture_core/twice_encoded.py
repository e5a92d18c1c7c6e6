"""8-bit controls that begin a control string, or are the rest of a character that was encoded twice: which it is.

A closing quotation mark that was encoded twice is â, U+0080, U+009D, and U+009D alone begins a string.  How what
follows goes on tells them apart.  In doubt it is a string: text that is lost there is bounded, and a control that
passed for text could stand in the middle of a secret and hide it.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from capture_core.limits.sanitising import CONTROL_STRING_BYTES

# Behind the first byte of a character, or its first two or three, that were each encoded again, as Latin-1; or its
# first two as Windows-1252, in which most of the second bytes are punctuation.
_PLACE = (
    rb"(?:(?<=\xc3[\x82-\xb4])|(?<=\xc3[\xa0-\xb4]\xc2[\x80-\xbf])|(?<=\xc3[\xa0-\xb4]\xe2[\x80-\x84][\x80-\xbf])"
    rb"|(?<=\xc3[\xb0-\xb4]\xc2[\x80-\xbf]\xc2[\x80-\xbf]))"
)
LOOK_BACK_BYTES = 6
"""How much before a control tells whether it stands in the place of such a character's rest."""

_IN_PLACE = re.compile(_PLACE)
# The line that ends, a colour, or another such character: text.  CAN, SUB, ST or any other control: a string's end.
_TELLING = rb"(?P<text>\n|\x1b[^\\]|%(place)s\xc2[\x80-\x9b\x9d-\x9f])|[\x18\x1a%(bell)s]|\x1b\\|\xc2[\x80-\x9f]"
_IN_COMMAND = re.compile(_TELLING % {b"place": _PLACE, b"bell": rb"\x07"})
_IN_STRING = re.compile(_TELLING % {b"place": _PLACE, b"bell": b""})


class Told(Enum):
    """What a control turned out to be."""

    CHARACTER = auto()
    STRING = auto()
    NOT_YET = auto()


def may_be_a_character(text: bytes, position: int) -> bool:
    """Tell whether a control at ``position`` may be the rest of a character that was encoded twice."""
    return _IN_PLACE.match(text, position) is not None


def told(text: bytes | bytearray, begin: int, end: int, *, looked_at: int = 0, bell_ends: bool) -> Told:
    """Tell by what stands from ``begin``, behind the control, to ``end``; ``looked_at`` bytes of it told nothing.

    ``bell_ends``: whether BEL would end the string.  What a string is not ended by within
    :data:`~capture_core.limits.sanitising.CONTROL_STRING_BYTES` is one.
    """
    stop = min(end, begin + CONTROL_STRING_BYTES)
    # The last byte that was looked at may have been the first of two that tell.
    found = (_IN_COMMAND if bell_ends else _IN_STRING).search(text, begin + max(0, looked_at - 1), stop)
    if found:
        return Told.STRING if found["text"] is None else Told.CHARACTER
    return Told.NOT_YET if stop - begin < CONTROL_STRING_BYTES else Told.STRING
