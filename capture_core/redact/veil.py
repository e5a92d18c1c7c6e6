"""What stands for a value that an early stage masked: as many bytes as it had, none of which occurs in UTF-8 text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING: Final = b"\xfe"
_DIGITS: Final = b"\xc0\xc1\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd"
_FILLING: Final = b"\xff"
_DIGITS_EACH: Final = 2

VEIL_BYTES: Final = _OPENING + _DIGITS + _FILLING
"""Every byte that a veil is made of, each for itself in a character class or in ``strip``."""

VEIL_CLASS: Final = "".join(f"\\x{byte:02x}" for byte in VEIL_BYTES)
"""The same as the inside of a character class, for any engine."""

VEIL: Final = re.compile(_OPENING + b"[" + _DIGITS + b"]{%d}" % _DIGITS_EACH + _FILLING + b"*+")
"""One veiled value.  At the end of a block it may go on in the next one."""

VEIL_MORE: Final = _FILLING
VEIL_PART: Final = re.compile(VEIL.pattern + b"|" + _FILLING + b"++")
"""One veiled value, or what of one a block begins with: that is bytes of :data:`VEIL_MORE` alone."""

_LINE: Final = re.compile(b"[\r\n]++(?:%b)++[\r\n]*+" % VEIL_PART.pattern)
SHORTEST_VEIL: Final = len(_OPENING) + _DIGITS_EACH
"""Bytes below which there is no veil."""

VEIL_NAMES: Final = len(_DIGITS) ** _DIGITS_EACH
"""How many names can be told apart."""


def veiled(index: int, length: int) -> bytes:
    """Return the veil of ``length`` bytes for the name ``index``; raises ``ValueError`` when there is none."""
    if length < SHORTEST_VEIL or not 0 <= index < VEIL_NAMES:
        raise ValueError(f"no veil of {length} bytes for name {index}")
    high, low = divmod(index, len(_DIGITS))
    return _OPENING + _DIGITS[high : high + 1] + _DIGITS[low : low + 1] + continued(length - SHORTEST_VEIL)


def continued(length: int) -> bytes:
    """Return ``length`` bytes more of a veil that has begun."""
    return _FILLING * length


def index_of(run: bytes) -> int:
    """Return the name's index of a match of :data:`VEIL`."""
    return _DIGITS.index(run[1]) * len(_DIGITS) + _DIGITS.index(run[2])


def apart(token: bytes) -> Iterator[tuple[bool, bytes]]:
    """Take a token apart: veils where a line begins, with the breaks around them (``True``), and what is its own."""
    done = 0
    for found in _LINE.finditer(token):
        if found.start() > done:
            yield False, token[done : found.start()]
        yield True, found[0]
        done = found.end()
    if done < len(token):
        yield False, token[done:]
