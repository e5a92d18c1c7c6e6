"""Trees as expressions over bytes, for engines that know no code points; pure.

Over bytes no engine has to be told what an undecodable byte is: nothing but that byte itself matches it, wherever the
blocks are cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from capture_core.find.tree import (
    NEVER,
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
)
from capture_core.find.utf8 import ByteRanges, sequences, single_bytes
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.find.places import Placed

ANY_BYTE = r"[^\n]"
"""Of a line."""
NO_WORD = r"[^0-9A-Za-z_\n]"


class Forms(NamedTuple):
    """A pattern's expressions by where they may lie, see :class:`capture_core.find.places.Placed`."""

    anywhere: str | None
    at_start: str | None
    at_end: str | None
    whole: str | None

    def lines(self, *, word: bool) -> str | None:
        """What matches in a line with a match; where ``word``, with what stands on either side."""
        before, behind = (NO_WORD, NO_WORD) if word else ("", "")
        return either(*self.inside(before, behind), *self.last(before, "$"))

    def inside(self, before: str, behind: str) -> tuple[str | None, str | None]:
        """What need not reach the line's end; ``before`` and ``behind`` stand on its sides."""
        return followed(before, self.anywhere, behind), followed("^", self.at_start, behind)

    def last(self, before: str, end: str) -> tuple[str | None, str | None]:
        """What reaches the line's end, which is ``end``."""
        return followed(before, self.at_end, end), followed("^", self.whole, end)

    def opened(self, before: str, *, at_start: bool, word: bool) -> str | None:
        """What begins behind ``before``, at the line's start or not; where ``word``, with what stands behind it."""
        inside, last = (self.at_start, self.whole) if at_start else (self.anywhere, self.at_end)
        return either(followed(before, inside, NO_WORD if word else ""), followed(before, last, "$"))


def forms(placed: Placed) -> Forms:
    """Return the expressions; where two are the same the one that stands for both is left."""
    anywhere, at_start, at_end, whole = [None if tree == NEVER else render(tree) for tree in placed]
    return Forms(anywhere, at_start, at_end, whole)


def followed(before: str, inner: str | None, behind: str) -> str | None:
    """Return the expression with what stands on its sides; none for none."""
    return None if inner is None else f"{before}(?:{inner}){behind}"


def either(*options: str | None) -> str | None:
    """Return the expression for any of those that are there; none for none."""
    return "|".join(dict.fromkeys(option for option in options if option is not None)) or None


def render(tree: Tree) -> str:
    """Return the expression, in ASCII."""
    match tree:
        case Chars(ranges):
            return _characters(ranges)
        case Byte(value):
            return _byte(value)
        case LineStart():
            return "^"
        case LineEnd():
            return "$"
        case WordEdge(at):
            return r"\b" if at else r"\B"
        case Sequence(parts):
            return "".join([_grouped(part) if isinstance(part, Either) else render(part) for part in parts])
        case Either(options):
            return "|".join([render(option) for option in options])
        case Repeat(part, least, most):
            return f"{_grouped(part)}{_times(least, most)}"
    assert_never(tree)


def _grouped(tree: Tree) -> str:
    return f"(?:{render(tree)})"


def _times(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    return "?" if (least, most) == (0, 1) else f"{{{least},{most}}}"


def _characters(ranges: Ranges) -> str:
    ones, longer = single_bytes(sequences(ranges))
    options = [_class(ones)] if ones else []
    options.extend(map(_sequence, longer))
    return options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"


def _sequence(sequence: ByteRanges) -> str:
    return "".join([_class([one]) for one in sequence])


def _class(ranges: list[tuple[int, int]]) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _byte(ranges[0][0])
    inner = [_byte(low) if low == high else f"{_byte(low)}-{_byte(high)}" for low, high in ranges]
    return f"[{''.join(inner)}]"


def _byte(value: int) -> str:
    return f"\\x{value:02x}"
