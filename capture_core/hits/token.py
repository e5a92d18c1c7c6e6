"""The place at which a search goes on, as one word for whoever keeps it; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadInput
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.source import Hit

_FORM: Final = r"(?a)(?:(.*)/)?(tool-outputs/[^/:]+/[^/:]+):([a-z]+):([0-9]{1,9}):([0-9]{1,18})"


class Token(NamedTuple):
    """A byte of one generation of a stream: the hits before it, or from it on, were told.

    ``conversation``: the key by which the source calls it, ``""`` where there is only one.
    """

    conversation: str
    ref: str
    stream: str
    generation: int
    offset: int

    def __str__(self) -> str:
        """The word that :func:`parse` reads."""
        where = f"{self.conversation}/{self.ref}" if self.conversation else self.ref
        return f"{where}:{self.stream}:{self.generation}:{self.offset}"


def parse(word: str) -> Token:
    """Read a token; raises :class:`BadInput` for what is none."""
    found = re.fullmatch(_FORM, word, re.DOTALL)
    if found is None:
        raise BadInput(f"{word[:80]!r} is no place where a search stopped; take the one that the search gave")
    return Token(found[1] or "", found[2], found[3], int(found[4]), int(found[5]))


def after(hit: Hit, *, backward: bool = False) -> Token:
    """Where a search goes on behind ``hit``: with the next line, or, ``backward``, with the one before."""
    offset = hit.line_start if backward else hit.line_end + 1
    return Token(hit.address.conversation, hit.address.ref, hit.stream, hit.generation, offset)
