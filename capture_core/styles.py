"""The state of SGR, how text looks on a terminal, in one packed value, and how a control sequence changes it.

Followed are ECMA-48 8.3.117, ITU-T T.416 13.1.8 for colours with colons, and xterm's control sequences for bright
colours and kinds of underlines.  What is not known is ignored, together with the parameters that belong to it.  That a
terminal brings a style back with a cursor that was saved (``ESC 7``, ``ESC 8``) is not followed.

A style is 64 bits, the lowest first: 9 attributes, 3 of the underline's kind, 26 of the foreground, 26 of the
background.  A colour's lower 24 bits are its value, the upper 2 its kind.  0 is a terminal's own style.
"""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Final

from capture_core.limits.sanitising import REMEMBERED_EFFECTS, SGR_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN: Final = 0
"""The style that text has before anything was said about it, and after a reset."""


class Attribute(IntFlag):
    """What may be on or off, each for itself."""

    BOLD = 1
    FAINT = 2
    ITALIC = 4
    BLINK = 8
    RAPID_BLINK = 16
    REVERSE = 32
    CONCEALED = 64
    STRUCK = 128
    OVERLINE = 256


class Underline(IntEnum):
    """The kinds of underlines, numbered as their sub-parameters are."""

    NONE = 0
    SINGLE = 1
    DOUBLE = 2
    CURLY = 3
    DOTTED = 4
    DASHED = 5


class ColourKind(IntEnum):
    """What a colour's value means."""

    DEFAULT = 0
    SIXTEEN = 1
    """The eight colours of ECMA-48, and the same bright from 8 on: which they are is the terminal's choice."""
    PALETTE = 2
    """A place in xterm's table of 256."""
    RGB = 3
    """Red, green and blue, 8 bits each, red the highest."""


class Colour(NamedTuple):
    """A colour as it was asked for."""

    kind: ColourKind = ColourKind.DEFAULT
    value: int = 0


class Look(NamedTuple):
    """A style, unpacked."""

    attributes: Attribute = Attribute(0)
    underline: Underline = Underline.NONE
    foreground: Colour = Colour()
    background: Colour = Colour()


_UNDERLINE_AT: Final = 9
_FOREGROUND_AT: Final = 12
_BACKGROUND_AT: Final = 38
_UNDERLINE_MASK: Final = 0b111 << _UNDERLINE_AT
_COLOUR_MASK: Final = (1 << 26) - 1
_KIND_AT: Final = 24
_VALUE_MASK: Final = (1 << _KIND_AT) - 1
_STYLE_MASK: Final = (1 << 64) - 1


def pack(look: Look) -> int:
    """Return the style as 64 bits."""
    return (
        look.attributes
        | look.underline << _UNDERLINE_AT
        | _colour(*look.foreground) << _FOREGROUND_AT
        | _colour(*look.background) << _BACKGROUND_AT
    )


def unpack(style: int) -> Look:
    """Return what 64 bits say; an underline of a kind that is not known is a single one."""
    underline = (style & _UNDERLINE_MASK) >> _UNDERLINE_AT
    return Look(
        attributes=Attribute(style & (1 << _UNDERLINE_AT) - 1),
        underline=Underline(underline) if underline <= Underline.DASHED else Underline.SINGLE,
        foreground=_unpacked(style >> _FOREGROUND_AT),
        background=_unpacked(style >> _BACKGROUND_AT),
    )


def _colour(kind: int, value: int) -> int:
    return kind << _KIND_AT | value


def _unpacked(colour: int) -> Colour:
    return Colour(ColourKind((colour & _COLOUR_MASK) >> _KIND_AT), colour & _VALUE_MASK)


def _turns(code: int, clears: int, sets: int = 0) -> tuple[int, tuple[int, int]]:
    # As numbers: a flag's complement knows no bits but those of its own kind.
    return code, (_STYLE_MASK & ~int(clears), int(sets))


def _colours(first: int, at: int, value: int) -> Iterator[tuple[int, tuple[int, int]]]:
    for index in range(8):
        yield _turns(first + index, _COLOUR_MASK << at, _colour(ColourKind.SIXTEEN, value + index) << at)


_SETS: Final = dict(
    (
        _turns(0, _STYLE_MASK),
        *(_turns(code, 0, 1 << at) for code, at in ((1, 0), (2, 1), (3, 2), (5, 3), (6, 4), (7, 5), (8, 6), (9, 7))),
        _turns(4, _UNDERLINE_MASK, Underline.SINGLE << _UNDERLINE_AT),
        _turns(21, _UNDERLINE_MASK, Underline.DOUBLE << _UNDERLINE_AT),
        _turns(22, Attribute.BOLD | Attribute.FAINT),
        _turns(23, Attribute.ITALIC),
        _turns(24, _UNDERLINE_MASK),
        _turns(25, Attribute.BLINK | Attribute.RAPID_BLINK),
        _turns(27, Attribute.REVERSE),
        _turns(28, Attribute.CONCEALED),
        _turns(29, Attribute.STRUCK),
        _turns(39, _COLOUR_MASK << _FOREGROUND_AT),
        _turns(49, _COLOUR_MASK << _BACKGROUND_AT),
        _turns(53, 0, Attribute.OVERLINE),
        _turns(55, Attribute.OVERLINE),
        *_colours(30, _FOREGROUND_AT, 0),
        *_colours(40, _BACKGROUND_AT, 0),
        *_colours(90, _FOREGROUND_AT, 8),
        *_colours(100, _BACKGROUND_AT, 8),
    )
)
"""By code: what it keeps of a style, and what it adds."""

