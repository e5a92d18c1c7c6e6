r"""Terminal control out of UTF-8 text, whatever the cuts, in memory that does not grow.

Recognised is the syntax of ECMA-48 (escape and control sequences, control strings, in 7 and in 8 bits), read as
terminals read it (https://vt100.net/emu/dec_ansi_parser), but for these decisions:

- ``\t``, ``\n`` and ``\r`` are text everywhere.  A carriage return stays: folding redraws is for views.
- A sequence is given up at the first byte that cannot belong to it; what came of it is gone all the same.
- A control string that never ends would swallow the rest of a log.  A newline ends it, once it is longer than
  :data:`~capture_core.limits.CONTROL_STRING_BYTES`; at once, when it was opened by an 8-bit control, or by
  screen's ``ESC k``, which other terminals do not take for a string.
- An 8-bit control that belongs to a doubly encoded character (a closing quotation mark becomes â, U+0080, U+009D)
  goes alone, and opens nothing.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from capture_core.decode import weight
from capture_core.limits import CONTROL_STRING_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

CONTROL = rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]"
"""Every character that is no text: C0 but for TAB, LF and CR, DEL, and C1 as UTF-8.  A pattern for any engine."""

_ESC = b"\x1b"
_BACKSPACE = b"\b"
_UNDERSCORE = b"_"

_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_C1_OPENING = re.compile(rb"\xc2[\x90\x98\x9b\x9d-\x9f]")
# Not behind the first byte of a character, or its first two or three, that were each encoded again.
_OPENING = re.compile(
    rb"\x1b|(?<!\xc3[\x82-\xb4])(?<!\xc3[\xa0-\xb4]\xc2[\x80-\xbf])(?<!\xc3[\xb0-\xb4]\xc2[\x80-\xbf]\xc2[\x80-\xbf])"
    rb"\xc2[\x90\x98\x9b\x9d-\x9f]"
)
_LOOK_BACK_BYTES = 6
_SINGLE = bytes(byte for byte in (*range(0x20), 0x7F) if byte not in b"\b\t\n\r")

# A sequence that is whole, or given up for what follows, with no control inside: nearly all that real output holds.
_SIMPLE = (
    rb"\x1b(?:"
    rb"(?:\[[\x20-\x3f]*+[\x40-\x7e]|[\x20-\x2f]++[\x30-\x7e]|[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x6a\x6c-\x7e])"
    rb"|(?:\[[\x20-\x3f]*+|[\x20-\x2f]*+)(?=[\t\n\r\x18\x1a\x1b\x80-\xff]%(end)b)"
    rb"|\][^\x00-\x1f\x7f\xc2]*+(?:\x07|(?=\x1b%(end)b))"
    rb"|[PX^_k][^\x00-\x1f\x7f\xc2]*+(?=\x1b%(end)b))"
)
_DECIDED = re.compile(_SIMPLE % {b"end": b""})
_BEFORE_ESC = re.compile(_SIMPLE % {b"end": rb"|\Z"})


class _State(Enum):
    """Where in the syntax the next byte stands."""

    TEXT = auto()
    ESCAPE = auto()
    """After ESC."""
    DESIGNATION = auto()
    """After ESC and an intermediate byte: charset switches and the like."""
    SEQUENCE = auto()
    """After CSI."""
    COMMAND = auto()
    """In an operating system command: a string that BEL ends too."""
    STRING = auto()
    """In a DCS, SOS, PM or APC string, or a title of screen."""


_AFTER_ESC = {
    b"[": _State.SEQUENCE,
    b"]": _State.COMMAND,
    **dict.fromkeys((b"P", b"X", b"^", b"_", b"k"), _State.STRING),
    **dict.fromkeys((bytes([byte]) for byte in range(0x20, 0x30)), _State.DESIGNATION),
}
_AFTER_C1 = {
    b"\xc2\x9b": _State.SEQUENCE,
    b"\xc2\x9d": _State.COMMAND,
    **dict.fromkeys((b"\xc2\x90", b"\xc2\x98", b"\xc2\x9e", b"\xc2\x9f"), _State.STRING),
}

_STRINGS = frozenset({_State.COMMAND, _State.STRING})

# Controls that a terminal obeys within a sequence without leaving it: all but \t \n \r, CAN, SUB and ESC.
_WITHIN = rb"\x00-\x08\x0b\x0c\x0e-\x17\x19\x1c-\x1f\x7f"
# Each ends behind the last byte of what the state drops: its final byte, or before what cannot belong to it.
_END = {
    _State.ESCAPE: re.compile(rb"[\x20-\x7e]|(?=[^\x20-\x7e" + _WITHIN + rb"])"),
    _State.DESIGNATION: re.compile(rb"[\x30-\x7e]|(?=[^\x20-\x7e" + _WITHIN + rb"])"),
    _State.SEQUENCE: re.compile(rb"[\x40-\x7e]|(?=[^\x20-\x7e" + _WITHIN + rb"])"),
    # What ends a string is a control itself, or begins one, and goes as such.
    _State.COMMAND: re.compile(rb"(?=[\x07\x18\x1a\x1b]|\xc2[\x80-\x9f])"),
    _State.STRING: re.compile(rb"(?=[\x18\x1a\x1b]|\xc2[\x80-\x9f])"),
}

_LAST_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*\Z")
_CHARACTER_BYTES = 4


class Stripper:
    """Takes whole code points; gives back what of them is text.

    ``has_control`` tells whether a block holds anything that :data:`CONTROL` matches.  Most blocks do not, so its
    speed is the stage's: give it a faster one than ``re`` where there is one.
    """

    def __init__(self, has_control: Callable[[bytes], object] = re.compile(CONTROL).search) -> None:
        self._has_control = has_control
        self._escapes = _Escapes(has_control)
        self._overstrikes = _Overstrikes()

    @property
    def held(self) -> int:
        """Raw bytes that an overstrike may still change, at most 2: sequences are dropped as they come."""
        return self._overstrikes.held

    @property
    def accepted(self) -> int:
        """Raw bytes stripped."""
        return self._escapes.accepted + self._overstrikes.accepted

    def feed(self, text: bytes) -> bytes:
        """Return what of the block is text and can no longer be struck over."""
        plain = not self._escapes.open and not self._has_control(text)
        kept = self._escapes.feed_plain(text) if plain else self._escapes.feed(text)
        return self._overstrikes.feed(kept, plain=plain)

    def finish(self) -> bytes:
        """Return the held underscore, if any; an unfinished sequence is gone already."""
        return self._overstrikes.finish()


class _Escapes:
    """Drops, as it streams, everything that :data:`CONTROL` begins, but for BS."""

    def __init__(self, has_control: Callable[[bytes], object]) -> None:
        self.accepted = 0
        self._has_control = has_control
        self._state = _State.TEXT
        self._patience = 0
        """In a string: how many bytes must still pass before a newline ends it."""
        self._before = b""
        """The end of the block before, as it came."""

    @property
    def open(self) -> bool:
        """Whether a sequence has begun and not ended."""
        return self._state is not _State.TEXT

    def feed_plain(self, text: bytes) -> bytes:
        """Take a block that is known to be all text."""
        self._before = (self._before + text[-_LOOK_BACK_BYTES:])[-_LOOK_BACK_BYTES:]
        return text

    def feed(self, text: bytes) -> bytes:
        text, begin = self._before + text, len(self._before)
        start = begin
        while self.open and start < len(text):
            start = self._skip(text, start, len(text))
        cut = _last_sequence(text, start)
        kept = self._sweep(text, start, cut) + self._walk(text, cut, len(text))
        self.accepted += weight(text[begin:]) - weight(kept)
        self.feed_plain(text)
        return kept

    def _sweep(self, text: bytes, start: int, end: int) -> bytes:
        """Strip by operations on the whole block when all that it holds is simple: nearly always."""
        plain = _BEFORE_ESC.sub(b"", text[start:end])
        if not plain or not self._has_control(plain):
            return plain
        if _ESC in plain or _C1_OPENING.search(plain):
            return self._walk(text, start, end)
        return _without_single(plain)

    def _walk(self, text: bytes, position: int, end: int) -> bytes:
        """Strip one sequence after another: what :meth:`_sweep` means."""
        kept: list[bytes] = []
        while position < end:
            if self.open:
                position = self._skip(text, position, end)
                continue
            opening = _OPENING.search(text, position, end)
            if opening is None:
                kept.append(text[position:end])
                break
            kept.append(text[position : opening.start()])
            position = opening.end()
            self._state, self._patience = _AFTER_C1.get(opening[0], _State.ESCAPE), 0
        return _without_single(b"".join(kept)) if kept else b""

    def _skip(self, text: bytes, position: int, end: int) -> int:
        """Return where what the state drops comes to an end: its own, or that of the block."""
        found = _END[self._state].search(text, position, end)
        stop = found.end() if found else end
        if self._state in _STRINGS:
            return self._skip_string(text, position, stop, end)
        if found:
            self._patience = 0 if found[0] == b"k" else CONTROL_STRING_BYTES
            self._state = _AFTER_ESC.get(found[0], _State.TEXT) if self._state is _State.ESCAPE else _State.TEXT
        return stop

    def _skip_string(self, text: bytes, position: int, stop: int, end: int) -> int:
        newline = text.find(b"\n", position + self._patience, stop)
        stop = stop if newline < 0 else newline
        self._patience = max(0, self._patience - (stop - position))
        if stop < end:
            self._state = _State.TEXT
        return stop


class _Overstrikes:
    """Reads ``c BS c`` and ``_ BS c``, bold and underlined on paper, as ``c``; drops every other BS."""

    def __init__(self) -> None:
        self.accepted = 0
        self._held = b""
        """The end of the text, when what follows decides about it: ``_``, BS, or both."""
        self._before = b""
        """The character that a BS coming now would strike over, and perhaps some before it; none after a BS."""

    @property
    def held(self) -> int:
        return len(self._held)

    def feed(self, text: bytes, *, plain: bool) -> bytes:
        """Take a block, ``plain`` when it is known to hold no BS, and give back what cannot be struck over."""
        text, plain = self._held + text, plain and not self._held
        self._held = b""
        if not plain and _BACKSPACE in text:
            text = self._fold(text)
        elif text:
            self._before = text[-_CHARACTER_BYTES:]
        if text and self._before.endswith(_UNDERSCORE):
            text, self._held = text[:-1], _UNDERSCORE + self._held
        return text

    def finish(self) -> bytes:
        rest, self._held = self._held, b""
        self.accepted += rest.count(_BACKSPACE)
        return rest.removesuffix(_BACKSPACE)

    def _fold(self, text: bytes) -> bytes:
        """Strike over, and hold a BS at the end."""
        self._held = _BACKSPACE if text.endswith(_BACKSPACE) else b""
        text = text.removesuffix(_BACKSPACE)
        first, *rest = text.split(_BACKSPACE)
        kept = bytearray(first)
        before = _last_character(first or self._before)
        for part in rest:
            folded = part.removeprefix(before)
            if part and folded == part and before == _UNDERSCORE:
                del kept[-1:]
            kept += folded
            before = _last_character(folded) or (before if part else b"")
        self._before = before
        self.accepted += weight(text) - weight(kept)
        return bytes(kept)


def _last_sequence(text: bytes, start: int) -> int:
    """Return where the last escape begins when the block may end inside it; else where the block ends."""
    last = text.rfind(_ESC, start)
    return len(text) if last < 0 or _DECIDED.match(text, last) else last


def _without_single(text: bytes) -> bytes:
    """Drop the controls that stand alone."""
    text = text.translate(None, _SINGLE)
    return text if text.isascii() else _C1.sub(b"", text)


def _last_character(text: bytes) -> bytes:
    found = _LAST_CHARACTER.search(text, max(0, len(text) - _CHARACTER_BYTES))
    return found[0] if found else b""
