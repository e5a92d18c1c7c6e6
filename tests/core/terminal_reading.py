"""A terminal read character by character, the slow and plain way: what is text, and how each character looks."""

from __future__ import annotations

from typing import NamedTuple

from capture_core.styles import Attribute, Colour, ColourKind, Look, Underline

_AS_TEXT = "\t\n\r"
_STRINGS = {"P", "X", "^", "_", "k", "]"}
_C1 = {"\x9b": "[", "\x9d": "]", "\x90": "P", "\x98": "X", "\x9e": "^", "\x9f": "_"}
_ATTRIBUTES = dict(zip((1, 2, 3, 5, 6, 7, 8, 9, 53), Attribute, strict=True))
_OFF = {
    22: Attribute.BOLD | Attribute.FAINT,
    23: Attribute.ITALIC,
    25: Attribute.BLINK | Attribute.RAPID_BLINK,
    27: Attribute.REVERSE,
    28: Attribute.CONCEALED,
    29: Attribute.STRUCK,
    55: Attribute.OVERLINE,
}


class Shown(NamedTuple):
    """A character and its look."""

    character: str
    look: Look


def shown(text: str) -> list[Shown]:
    """Every character that is text, struck over where it was; without doubly encoded text and endless strings."""
    return _struck(_written(text))


def _written(text: str) -> list[Shown]:
    """What is written, BS among it.  ``state``: what has begun, with all that came of it."""
    look, state, written = Look(), "", list[Shown]()
    for character in text:
        ends_string = state[:1] in _STRINGS and _ends_string(state, character)
        if state and not ends_string:
            state, look, taken = _step(state, character, look)
            if taken:
                continue
        elif ends_string:
            state = ""
        if character == "\x1b" or character in _C1:
            state = "\x1b" if character == "\x1b" else ("8" if _C1[character] != "[" else "") + _C1[character]
            state = "[" if state == "[" else state
        elif character in _AS_TEXT or character == "\b" or character.isprintable():
            written.append(Shown(character, look))
    return written


def _ends_string(state: str, character: str) -> bool:
    line_ends_it = state.startswith("k")
    return (
        character in "\x18\x1a\x1b"
        or 0x80 <= ord(character) < 0xA0
        or (character == "\x07" and state.startswith("]"))
        or (character == "\n" and line_ends_it)
    )


def _step(state: str, character: str, look: Look) -> tuple[str, Look, bool]:
    """One character within a sequence or string: the state and look after it, and whether it is part of it."""
    if state.startswith("8"):  # opened by an 8-bit control: a newline ends it, too
        ends = character == "\n" or _ends_string(state[1:], character)
        return ("", look, False) if ends else (state, look, True)
    if state[0] in _STRINGS:
        return state, look, True
    if character in _AS_TEXT or character in "\x18\x1a\x1b" or ord(character) > 0x7E + (character == "\x7f"):
        return "", look, False
    if ord(character) < 0x20 or character == "\x7f":
        return state, look, True
    return *_advance(state, character, look), True


def _advance(state: str, character: str, look: Look) -> tuple[str, Look]:
    if state == "\x1b":
        if character == "c":
            return "", Look()
        return (character, look) if character == "[" or character in _STRINGS or character < "0" else ("", look)
    if state[0] == "[" and character < "@":
        return state + character, look
    if state[0] == "[":
        return "", Look() if state + character == "[!p" else selected(look, state[1:]) if character == "m" else look
    return (state, look) if character < "0" else ("", look)


def _struck(written: list[Shown]) -> list[Shown]:
    out, before, backs = list[Shown](), "", 0
    for one in written:
        if one.character == "\b":
            backs += 1
            continue
        if not (backs == 1 and one.character == before):
            if backs == 1 and before == "_":
                out.pop()
            out.append(one)
            before = one.character
        backs = 0
    return out


def selected(look: Look, parameters: str) -> Look:
    """The look after SGR with these parameters."""
    if not all(character in "0123456789:;" for character in parameters):
        return look
    codes = parameters.split(";")
    while codes:
        code = codes.pop(0)
        if ":" in code:
            look = _by_colons(look, code.split(":"))
        elif int(code or 0) in (38, 48, 58):
            chosen = codes.pop(0) if codes else ""
            kind = 0 if ":" in chosen else int(chosen or 0)
            values = [codes.pop(0) if codes else "none" for _ in range({5: 1, 2: 3}.get(kind, 0))]
            look = _coloured(look, int(code), kind, values)
        else:
            look = _by_code(look, int(code or 0))
    return look


def _by_colons(look: Look, parts: list[str]) -> Look:
    code, kind, *values = parts
    if int(code or 0) == 4:
        return look._replace(underline=Underline(int(kind or 0))) if int(kind or 0) <= 5 else look
    if int(code or 0) in (38, 48):
        if int(kind or 0) == 2:
            values = values[1:4] if len(values) > 3 else values
            return _coloured(look, int(code), 2, values) if len(values) == 3 else look
        return _coloured(look, int(code), int(kind or 0), values[:1]) if values else look
    return look


def _coloured(look: Look, code: int, kind: int, values: list[str]) -> Look:
    numbers = [int(value or 0) if (value or "0").isdigit() else 256 for value in values]
    if not numbers or max(numbers) > 255 or kind not in (2, 5) or code == 58:
        return look
    value = numbers[0] if kind == 5 else numbers[0] * 65536 + numbers[1] * 256 + numbers[2]
    return _put(look, code, Colour(ColourKind.PALETTE if kind == 5 else ColourKind.RGB, value))


def _put(look: Look, code: int, colour: Colour) -> Look:
    return look._replace(foreground=colour) if code in (30, 38) else look._replace(background=colour)


def _by_code(look: Look, code: int) -> Look:
    tens, ones = divmod(code, 10)
    if code == 0:
        return Look()
    if code in _ATTRIBUTES:
        return look._replace(attributes=look.attributes | _ATTRIBUTES[code])
    if code in _OFF:
        return look._replace(attributes=look.attributes & ~_OFF[code])
    if code in (4, 21, 24):
        kinds = {4: Underline.SINGLE, 21: Underline.DOUBLE, 24: Underline.NONE}
        return look._replace(underline=kinds[code])
    if code in (39, 49):
        return _put(look, code - 9, Colour())
    if tens in (3, 4) and ones < 8:
        return _put(look, tens * 10, Colour(ColourKind.SIXTEEN, ones))
    if tens in (9, 10) and ones < 8:
        return _put(look, 30 if tens == 9 else 40, Colour(ColourKind.SIXTEEN, ones + 8))
    return look
