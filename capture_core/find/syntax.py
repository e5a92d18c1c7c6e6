r"""The language of patterns: what of it there is, and what is refused, by name and place; pure.

It is what RE2's and Rust's expressions have in common, read line by line: literals, ``.``, classes with ``[:alpha:]``
and the like, ``\d \w \s \b`` of ASCII and their opposites, ``\pL`` by general category, ``^ $ \A \z``, groups,
alternatives, ``(?i)``, and repeats.  A lazy repeat is a repeat, for the longest match is always taken.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NoReturn

from capture_core.errors import Refused
from capture_core.find.folding import folded
from capture_core.find.tree import (
    LAST,
    NOTHING,
    Byte,
    Chars,
    Either,
    LineEnd,
    LineStart,
    Ranges,
    Repeat,
    Sequence,
    Tree,
    WordEdge,
    empty,
    joined,
    others,
)

MOST_REPEATS: Final = 1000
"""Of a bounded repeat: what both engines take."""
_MOST_DEEP: Final = 100

_ESCAPED: Final = (0xDC80, 0xDCFF)
"""What a byte that is no part of a character becomes, by PEP 383."""
_DIGIT: Final = ((0x30, 0x39),)
_WORD: Final = joined([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_SPACE: Final = joined([(0x09, 0x0D), (0x20, 0x20)])
_ANY: Final = joined([(0, LAST)])

_SETS: Final[dict[str, Ranges]] = {
    "d": _DIGIT, "D": others(_DIGIT), "w": _WORD, "W": others(_WORD), "s": _SPACE, "S": others(_SPACE),
}  # fmt: skip
_CONTROLS: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D, "a": 0x07}
_PLACES: Final[dict[str, Tree]] = {
    "A": LineStart(), "z": LineEnd(), "b": WordEdge(at=True), "B": WordEdge(at=False),
}  # fmt: skip
_NAMED: Final[dict[str, Ranges]] = {
    "alnum": joined([(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]),
    "alpha": joined([(0x41, 0x5A), (0x61, 0x7A)]),
    "ascii": joined([(0, 0x7F)]),
    "blank": joined([(0x09, 0x09), (0x20, 0x20)]),
    "cntrl": joined([(0, 0x1F), (0x7F, 0x7F)]),
    "digit": _DIGIT,
    "graph": joined([(0x21, 0x7E)]),
    "lower": joined([(0x61, 0x7A)]),
    "print": joined([(0x20, 0x7E)]),
    "punct": joined([(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]),
    "space": _SPACE,
    "upper": joined([(0x41, 0x5A)]),
    "word": _WORD,
    "xdigit": joined([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
}
_UNKNOWN: Final = {
    "G": r"\G, the last match's end",
    "K": r"\K, which moves a match's start",
    "R": r"\R, any line break",
    "X": r"\X, a cluster",
    "Z": r"\Z",
    "h": r"\h",
    "Q": r"\Q, for which there is -F",
    "E": r"\E",
    "C": r"\C, a single byte",
    "k": r"\k, a back-reference",
    "g": r"\g, a back-reference",
}
_GROUPS: Final = {
    "=": "look-ahead",
    "!": "look-ahead",
    "<=": "look-behind",
    "<!": "look-behind",
    ">": "an atomic group",
    "(": "a conditional group",
    "|": "a branch reset group",
    "#": "a comment",
    "R": "recursion",
    "&": "recursion",
    "P>": "recursion",
    "P=": "a back-reference",
}
_FLAGS: Final = "ims"
"""Line by line ``m`` and ``s`` change nothing."""
_SIGNS: Final[dict[str, tuple[int, int | None]]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def fixed(text: str, *, ignore_case: bool) -> Tree:
    """A tree for the text as it is."""
    return Sequence(tuple([_character(character, ignore_case=ignore_case) for character in text]))


def parse(pattern: str, *, ignore_case: bool = False) -> Tree:
    """Take a pattern apart.

    Raises :class:`Refused` for what is not of this language, with the construct and its place, counted in characters
    from 1.
    """
    parser = _Parser(pattern, ignore_case=ignore_case)
    tree = parser.either(0)
    if parser.at < len(pattern):
        parser.refuse("a ) without its (", parser.at)
    return tree


def has_capital(pattern: str, *, is_fixed: bool) -> bool:
    r"""Whether it names a capital letter, which ``\S`` and ``\pL`` do not."""
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\" and not is_fixed:
            at += 3 if pattern[at + 1 : at + 2] in ("p", "P") else 2
            continue
        if pattern[at].isupper():
            return True
        at += 1
    return False


class _Parser:
    """Reads a pattern from left to right."""

    def __init__(self, source: str, *, ignore_case: bool) -> None:
        self._source = source
        self._ignore_case = ignore_case
        self.at = 0

    def refuse(self, what: str, at: int) -> NoReturn:
        """Raise for what is at a place."""
        shown = ascii(self._source)
        raise Refused(f"the pattern {shown} cannot be searched for: {what}, at character {at + 1}")

    def either(self, depth: int) -> Tree:
        """Read alternatives up to where their group ends."""
        if depth > _MOST_DEEP:
            self.refuse(f"groups in more than {_MOST_DEEP} groups", self.at)
        ignore_case = self._ignore_case
        options = [self._sequence(depth)]
        while self._take("|"):
            options.append(self._sequence(depth))
        self._ignore_case = ignore_case
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _sequence(self, depth: int) -> Tree:
        parts = []
        while self.at < len(self._source) and self._source[self.at] not in "|)":
            parts.append(self._repeated(depth))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self, depth: int) -> Tree:
        start = self.at
        tree = self._single(depth)
        while (bounds := self._bounds()) is not None:
            least, most = bounds
            if self._source.startswith("+", self.at):
                self.refuse("a possessive repeat", self.at)
            self._take("?")
            if least > 1 and empty(tree) not in (NOTHING, Either(())) and least > _MOST_DEEP:
                self.refuse("so many repeats of what may be an empty place", start)
            tree = Repeat(tree, least, most)
        return tree

    def _bounds(self) -> tuple[int, int | None] | None:
        sign = self._source[self.at : self.at + 1]
        if sign in _SIGNS:
            self.at += 1
            return _SIGNS[sign]
        if sign != "{":
            return None
        start = self.at
        end = self._source.find("}", start)
        low, comma, high = self._source[start + 1 : end].partition(",")
        if end < 0 or not _is_count(low) or not (high == "" or _is_count(high)):
            # A brace that is none of a repeat stands for itself, as with RE2.
            return None
        least, most = int(low), int(high) if high else None if comma else int(low)
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            self.refuse(f"a repeat out of order or beyond {MOST_REPEATS}", start)
        self.at = end + 1
        return least, most

    def _single(self, depth: int) -> Tree:
        start, character = self.at, self._source[self.at]
        self.at += 1
        match character:
            case "(":
                return self._group(start, depth)
            case "[":
                return self._set(self._class(start))
            case "\\":
                return self._escape(start)
            case ".":
                return Chars(_ANY)
            case "^":
                return LineStart()
            case "$":
                return LineEnd()
            case "*" | "+" | "?":
                return self.refuse(f"a {character} with nothing to repeat", start)
            case "{" if self._is_repeat(start):
                return self.refuse("a repeat with nothing to repeat", start)
        return _character(character, ignore_case=self._ignore_case)

    def _is_repeat(self, start: int) -> bool:
        self.at = start
        found = self._bounds() is not None
        self.at = start + 1
        return found

    def _group(self, start: int, depth: int) -> Tree:
        outside = self._ignore_case
        if self._take("?") and not self._opened(start):
            # ``(?i)``: for what follows in the same group.
            return NOTHING
        inside = self.either(depth + 1)
        if not self._take(")"):
            self.refuse("a ( without its )", start)
        self._ignore_case = outside
        return inside

    def _opened(self, start: int) -> bool:
        """Read what stands between ``(?`` and a group's content; false: there is none, only flags."""
        rest = self._source[self.at :]
        for sign, words in _GROUPS.items():
            if rest.startswith(sign):
                self.refuse(words, start)
        for opening in ("P<", "<"):
            if rest.startswith(opening):
                name, closed, _ = rest[len(opening) :].partition(">")
                if not closed or not name.isidentifier():
                    self.refuse("a group's name that is none", start)
                self.at += len(opening) + len(name) + 1
                return True
        return self._flags(start)

    def _flags(self, start: int) -> bool:
        on = True
        while self.at < len(self._source):
            character = self._source[self.at]
            self.at += 1
            if character in "):":
                return character == ":"
            if character == "-" and on:
                on = False
            elif character not in _FLAGS:
                self.refuse(f"the flag {character!r}", start)
            elif character == "i":
                self._ignore_case = on
        return self.refuse("a ( without its )", start)

    def _escape(self, start: int) -> Tree:
        character = self._source[self.at : self.at + 1]
        if character in _PLACES:
            self.at += 1
            return _PLACES[character]
        return self._set(self._escaped(start))

    def _escaped(self, start: int) -> Ranges:
        """Read what follows a backslash: the characters that it stands for."""
        character = self._source[self.at : self.at + 1]
        self.at += 1
        if character == "":
            self.refuse("a \\ with nothing behind it", start)
        if character in _SETS:
            return _SETS[character]
        if character in "pP":
            return self._category(start, negated=character == "P")
        if character in _CONTROLS:
            return _one(_CONTROLS[character])
        if character in "xuU":
            return _one(self._code_point(start, character))
        if character in _UNKNOWN:
            self.refuse(_UNKNOWN[character], start)
        if character.isascii() and character.isalnum():
            what = "a back-reference" if character in "123456789" else f"the escape \\{character}"
            self.refuse(what, start)
        return _one(ord(character))

    def _code_point(self, start: int, kind: str) -> int:
        if self._take("{"):
            digits, closed, _ = self._source[self.at :].partition("}")
            self.at += len(digits) + len(closed)
        else:
            width = {"x": 2, "u": 4, "U": 8}[kind]
            digits, closed = self._source[self.at : self.at + width], "}"
            self.at += width
            closed = "}" if len(digits) == width else ""
        try:
            value = int(digits, 16) if closed and digits.isalnum() else -1
        except ValueError:
            value = -1
        if not 0 <= value <= LAST:
            self.refuse("a code point that is none", start)
        return value

    def _category(self, start: int, *, negated: bool) -> Ranges:
        if self._take("{"):
            name, closed, _ = self._source[self.at :].partition("}")
            self.at += len(name) + len(closed)
        else:
            name = self._source[self.at : self.at + 1]
            self.at += 1
        negated, name = (not negated, name[1:]) if name.startswith("^") else (negated, name)
        found = _of_category(name)
        if not found:
            self.refuse(f"{name!r}, which is no general category of Unicode", start)
        return others(found) if negated else found

    def _class(self, start: int) -> Ranges:
        negated = self._take("^")
        found: list[tuple[int, int]] = []
        first = True
        while first or not self._source.startswith("]", self.at):
            if self.at >= len(self._source):
                self.refuse("a [ without its ]", start)
            found.extend(self._member(start))
            first = False
        self.at += 1
        ranges = self._cased(joined(found))
        return others(ranges) if negated else ranges

    def _member(self, start: int) -> Ranges:
        at = self.at
        low = self._one_of_class(start)
        is_range = self._source.startswith("-", self.at) and self._source[self.at + 1 : self.at + 2] not in ("]", "")
        if not is_range:
            return low
        self.at += 1
        high = self._one_of_class(start)
        if not (_is_one(low) and _is_one(high)) or high[0][0] < low[0][0]:
            self.refuse("a range out of order", at)
        return ((low[0][0], high[0][0]),)

    def _one_of_class(self, start: int) -> Ranges:
        at, character = self.at, self._source[self.at : self.at + 1]
        self.at += 1
        if character == "":
            self.refuse("a [ without its ]", start)
        if character == "\\":
            if self._source.startswith("b", self.at):
                self.refuse("a \\b in a class", at)
            return self._escaped(at)
        for sign in ("[:", "[.", "[="):
            if self._source.startswith(sign, at):
                return self._named(at)
        for sign in ("&&", "--", "~~"):
            if self._source.startswith(sign, at):
                # One engine takes it for an operator on classes, another one for two characters.
                self.refuse(f"{sign} in a class, which is read in several ways; write \\{sign[0]}", at)
        if character == "[":
            self.refuse("a [ in a class, which is read in several ways; write \\[", at)
        return _one(ord(character))

    def _named(self, at: int) -> Ranges:
        name, closed, _ = self._source[at + 2 :].partition(":]")
        negated, name = name.startswith("^"), name.removeprefix("^")
        if not closed or name not in _NAMED:
            self.refuse("a named class that is not known", at)
        self.at = at + 4 + len(name) + negated
        return others(_NAMED[name]) if negated else _NAMED[name]

    def _take(self, sign: str) -> bool:
        found = self._source.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def _set(self, ranges: Ranges) -> Tree:
        return Chars(self._cased(ranges))

    def _cased(self, ranges: Ranges) -> Ranges:
        return folded(ranges) if self._ignore_case else ranges


def _character(character: str, *, ignore_case: bool) -> Tree:
    code_point = ord(character)
    if _ESCAPED[0] <= code_point <= _ESCAPED[1]:
        return Byte(code_point & 0xFF)
    ranges = joined(_one(code_point))
    return Chars(folded(ranges) if ignore_case else ranges)


def _one(code_point: int) -> Ranges:
    return ((code_point, code_point),)


def _is_one(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_REPEATS))


@cache
def _of_category(name: str) -> Ranges:
    from unicodedata import category

    if len(name) not in (1, 2):
        return ()
    return joined((point, point) for point in range(LAST + 1) if category(chr(point)).startswith(name))
