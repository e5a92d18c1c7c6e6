"""Expressions freed of a line's start and end: what may match at the one, at the other, at both, and anywhere.

Engines take these places at an expression's own ends alone.  Pure.
"""

from __future__ import annotations

from typing import assert_never

from capture_core.errors import Refused
from capture_core.find.tree import (
    NEVER,
    NOTHING,
    Byte,
    Chars,
    Either,
    LineEnd,
    LineStart,
    Repeat,
    Sequence,
    Tree,
    WordEdge,
    all_of,
    any_of,
    empty,
    full,
    pruned,
)
from capture_core.record import NamedTuple


class Placed(NamedTuple):
    """A tree by where it may lie; none of these holds a line's start or end itself.

    What may lie anywhere is a part of what may lie at a start or an end.
    """

    anywhere: Tree
    at_start: Tree
    at_end: Tree
    whole: Tree
    """From the line's start to its end."""

    def full(self) -> Placed:
        """The same for what it matches but nothing."""
        return Placed(*[pruned(full(tree)) for tree in self])


def placed(tree: Tree) -> Placed:
    """Take a tree's places apart.

    Raises :class:`Refused` where a start or an end is repeated with what may be empty at some places only.
    """
    inside, begun = (pruned(_begun(tree, at_start=at_start)) for at_start in (False, True))
    return Placed(
        *[
            pruned(_mirrored(_begun(_mirrored(each), at_start=at_end)))
            for at_end in (False, True)
            for each in (inside, begun)
        ]
    )


def _begun(tree: Tree, *, at_start: bool) -> Tree:
    """What is left of it when it begins at the line's start, or does not."""
    match tree:
        case LineStart():
            return NOTHING if at_start else NEVER
        case Chars() | Byte() | LineEnd() | WordEdge():
            return tree
        case Either(options):
            return any_of(_begun(option, at_start=at_start) for option in options)
        case Sequence(parts):
            return _begun_sequence(parts, at_start=at_start)
        case Repeat():
            return _begun_repeat(tree, at_start=at_start)
    assert_never(tree)


def _begun_sequence(parts: tuple[Tree, ...], *, at_start: bool) -> Tree:
    if not at_start or not any(map(_has_start, parts[1:])):
        return all_of(_begun(part, at_start=at_start and index == 0) for index, part in enumerate(parts))
    first, rest = _begun(parts[0], at_start=True), Sequence(parts[1:])
    return any_of(
        [
            all_of([full(first), _begun(rest, at_start=False)]),
            all_of([empty(first), _begun(rest, at_start=True)]),
        ]
    )


def _begun_repeat(tree: Repeat, *, at_start: bool) -> Tree:
    if not _has_start(tree.part):
        return tree
    later = _begun(tree.part, at_start=False)
    if not at_start:
        return Repeat(later, tree.least, tree.most)
    first = _begun(tree.part, at_start=True)
    where = empty(first)
    if where not in (NEVER, NOTHING) and tree.least > 1:
        raise Refused("a line's start or end cannot be repeated together with a place; write it once, outside")
    if tree.most == 0:
        return NOTHING
    least = max(0, tree.least - 1) if where == NEVER else 0
    rounds = all_of([full(first), Repeat(later, least, None if tree.most is None else tree.most - 1)])
    return any_of([where if tree.least else NOTHING, rounds])


def _has_start(tree: Tree) -> bool:
    match tree:
        case LineStart():
            return True
        case Sequence(several) | Either(several):
            return any(map(_has_start, several))
        case Repeat(part, _, _):
            return _has_start(part)
        case Chars() | Byte() | LineEnd() | WordEdge():
            return False
    assert_never(tree)


def _mirrored(tree: Tree) -> Tree:
    """What matches the same from right to left."""
    match tree:
        case LineStart():
            return LineEnd()
        case LineEnd():
            return LineStart()
        case Sequence(parts):
            return Sequence(tuple([_mirrored(part) for part in reversed(parts)]))
        case Either(options):
            return Either(tuple([_mirrored(option) for option in options]))
        case Repeat(part, least, most):
            return Repeat(_mirrored(part), least, most)
        case Chars() | Byte() | WordEdge():
            return tree
    assert_never(tree)