_EXTENDED: Final = {38: _FOREGROUND_AT, 48: _BACKGROUND_AT, 58: None}
"""Codes that a colour follows, and where it goes; that of an underline is read and dropped."""

_SELECT_UNDERLINE: Final = 4
_SELECT_RGB: Final = 2
_SELECT_PALETTE: Final = 5
_LARGEST: Final = 255

_PARAMETERS: Final = re.compile(rb"[0-9:;]*")
_RESETS: Final = frozenset({b"c", b"[!p"})


class _Effects(dict["bytes | None", tuple[int, int]]):
    """What runs of control sequences do to a style; a dictionary, since looking up is most of the work."""

    def __missing__(self, sequences: bytes | None) -> tuple[int, int]:
        keeps, adds = _STYLE_MASK, PLAIN
        for sequence in () if sequences is None else sequences.split(b"\x1b"):
            for kept, added in _effects(sequence):
                keeps, adds = keeps & kept, adds & kept | added
        if len(self) >= REMEMBERED_EFFECTS:
            self.clear()
        self[sequences] = keeps, adds
        return keeps, adds


EFFECTS: Final = _Effects()
"""By escape sequences, none of them cut: what they keep of a style, and what they add.

The first is given without its ESC: ``[1;31m``, ``[!p ESC [1m``, ``c``.  Full and soft reset make a style plain; every
sequence but these and ``CSI … m`` leaves it as it is, and so does ``None``, which stands for any of those.
"""


def after(style: int, sequences: bytes) -> int:
    """Return the style after escape sequences, given as :data:`EFFECTS` takes them."""
    keeps, adds = EFFECTS[sequences]
    return style & keeps | adds


def _effects(sequence: bytes) -> Iterator[tuple[int, int]]:
    if sequence in _RESETS:
        yield 0, PLAIN
        return
    parameters = sequence[1:-1]
    if sequence[:1] == b"[" and sequence[-1:] == b"m" and _PARAMETERS.fullmatch(parameters):
        yield from _selected(parameters)


def _selected(parameters: bytes) -> Iterator[tuple[int, int]]:
    codes = iter(parameters.split(b";")) if len(parameters) <= SGR_BYTES else iter(())
    for code in codes:
        if b":" in code:
            yield from _with_colons(*(_number(part) for part in code.split(b":")))
        elif (number := _number(code)) in _EXTENDED:
            yield from _coloured(_EXTENDED[number], _colour_after(codes))
        elif number in _SETS:
            yield _SETS[number]


def _number(digits: bytes) -> int:
    return int(digits) if digits.isdigit() else 0 if not digits else -1


def _with_colons(code: int, kind: int, *rest: int) -> Iterator[tuple[int, int]]:
    if code in _EXTENDED:
        yield from _coloured(_EXTENDED[code], _colour_of(kind, *rest))
    elif code == _SELECT_UNDERLINE and kind <= Underline.DASHED:
        yield _STYLE_MASK & ~_UNDERLINE_MASK, kind << _UNDERLINE_AT


def _colour_of(*parts: int) -> Colour | None:
    """The colour of sub-parameters: ``5:N``, ``2:R:G:B``, or ``2:SPACE:R:G:B`` and what may follow it."""
    match parts:
        case (5, value, *_):
            return _palette(value)
        case (2, red, green, blue) | (2, _, red, green, blue, *_):
            return _rgb(red, green, blue)
        case _:
            return None


def _colour_after(codes: Iterator[bytes]) -> Colour | None:
    """The colour of the parameters that follow: ``5;N`` or ``2;R;G;B``, taken even when it is none."""
    kind = _number(next(codes, b""))
    if kind == _SELECT_PALETTE:
        return _palette(_number(next(codes, b":")))
    if kind == _SELECT_RGB:
        return _rgb(*(_number(next(codes, b":")) for _ in range(3)))
    return None


def _palette(value: int) -> Colour | None:
    return Colour(ColourKind.PALETTE, value) if 0 <= value <= _LARGEST else None


def _rgb(*parts: int) -> Colour | None:
    if not all(0 <= part <= _LARGEST for part in parts):
        return None
    red, green, blue = parts
    return Colour(ColourKind.RGB, red << 16 | green << 8 | blue)


def _coloured(at: int | None, colour: Colour | None) -> Iterator[tuple[int, int]]:
    if at is not None and colour is not None:
        yield _STYLE_MASK & ~(_COLOUR_MASK << at), _colour(*colour) << at
