"""One definition of a match, for the command line, the views, the library and the server.

Matches lie in lines; a line's newline belongs to none.  Of those that begin first the longest one is taken, and the
next one begins where it ends or later.  What a pattern may hold is said in :mod:`capture_core.find.syntax`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from capture_core.errors import Refused
from capture_core.find import syntax
from capture_core.find.places import placed
from capture_core.find.tree import NEVER, Tree, literal, pruned
from capture_core.limits.reading import SEARCH_PATTERN_BYTES
from capture_core.names import raw_text
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Buffer


class Case(StrEnum):
    """What is made of capital letters."""

    SENSITIVE = "sensitive"
    IGNORE = "ignore"
    SMART = "smart"
    """Ignored where the pattern has none."""


class Wanted(NamedTuple):
    """What is looked for.

    ``fixed``: the pattern is the text itself.  ``word``: on neither side of a match is there a character of a word,
    which are the ASCII letters, digits and ``_``; a match of nothing is no word.
    """

    pattern: str
    fixed: bool = False
    case: Case = Case.SENSITIVE
    word: bool = False


class Ends(Protocol):
    """Looks through one stream, cut anywhere.  Not for two threads at once."""

    def feed(self, block: Buffer) -> bool:
        """Take the bytes that follow; ``False`` when what was told of a match asked for no more."""

    def finish(self) -> bool:
        """The stream is over, or nobody wants more of it; as :meth:`feed`."""


class Matcher(Protocol):
    """Finds what is wanted."""

    every_line: bool
    """Whether every line has a match, for nothing at all is one; :meth:`stream` need not be asked then."""

    def stream(self, hit: Callable[[int], object], *, once_a_line: bool = False) -> Ends:
        """Look through a stream that begins where a line does.

        ``hit`` is told offsets in it, ascending: for each line with a match at least one of the places where one
        ends; a place behind a final newline may be told, where no line is.  With ``once_a_line`` it is told the
        line's end instead, once, which is cheaper where most lines have many.
        """

    def spans(self, line: bytes) -> Iterator[tuple[int, int]]:
        """The matches in a line without its newline, in bytes; of nothing only where all are, and then one, at 0."""


def compile_wanted(wanted: Wanted) -> Matcher:
    """Make what finds it, in time that grows as the text does.

    Raises :class:`Refused` for what is empty, holds a line break, is too long, is not of the language, or is more
    than the engines take.
    """
    needle = raw_text(wanted.pattern)
    _check(needle)
    tree = pruned(_tree(wanted))
    from capture_core.find import engines

    if (text := literal(tree)) and not wanted.word:
        return engines.Literal(text)
    where = placed(tree)
    if all(each == NEVER for each in where):
        return engines.Never()
    return engines.Expression(wanted.pattern, where, word=wanted.word)


def _check(needle: bytes) -> None:
    if not needle:
        raise Refused("the pattern is empty; give some text to look for")
    if len(needle) > SEARCH_PATTERN_BYTES:
        raise Refused(f"the pattern has {len(needle)} bytes; at most {SEARCH_PATTERN_BYTES} are searched for")
    if b"\n" in needle:
        raise Refused("the pattern holds a line break; hits are single lines")


def _tree(wanted: Wanted) -> Tree:
    ignores = wanted.case is Case.IGNORE or (
        wanted.case is Case.SMART and not syntax.has_capital(wanted.pattern, is_fixed=wanted.fixed)
    )
    if wanted.fixed:
        return syntax.fixed(wanted.pattern, ignore_case=ignores)
    return syntax.parse(wanted.pattern, ignore_case=ignores)
