"""Tells binary output from text while it streams by, by its bytes alone and never by how they were cut.

Plain text is never held.  A hint opens a window of :data:`~capture_core.limits.sanitising.BINARY_WINDOW_BYTES`, which
is held until it is whole or the stream ends, and judged.  Hints are, in the first bytes, a known magic, a byte that is
not UTF-8 or a control that no terminal knows; a little later such a control; and further on a NUL or one of three
other controls, since to look for more in a gigabyte costs more than reading it.  What a window of text held hints
at nothing any more: a list with NULs between its items is looked at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from capture_core import magic
from capture_core.decode import REPLACEMENT, UNFINISHED
from capture_core.limits.sanitising import BINARY_HEAD_BYTES, BINARY_START_BYTES, BINARY_WINDOW_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# C0 and DEL without BEL, BS, HT, LF, VT, FF, CR, SO, SI, ESC, which terminals obey, and SUB, which ends DOS texts.
_STRANGE: Final = bytes((*range(7), *range(0x10, 0x1A), *range(0x1C, 0x20), 0x7F))
# Strange as well, but no hints: with 01 and 02 readline's users mark what of a prompt takes no room.
_HINT: Final = re.compile(b"[" + re.escape(_STRANGE.translate(None, b"\1\2")) + b"]")
_NOT_STRANGE: Final = bytes(set(range(256)).difference(_STRANGE))

# The Unicode Standard, table 3-7, and ASCII without what hints.
_TEXT: Final = re.compile(
    rb"(?:[\x01\x02\x07-\x0f\x1a\x1b\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]"
    rb"|(?:\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xe1-\xec\xee\xef][\x80-\xbf])[\x80-\xbf]"
    rb"|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2})*"
)

_LATER_HINTS: Final = b"\0\3\4\5"
_STRIDE: Final = 32 * 1024
"""How far each is looked for at once: where hints are frequent, far ones are not looked for again and again."""

# Texts that have strange controls have few kinds of them, as separators (find -print0, FIX, `git log --format=%x1f`),
# as padding (a NUL run after a crash, UTF-16 of ASCII) or around colours (readline's \x01 and \x02).
_KINDS: Final = 4
_COUNT: Final = 8
_ONE_IN: Final = 16
"""Binary by controls alone: this many kinds, this many in all, one in so many bytes."""

_LEGACY_KINDS: Final = 2
_LEGACY_COUNT: Final = 3
_LEGACY_ONE_IN: Final = 32
_ILL_FORMED_ONE_IN: Final = 8
"""Binary by fewer controls, where also one in so many bytes is not UTF-8.  Legacy encodings have no such controls."""


class Omission(NamedTuple):
    """Stands where a binary stretch begins."""

    kind: str

    @property
    def mark(self) -> bytes:
        """What the text says in its place; of bounded length."""
        return f"[omitted: binary output, {self.kind}]".encode()


Piece: TypeAlias = bytes | Omission
"""Raw bytes of text to pass on, or an omission."""


class _Head(NamedTuple):
    """Near the beginning; ``seen`` bytes were passed on."""

    seen: int = 0


class _FirstWindow(NamedTuple):
    """A hint was found near the beginning, at this offset of the stream."""

    offset: int


class _Body(NamedTuple):
    """Further on, where only these hint."""

    hints: bytes


class _LaterWindow(NamedTuple):
    """One of the hints was found further on."""

    hints: bytes


class _Gap(NamedTuple):
    """In a binary stretch; when text comes back, these hint again."""

    hints: bytes


class _Binary(NamedTuple):
    """The stream is binary to its end."""


_State: TypeAlias = _Head | _FirstWindow | _Body | _LaterWindow | _Gap | _Binary


class _Step(NamedTuple):
    """What was decided: up to where, what is passed on (``None``: it is left out), and what comes then."""

    end: int
    piece: Piece | None
    state: _State


class Recogniser:
    """Splits a stream into text and omissions.  ``bytes fed == passed on + held + omitted``.

    A stream that is binary by its first hint, near its beginning, is left out from there to its end.  A later binary
    stretch ends with the first whole window that holds nothing but well-formed text.
    """

    def __init__(self) -> None:
        self.omitted = 0
        """Raw bytes left out."""
        self.omissions = 0
        """Binary stretches left out; each has its mark."""
        self._held = b""
        self._state: _State = _Head()

    @property
    def held(self) -> int:
        """Raw bytes undecided, fewer than a window."""
        return len(self._held)

    @property
    def passes_plain(self) -> bool:
        """Whether ASCII without control would be passed on as it is: where it is not the first bytes of a stream."""
        return isinstance(self._state, _Body) and not self._held

    def feed(self, raw: bytes) -> list[Piece]:
        """Return what is decided now, in order."""
        return list(self._pieces(self._held + raw, over=False))

    def finish(self) -> list[Piece]:
        """Decide what is held, as if nothing more could come."""
        return list(self._pieces(self._held, over=True))

    def _pieces(self, data: bytes, *, over: bool) -> Iterator[Piece]:
        at = 0
        while at < len(data) and (step := self._step(data, at, over=over)):
            if not isinstance(step.piece, bytes):
                self.omitted += step.end - at
                self.omissions += step.piece is not None
            if step.piece:
                yield step.piece
            at, self._state = step.end, step.state
        self._held = data[at:]

    def _step(self, data: bytes, at: int, *, over: bool) -> _Step | None:
        """Decide about the next bytes; ``None`` when more must come first."""
        state = self._state
        match state:
            case _Head(seen):
                return _head(data, at, seen, over=over)
            case _Body(hints):
                return _body(data, at, hints)
            case _Binary():
                return _Step(len(data), None, state)
            case _Gap(hints):
                return _gap(data, at, hints, over=over)
            case _FirstWindow() | _LaterWindow():
                end = at + BINARY_WINDOW_BYTES
                return _judge(data[at:end], min(end, len(data)), state) if over or end <= len(data) else None


def _head(data: bytes, at: int, seen: int, *, over: bool) -> _Step | None:
    is_first = seen == 0
    if is_first and not over and magic.may_begin(data):
        return None
    end = min(len(data), at + BINARY_HEAD_BYTES - seen)
    hint = at if is_first and magic.known(data) else _first_hint(data, at, end, at + BINARY_START_BYTES - seen)
    if hint is None:
        seen += end - at
        return _Step(end, data[at:end], _Head(seen) if seen < BINARY_HEAD_BYTES else _Body(_LATER_HINTS))
    if hint > at:
        return _Step(hint, data[at:hint], _Head(seen + hint - at))
    if not over and UNFINISHED.fullmatch(data, hint):
        return None
    return _Step(at, b"", _FirstWindow(seen))


def _body(data: bytes, at: int, hints: bytes) -> _Step:
    for start in range(at, len(data), _STRIDE):
        stop = min(start + _STRIDE, len(data))
        found = [place for hint in hints if (place := data.find(hint, start, stop)) >= 0]
        if found:
            return _Step(min(found), data[at : min(found)], _LaterWindow(hints))
    return _Step(len(data), data[at:], _Body(hints))


def _gap(data: bytes, at: int, hints: bytes, *, over: bool) -> _Step | None:
    size = BINARY_WINDOW_BYTES
    for start in range(at, len(data) - size + 1, size):
        window = data[start : start + size]
        if is_text(window):
            return _Step(start, None, _Gap(hints)) if start > at else _Step(at + size, window, _Body(hints))
    # Not what is less than a window: a few readable bytes at an end are in every kind of file.
    end = len(data) if over else len(data) - (len(data) - at) % size
    return _Step(end, None, _Gap(hints)) if end > at else None


def _judge(window: bytes, end: int, state: _FirstWindow | _LaterWindow) -> _Step:
    match state:
        case _FirstWindow(offset):
            kind = judged(window, offset)
            if kind is not None:
                return _Step(end, Omission(kind), _Binary())
            return _Step(end, window, _Body(_unheard(_LATER_HINTS, window)))
        case _LaterWindow(hints):
            if looks_binary(window):
                return _Step(end, Omission(magic.UNKNOWN_KIND), _Gap(hints))
            return _Step(end, window, _Body(_unheard(hints, window)))


def _unheard(hints: bytes, window: bytes) -> bytes:
    return bytes(hint for hint in hints if hint not in window)


def judged(window: bytes, offset: int) -> str | None:
    """Return the kind of a binary stream by a window near its beginning, ``None`` for text."""
    named = magic.known(window) if offset == 0 else None
    if named is None and magic.is_tar(window, offset):
        named = "tar archive"
    if named is not None and not is_text(window):
        return named
    return magic.described(window, offset) if looks_binary(window) else None


def looks_binary(window: bytes) -> bool:
    """Tell whether this is beyond what terminals, separators and legacy encodings show."""
    strange = window.translate(None, _NOT_STRANGE)
    count, kinds = len(strange), len(set(strange))
    if kinds >= _KINDS and count >= _COUNT and count * _ONE_IN >= len(window):
        return True
    is_doubtful = kinds >= _LEGACY_KINDS and count >= _LEGACY_COUNT and count * _LEGACY_ONE_IN >= len(window)
    return is_doubtful and _ill_formed(window) * _ILL_FORMED_ONE_IN >= len(window)


def is_text(window: bytes) -> bool:
    """Tell whether these are well-formed characters without a strange control; the last one may be cut."""
    if window.translate(None, _NOT_STRANGE):
        return False
    try:
        window.decode()
    except UnicodeDecodeError as error:
        return UNFINISHED.fullmatch(window, error.start) is not None
    return True


def _first_hint(data: bytes, at: int, end: int, start_end: int) -> int | None:
    """The first hint in ``data[at:end]``; before ``start_end`` what is not UTF-8 is one, too."""
    plain = _text_end(data, at, start_end + 3) if at < start_end else end
    if plain < min(end, start_end):
        return plain
    strange = _HINT.search(data, at, end)
    return None if strange is None else strange.start()


def _text_end(data: bytes, start: int, end: int) -> int:
    match = _TEXT.match(data, start, end)
    return start if match is None else match.end()


def _ill_formed(window: bytes) -> int:
    """How many ill-formed sequences there are."""
    return window.decode(errors="replace").encode().count(REPLACEMENT) - window.count(REPLACEMENT)
