"""A line without what differs from run to run."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from capture_core.difference.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    Normal = Callable[[bytes], bytes]

_FOLDER: Final = b"<folder>"


def exact(line: bytes) -> bytes:
    """The line as it is."""
    return line


def normal(folder: bytes = b"") -> Normal:
    """What gives a line as all runs would have it; ``folder``: the path that this run worked in, no other has it."""
    folder = folder.rstrip(b"/")
    if not folder:
        return normalised
    # Not within a longer name: /p/shop is not where /p/shop2 is.
    within = re.compile(re.escape(folder) + rb"(?![\w.-])")
    return lambda line: normalised(within.sub(_FOLDER, line) if folder in line else line)


def normalised(line: bytes) -> bytes:
    """The line, by all rules, in their order."""
    for signs, expression, put in _compiled():
        for sign in signs:
            if sign in line:
                line = expression.sub(put, line)
                break
    return line


@cache
def _compiled() -> tuple[tuple[tuple[bytes, ...], re.Pattern[bytes], bytes], ...]:
    return tuple((rule.signs, re.compile(rule.expression), rule.put) for rule in RULES)
