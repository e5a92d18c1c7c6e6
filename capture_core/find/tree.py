"""Regular expressions as trees over code points, and what is asked of them; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Ranges: TypeAlias = "tuple[tuple[int, int], ...]"
"""Code points, both ends of a range included; in order, neither overlapping nor touching."""

LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_NEWLINE: Final = 0x0A


@dataclass(frozen=True, slots=True)
class Chars:
    """Any one of these code points; of none: no match."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Byte:
    """A byte that is no part of a character."""

    value: int


@dataclass(frozen=True, slots=True)
class LineStart:
    """The place where the line begins."""


@dataclass(frozen=True, slots=True)
class LineEnd:
    """The place where the line ends."""


@dataclass(frozen=True, slots=True)
class WordEdge:
    """A place between a word's character and another one, or a line's end; not ``at`` one: any other place."""

    at: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another; of none: nothing, anywhere."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Any one of them; of none: no match."""

    options: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``least`` to ``most`` times; without ``most`` any number beyond."""

    part: Tree
    least: int
    most: int | None


Tree: TypeAlias = "Chars | Byte | LineStart | LineEnd | WordEdge | Sequence | Either | Repeat"

NOTHING: Final = Sequence(())
NEVER: Final = Either(())


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same code points, in order; a newline and surrogates are never among them, for no line has any."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(out[-1][1], high)
        else:
            out.append((low, high))
    return _without(_without(tuple(out), (_NEWLINE, _NEWLINE)), _SURROGATES)


def others(ranges: Ranges) -> Ranges:
    """All other code points."""
    out, at = [], 0
    for low, high in ranges:
        if at < low:
            out.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        out.append((at, LAST))
    return joined(out)


def _without(ranges: Ranges, cut: tuple[int, int]) -> Ranges:
    out = []
    for low, high in ranges:
        if low < cut[0]:
            out.append((low, min(high, cut[0] - 1)))
        if high > cut[1]:
            out.append((max(low, cut[1] + 1), high))
    return tuple(out)


def mapped(tree: Tree, change: Callable[[Chars], Tree]) -> Tree:
    """The tree with every set of characters changed."""
    match tree:
        case Chars():
            return change(tree)
        case Sequence(parts):
            return Sequence(tuple([mapped(part, change) for part in parts]))
        case Either(options):
            return Either(tuple([mapped(option, change) for option in options]))
        case Repeat(part, least, most):
            return Repeat(mapped(part, change), least, most)
        case Byte() | LineStart() | LineEnd() | WordEdge():
            return tree
    assert_never(tree)


def literal(tree: Tree) -> bytes | None:
    """The bytes that alone match, if there is but one such text."""
    match tree:
        case Chars(((low, high),)) if low == high:
            return chr(low).encode()
        case Byte(value):
            return bytes((value,))
        case Sequence(parts):
            texts = [literal(part) for part in parts]
            return None if None in texts else b"".join(text for text in texts if text is not None)
        case Repeat(part, least, most) if least == most:
            text = literal(part)
            return None if text is None else text * least
    return None


def pruned(tree: Tree) -> Tree:
    """The same without what can never match; :data:`NEVER` where that is all."""
    match tree:
        case Chars(()):
            return NEVER
        case Sequence(parts):
            return all_of([pruned(part) for part in parts])
        case Either(options):
            return any_of([pruned(option) for option in options])
        case Repeat(part, least, most):
            inner = pruned(part)
            if inner == NEVER or most == 0:
                return NEVER if least else NOTHING
            return NOTHING if inner == NOTHING else Repeat(inner, least, most)
        case Chars() | Byte() | LineStart() | LineEnd() | WordEdge():
            return tree
    assert_never(tree)


def empty(tree: Tree) -> Tree:
    """Where the tree matches nothing at all: of places only; :data:`NEVER` or :data:`NOTHING` where it is simple."""
    match tree:
        case Chars() | Byte():
            return NEVER
        case LineStart() | LineEnd() | WordEdge():
            return tree
        case Sequence(parts):
            return all_of([empty(part) for part in parts])
        case Either(options):
            return any_of([empty(option) for option in options])
        case Repeat(part, least, _):
            return empty(part) if least else NOTHING
    assert_never(tree)


def full(tree: Tree) -> Tree:
    """The tree for what it matches but nothing."""
    match tree:
        case Chars() | Byte():
            return tree
        case LineStart() | LineEnd() | WordEdge():
            return NEVER
        case Sequence(parts):
            return _full_sequence(parts)
        case Either(options):
            return any_of([full(option) for option in options])
        case Repeat():
            return _full_repeat(tree)
    assert_never(tree)


def _full_sequence(parts: tuple[Tree, ...]) -> Tree:
    """One part is the first that is not empty; those before it are, and those behind it are as they like."""
    options: list[Tree] = []
    before: Tree = NOTHING
    for index, part in enumerate(parts):
        options.append(all_of([before, full(part), *parts[index + 1 :]]))
        before = all_of([before, empty(part)])
        if before == NEVER:
            break
    return any_of(options)


def _full_repeat(tree: Repeat) -> Tree:
    part, least, most = tree.part, tree.least, tree.most
    if most == 0:
        return NEVER
    where = empty(part)
    if where == NEVER:
        return Repeat(part, max(least, 1), most)
    inner = full(part)
    if inner == NEVER:
        return NEVER
    if where == NOTHING:
        return Repeat(inner, 1, most)
    # With fewer full rounds than must be, the others are empty, at any one place that allows it.
    fewer = [
        all_of([_times(inner, before, before), where, _times(inner, max(0, 1 - before), least - 1 - before)])
        for before in range(least if least > 1 else 0)
    ]
    return any_of([Repeat(inner, max(least, 1), most), *fewer])


def _times(part: Tree, least: int, most: int) -> Tree:
    return NOTHING if most == 0 else Repeat(part, least, most)


def all_of(parts: Iterable[Tree]) -> Tree:
    """One after another, in its simplest form."""
    out: list[Tree] = []
    for part in parts:
        if part == NEVER:
            return NEVER
        out.extend(part.parts if isinstance(part, Sequence) else (part,))
    return out[0] if len(out) == 1 else Sequence(tuple(out))


def any_of(options: Iterable[Tree]) -> Tree:
    """Any one of them, in its simplest form."""
    out: list[Tree] = []
    for option in options:
        for one in option.options if isinstance(option, Either) else (option,):
            if one not in out:
                out.append(one)
    if NOTHING in out and all(_is_place(option) for option in out):
        return NOTHING
    return out[0] if len(out) == 1 else Either(tuple(out))


def _is_place(tree: Tree) -> bool:
    match tree:
        case LineStart() | LineEnd() | WordEdge():
            return True
        case Sequence(several) | Either(several):
            return all(map(_is_place, several))
        case _:
            return False
