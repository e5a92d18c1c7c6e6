"""What a line matches, and which lines are worth asking: the only room of failures that knows the engines."""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Final

from capture_core.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_INSIDE: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
"""Escapes and classes."""
_GROUP: Final = re.compile(r"\([^()]*\)")


def matches(expression: str, line: bytes) -> bool:
    """Tell whether a line matches; an empty expression matches none.

    A line is short (``FAILURE_LINE_BYTES``), so that what an engine may do more than once with it stays bounded.
    """
    return bool(expression) and _matcher(expression)(line) is not None


class Signs:
    """Texts of which a line must hold one to be worth a look, known by their numbers; ``^``: at its start.

    All of them are looked for in one scan: that is what large texts are passed over by.  Threads take turns, since what
    is compiled has room for one scan.
    """

    def __init__(self, signs: Sequence[str]) -> None:
        """Compile them; raises :class:`EngineUnavailable` where hyperscan cannot be loaded."""
        try:
            import hyperscan
        except ImportError as error:
            words = f"likely failures cannot be looked for: hyperscan cannot be loaded ({error})"
            raise EngineUnavailable(words) from error
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[_sign(sign) for sign in signs],
            ids=list(range(len(signs))),
            flags=[hyperscan.HS_FLAG_MULTILINE] * len(signs),
        )
        self._turn = Lock()
        self._ends: list[int] = []
        self._numbers: set[int] = set()

    def ends(self, text: bytes) -> list[int]:
        """Return where signs end in whole lines of text, ascending."""
        with self._turn:
            self._ends.clear()
            self._database.scan(text, match_event_handler=self._take_end)
            return sorted(self._ends)

    def numbers(self, line: bytes) -> frozenset[int]:
        """Return which signs a line holds."""
        with self._turn:
            self._numbers.clear()
            self._database.scan(line, match_event_handler=self._take_number)
            return frozenset(self._numbers)

    def _take_end(self, _number: int, _start: int, end: int, _flags: int, _context: object) -> None:
        self._ends.append(end)

    def _take_number(self, number: int, _start: int, _end: int, _flags: int, _context: object) -> None:
        self._numbers.add(number)


@cache
def _matcher(expression: str) -> Callable[[bytes], object]:
    compiled = re.compile(expression.encode())
    # Where every branch is tied to the start, the engine would try in vain at each further place.
    outside = _INSIDE.sub("", expression)
    while outside != (outside := _GROUP.sub("", outside)):
        pass
    return compiled.match if all(branch.startswith("^") for branch in outside.split("|")) else compiled.search


def _sign(sign: str) -> bytes:
    anchor, text = ("^", sign[1:]) if sign.startswith("^") else ("", sign)
    return anchor.encode() + re.escape(text.encode())
