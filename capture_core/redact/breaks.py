"""Breaks of lines within a token: what is found in the text without them has a place in the text as it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from capture_core.limits.sanitising import HARMLESS_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.redact.scanning import Candidate

BREAKS = b"\r\n"
"""What breaks a line."""

_BREAK = re.compile(b"[%b]" % BREAKS)
_RUN = re.compile(b"[%b]+" % BREAKS)
_MARKS = re.compile(rb"[^A-Za-z0-9]+")
_WORD = re.compile(rb"[A-Z]?[a-z]{1,15}|[A-Z]{1,16}")


def secret_from(text: bytes, start: int, end: int) -> int:
    """Return where masking of ``text[start:end]`` begins: behind breaks of the line that come early enough."""
    seen = 0
    for found in _RUN.finditer(text, start, end):
        seen += found.start() - start
        if seen > HARMLESS_BYTES:
            break
        start = found.end()
    return start


def is_text(broken: bytes, *, breaks: int = 2) -> bool:
    """Tell whether what might be a token with as many ``breaks`` of lines is rather a column of words or of numbers."""
    first, *rest = (_MARKS.sub(b"", piece) for piece in _RUN.split(broken))
    if len(rest) < breaks or not _WORD.fullmatch(first):
        return False
    return all(map(_WORD.fullmatch, rest)) or all(map(bytes.isdigit, rest))


def without_breaks(text: bytes) -> bytes:
    """Return the text with its lines joined."""
    return text.translate(None, BREAKS)


def placed(found: Iterable[Candidate], text: bytes) -> list[Candidate]:
    """Move candidates from where they are in the text without breaks of lines to where they are in the text."""
    # Of the n-th break, how much of the joined text is before it.
    breaks = [at.start() - number for number, at in enumerate(_BREAK.finditer(text))]
    return [
        (pattern, start + bisect_right(breaks, start), end + bisect_right(breaks, end - 1))
        for pattern, start, end in found
    ]
