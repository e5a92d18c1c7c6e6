r"""Escape and control sequences and control characters out of UTF-8 text, but for BS; and the styles they stood for.

Recognised is the syntax of ECMA-48 (escape and control sequences, control strings, in 7 and in 8 bits), read as
terminals read it (https://vt100.net/emu/dec_ansi_parser), but for these decisions:

- ``\t``, ``\n`` and ``\r`` are text everywhere.  A carriage return stays: folding redraws is for views.
- A sequence is given up at the first byte that cannot belong to it; what came of it is gone all the same.
- A control string that never ends would swallow the rest of a log.  A newline ends it, once it is longer than
  :data:`~capture_core.limits.sanitising.CONTROL_STRING_BYTES`; at once, when it was opened by an 8-bit control, or by
  screen's ``ESC k``, which other terminals do not take for a string.
- An 8-bit control that belongs to a doubly encoded character goes alone, and opens no string.  Which do is told by
  what follows (:mod:`capture_core.twice_encoded`); until then that is held.  A control sequence is always one: it is
  short, and given up at the next such character.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from itertools import accumulate, compress, islice
from operator import ne
from typing import TYPE_CHECKING

from capture_core.decode import weight
from capture_core.limits.sanitising import CONTROL_STRING_BYTES, SGR_BYTES
from capture_core.marks import Marks
from capture_core.styles import EFFECTS, PLAIN, after
from capture_core.twice_encoded import LOOK_BACK_BYTES, Told, may_be_a_character, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ESC = b"\x1b"
_BACKSPACE = b"\b"

_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_C1_OPENING = re.compile(rb"\xc2[\x90\x98\x9b\x9d-\x9f]")
_OPENING = re.compile(rb"\x1b|\xc2[\x90\x98\x9b\x9d-\x9f]")
_BODY_BYTES = SGR_BYTES + len(b"[m")
_SINGLE = bytes(byte for byte in (*range(0x20), 0x7F) if byte not in b"\b\t\n\r")
_SINGLE_AND_BACKSPACE = _SINGLE + _BACKSPACE

# A sequence that is whole, or given up for what follows, with no control inside: nearly all that real output holds.
# The group is a short run of what may change the style, and of the erasing that compilers put behind it.
_SIMPLE = (
    rb"\x1b(?:"
    rb"((?:\[(?:[0-9:;]*+m|!p)|c)(?:\x1b\[[0-9:;]*+[mK]){0,7}+)"
    rb"|(?:\[[\x20-\x3f]*+[\x40-\x7e]|[\x20-\x2f]++[\x30-\x7e]|[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x6a\x6c-\x7e])"
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
    DOUBT = auto()
    """After an 8-bit control that opens a string, or ends a doubly encoded character."""


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


class Escapes:
    """Drops, as it streams, everything that a control begins, but for BS."""

    def __init__(self, has_control: Callable[[bytes], object]) -> None:
        self.accepted = 0
        self._has_control = has_control
        self._state = _State.TEXT
        self._patience = 0
        """In a string: how many bytes must still pass before a newline ends it."""
        self._before = b""
        """The end of the block before, as it came."""
        self._body = b""
        """In a control sequence: as much of it as could be a change of style, behind the ESC."""
        self._style = PLAIN
        self._opened = _State.STRING
        """In doubt: what has been opened, if anything."""
        self._doubtful = bytearray()
        """In doubt: what stands behind the opening, and before that what was ``_before`` it."""

    @property
    def held(self) -> int:
        """Raw bytes in doubt, at most :data:`~capture_core.limits.sanitising.CONTROL_STRING_BYTES`."""
        return weight(self._doubtful[len(self._before) :]) if self._state is _State.DOUBT else 0

    @property
    def open(self) -> bool:
        """Whether a sequence has begun and not ended."""
        return self._state is not _State.TEXT

    def feed_plain(self, text: bytes) -> bytes:
        """Take a block that is known to be all text."""
        self._before = (self._before + text[-LOOK_BACK_BYTES:])[-LOOK_BACK_BYTES:]
        return text

    def feed(self, text: bytes, at: int) -> tuple[bytes, Marks]:
        """Return what is kept of the block, and the changes of style in it, each with where it is, kept from ``at``.

        Of several in one place the last counts.
        """
        if self._state is _State.DOUBT and not (text := self._settled(text)):
            return b"", Marks()
        return self._strip(text, at)

    def release(self, at: int) -> tuple[bytes, Marks]:
        """Take what is in doubt for text: nothing more will tell.  Return it as :meth:`feed` does."""
        if self._state is not _State.DOUBT:
            return b"", Marks()
        self._state = _State.TEXT
        return self._strip(bytes(self._doubtful[len(self._before) :]), at)

    def _strip(self, text: bytes, at: int) -> tuple[bytes, Marks]:
        start, styles = self._skip_begun(text, at)
        cut = _last_sequence(text, start)
        kept = self._sweep(text[start:cut], styles, at)
        if kept is None:
            kept, cut = b"", start
        if cut < len(text):
            kept += self._walk(self._before + text, len(self._before) + cut, styles, at + len(kept))
        self.accepted += weight(text) - weight(kept) - self.held
        if self._state is not _State.DOUBT:
            self.feed_plain(text)
        return kept, styles

    def _settled(self, text: bytes) -> bytes:
        """Return all that was in doubt, with the block behind it, when that tells what it is; else nothing."""
        begin, end = len(self._before), len(self._doubtful)
        self._doubtful += text
        self._tell(self._doubtful, begin, len(self._doubtful), looked_at=end - begin)
        return b"" if self._state is _State.DOUBT else bytes(self._doubtful[begin:])

    def _skip_begun(self, text: bytes, at: int) -> tuple[int, Marks]:
        """Return where what an earlier block began comes to an end, and the style that it stood for."""
        start, style = 0, self._style
        while self.open and start < len(text):
            start = self._skip(text, start, len(text))
        return start, Marks(() if self._style == style else ((at, self._style),))

    def _sweep(self, text: bytes, styles: Marks, at: int) -> bytes | None:
        """Strip by operations on the whole block when all that it holds is simple: nearly always; else ``None``."""
        parts = _BEFORE_ESC.split(text)
        pieces = parts[::2]
        plain = b"".join(pieces)
        if plain and self._has_control(plain):
            if _ESC in plain or _C1_OPENING.search(plain):
                return None
            pieces = [_without_single(piece) for piece in pieces]
            plain = b"".join(pieces)
        self._note(pieces, parts[1::2], styles, at)
        return plain

    def _note(self, pieces: Sequence[bytes], between: Sequence[bytes | None], styles: Marks, at: int) -> None:
        """Note the styles of pieces of text, with what stands between them and may change the style."""
        style = self._style
        behind = [style := style & keeps | adds for keeps, adds in map(EFFECTS.__getitem__, between)]
        changes = list(map(ne, behind, [self._style, *behind]))
        ends = islice(accumulate(map(len, pieces), initial=at), 1, None)
        styles.extend(compress(ends, changes), compress(behind, changes), are_merged=all(pieces[1:-1]))
        self._style = style

    def _walk(self, text: bytes, position: int, styles: Marks, at: int) -> bytes:
        """Strip one sequence after another: what :meth:`_sweep` means."""
        end = len(text)
        kept: list[bytes] = []
        while position < end:
            if self._state is _State.DOUBT:
                break
            if self.open:
                style = self._style
                position = self._skip(text, position, end)
                if self._style != style:
                    styles.append(at, self._style)
                continue
            opening = _OPENING.search(text, position, end)
            piece = _without_single(text[position : opening.start() if opening else end])
            kept.append(piece)
            at += len(piece)
            if opening is None:
                break
            position = opening.end()
            self._state, self._patience = _AFTER_C1.get(opening[0], _State.ESCAPE), 0
            self._body = b"["
            if self._state in _STRINGS and may_be_a_character(text, opening.start()):
                self._doubt(text, position, end)
        return b"".join(kept)

    def _doubt(self, text: bytes, position: int, end: int) -> None:
        """Tell whether a string begins, if the block does; else hold its end."""
        self._opened = self._state
        self._tell(text, position, end, looked_at=0)
        if self._state is _State.DOUBT:
            self._before = text[max(0, position - LOOK_BACK_BYTES) : position]
            self._doubtful = bytearray(self._before + text[position:end])

    def _tell(self, text: bytes | bytearray, begin: int, end: int, *, looked_at: int) -> None:
        bell_ends = self._opened is _State.COMMAND
        match told(text, begin, end, looked_at=looked_at, bell_ends=bell_ends):
            case Told.CHARACTER:
                self._state = _State.TEXT
            case Told.STRING:
                self._state = self._opened
            case Told.NOT_YET:
                self._state = _State.DOUBT

    def _skip(self, text: bytes, position: int, end: int) -> int:
        """Return where what the state drops comes to an end: its own, or that of the block."""
        found = _END[self._state].search(text, position, end)
        stop = found.end() if found else end
        if self._state in _STRINGS:
            return self._skip_string(text, position, stop, end)
        if self._state is _State.SEQUENCE:
            self._body = (self._body + text[position : min(stop, position + _BODY_BYTES)])[:_BODY_BYTES]
        if found:
            self._obey(found[0])
        return stop

    def _obey(self, last: bytes) -> None:
        """Go on behind the last byte of what the state drops; ``b""``: it was given up."""
        if self._state is _State.ESCAPE:
            if last == b"c":
                self._style = PLAIN
            self._patience = 0 if last == b"k" else CONTROL_STRING_BYTES
            self._state = _AFTER_ESC.get(last, _State.TEXT)
            self._body = last
            return
        if self._state is _State.SEQUENCE and last:
            self._style = after(self._style, self._body.translate(None, _SINGLE_AND_BACKSPACE))
        self._state = _State.TEXT

    def _skip_string(self, text: bytes, position: int, stop: int, end: int) -> int:
        newline = text.find(b"\n", position + self._patience, stop)
        stop = stop if newline < 0 else newline
        self._patience = max(0, self._patience - (stop - position))
        if stop < end:
            self._state = _State.TEXT
        return stop


def _last_sequence(text: bytes, start: int) -> int:
    """Return where the last escape begins when the block may end inside it; else where the block ends."""
    last = text.rfind(_ESC, start)
    return len(text) if last < 0 or _DECIDED.match(text, last) else last


def _without_single(text: bytes) -> bytes:
    """Drop the controls that stand alone."""
    text = text.translate(None, _SINGLE)
    return text if text.isascii() else _C1.sub(b"", text)
