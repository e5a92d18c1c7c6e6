"""Bytes of a log as text that is safe to draw, and the way back from a drawn character to its byte."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

TAB_CELLS = 8
_CHUNK = 128
_PLAIN = re.compile(rb"[\x20-\x7e]*")
_UNSAFE = re.compile(
    "(?P<control>[\x00-\x08\x0a-\x1f\x7f]+)"
    "|(?P<tab>\t)"
    "|(?P<late_control>[\x80-\x9f]+)"
    "|(?P<raw>[\ud800-\udfff]+)"
    "|(?P<mark>[\u061c]+)"
    "|(?P<invisible>[\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]+)"
)
"""Runs of control characters, of bytes that are no UTF-8, of what is invisible or turns the reading direction round.

Within a run every character has as many bytes, and is drawn with as many characters, as every other.
"""
_PICTURES = {**{code: 0x2400 + code for code in range(0x20)}, 0x7F: 0x2421}


class Span(NamedTuple):  # thousands in a line of binary data: half the time of a dataclass to make
    """From character ``at`` and byte ``byte`` on the text is the decoded bytes; or something else is drawn.

    Then every ``size`` bytes are drawn as ``chars`` characters.
    """

    at: int
    byte: int
    chars: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """``text`` is drawn for ``data``; no ``spans``: one character a byte."""

    text: str
    data: bytes
    spans: tuple[Span, ...] = ()

    def byte_of(self, index: int) -> int:
        """Offset in ``data`` of the byte that character ``index`` stands for."""
        if not self.spans:
            return index
        span = self.spans[bisect_right(self.spans, index, key=_at) - 1]
        if span.chars:
            return span.byte + (index - span.at) // span.chars * span.size
        return span.byte + len(self.text[span.at : index].encode())

    def index_of(self, byte: int) -> int:
        """Index of the character that the byte at offset ``byte`` of ``data`` belongs to."""
        if byte >= len(self.data):
            return len(self.text)
        if not self.spans:
            return byte
        span = self.spans[bisect_right(self.spans, byte, key=_byte) - 1]
        if span.chars:
            return span.at + (byte - span.byte) // span.size * span.chars
        return span.at + len(self.data[span.byte : byte].decode(errors="ignore"))

    def changed(self) -> list[tuple[int, int]]:
        """Character ranges that are not in the data as they are drawn."""
        # A changed span is never the last one: what follows it, be it nothing, is a span of its own.
        return [(span.at, after.at) for span, after in pairwise(self.spans) if span.chars]


def show(data: bytes) -> Shown:
    """Decode and make safe: tabs expanded, control characters as pictures, bytes that are no UTF-8 in hexadecimal."""
    if _PLAIN.fullmatch(data):
        return Shown(data.decode("ascii"), data)
    source = data.decode("utf-8", "surrogateescape")
    parts: list[str] = []
    spans = [Span(0, 0)]
    at = byte = cells = done = 0
    for unsafe in _UNSAFE.finditer(source):
        plain, run = source[done : unsafe.start()], unsafe[0]
        at, byte, cells, done = at + len(plain), byte + len(plain.encode()), cells + cell_len(plain), unsafe.end()
        drawn = _drawn(unsafe.lastgroup, run, cells)
        size = len(run.encode("utf-8", "surrogateescape"))
        parts += plain, drawn
        spans.append(Span(at, byte, len(drawn) // len(run), size // len(run)))
        at, byte, cells = at + len(drawn), byte + size, cells + len(drawn)
        spans.append(Span(at, byte))
    parts.append(source[done:])
    return Shown("".join(parts), data, tuple(spans))


def wrap(text: str, width: int) -> list[int]:
    """Where the screen lines of ``text`` start, at ``width`` cells each; at least one."""
    if text.isascii():
        return list(range(0, len(text), width)) or [0]
    starts = [0]
    for part in chop_cells(text, max(width, 2))[:-1]:
        starts.append(starts[-1] + len(part))
    return starts


def crop(text: str, left: int, width: int) -> tuple[int, int, int]:
    """Which characters lie in cells ``left:left + width``, as a slice, and the cell at which the first one starts.

    A wide character across an edge is left out; the first one that is in may then start after ``left``.
    """
    if text.isascii():
        return min(left, len(text)), min(left + width, len(text)), left
    first, cell = _advance(text, 0, 0, left)
    if cell < left:
        upto = _grapheme_end(text, first + 1)
        first, cell = upto, cell + cell_len(text[first:upto])
    last, _ = _advance(text, first, cell, left + width)
    return first, last, max(cell, left)


def _advance(text: str, index: int, cell: int, target: int) -> tuple[int, int]:
    """Go on from ``index`` at ``cell`` as far as ``target`` cells have room for: by chunks, then by characters."""
    for step in (_CHUNK, 1):
        while cell < target and index < len(text):
            upto = _grapheme_end(text, index + step)
            wide = cell_len(text[index:upto])
            if cell + wide > target:
                break
            index, cell = upto, cell + wide
    return index, cell


def _grapheme_end(text: str, index: int) -> int:
    """The first place at ``index`` or after it that does not tear what is drawn as one character."""
    while index < len(text) and (cell_len(text[index]) == 0 or text[index - 1] == "\u200d"):
        index += 1
    return min(index, len(text))


def _drawn(kind: str | None, run: str, cell: int) -> str:
    """What is drawn, from ``cell`` on, for a run of characters of one kind."""
    match kind:
        case "control":
            return run.translate(_PICTURES)
        case "tab":
            return " " * (TAB_CELLS - cell % TAB_CELLS)
        case "late_control":
            return "".join(f"\\x{ord(character):02x}" for character in run)
        case "raw":  # PEP 383: a byte that was no UTF-8
            return "".join(f"\\x{ord(character) & 0xFF:02x}" for character in run)
        case _:
            return "".join(f"\\u{ord(character):04x}" for character in run)


def _at(span: Span) -> int:
    return span.at


def _byte(span: Span) -> int:
    return span.byte
