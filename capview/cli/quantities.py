"""Argument types that several commands share: what argparse calls to read one word, with errors of one clear line."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final, TypeVar

from capture_core.limits import INLINE_MOST_BYTES, MIB
from capview.units import parse_duration, parse_size

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

# Compiled when first used: most commands are given no quantity.
_RANGE: Final = r"(?a)([0-9]{0,18}):([0-9]{0,18})"
_COUNT: Final = r"(?a)[0-9]{1,18}"
"""Eighteen digits: more than any file has bytes."""
_NICENESS: Final = r"(?a)[+-]?[0-9]{1,3}"


def seconds(text: str) -> float:
    """A time span: ``90``, ``5m``, ``1h``."""
    return _read(parse_duration, text)


def size(text: str) -> int:
    """Bytes, at least 1: ``4096``, ``64KiB``."""
    found = _read(parse_size, text)
    if found < 1:
        raise ArgumentTypeError("must be at least 1")
    return found


def budget(text: str) -> int:
    """Bytes that an inline text may take."""
    found = size(text)
    if found > INLINE_MOST_BYTES:
        raise ArgumentTypeError(f"must be at most {INLINE_MOST_BYTES // MIB}MiB")
    return found


def count(text: str) -> int:
    """A whole number, 0 or more."""
    if not re.fullmatch(_COUNT, text):
        raise ArgumentTypeError(f"{text[:40]!r} is no whole number")
    return int(text)


def niceness(text: str) -> int:
    """What is added to a niceness: -20 to 19."""
    if not re.fullmatch(_NICENESS, text) or not -20 <= int(text) <= 19:  # noqa: PLR2004 — setpriority(2)
        raise ArgumentTypeError(f"{text[:40]!r} is no niceness; it goes from -20 to 19, and 0 is as without")
    return int(text)


def byte_range(text: str) -> tuple[int, int | None]:
    """``A:B``, ``A:`` or ``:B``; from 0, B not included."""
    match = re.fullmatch(_RANGE, text)
    if match is None:
        raise ArgumentTypeError(f"{text[:40]!r} is no range; write A:B, A: or :B")
    start, stop = int(match[1] or 0), int(match[2]) if match[2] else None
    if stop is not None and stop < start:
        raise ArgumentTypeError(f"{text} ends before it begins")
    return start, stop


def line_range(text: str) -> tuple[int, int | None]:
    """``A:B``, ``A:`` or ``:B``; from 1, B included."""
    start, stop = byte_range(text)
    if start == 0 and not text.startswith(":"):
        raise ArgumentTypeError(f"{text}: lines count from 1")
    return max(start, 1), stop


def _read(parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
