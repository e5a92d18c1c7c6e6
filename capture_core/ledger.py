"""What was masked or left out of a text, found by the marks that stand in it, in memory that does not grow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from capture_core.limits.reading import LINE_BLOCK_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.lines import Read

_MARK: Final = re.compile(rb"\[(?:redacted:(?P<rule>[^\[\]\s]{1,80})|omitted: (?P<omitted>[^\[\]\n]{1,80}))\]")
_MARK_BYTES: Final = 96
"""No mark is longer."""


class Mark(NamedTuple):
    """A mark at ``offset`` in the text, in ``line`` (from 1): of a masked value, or of something left out.

    That it was put there by a sanitiser cannot be seen: a program may print the same.
    """

    offset: int
    line: int
    rule: str | None
    omitted: str | None


def marks(read: Read, end: int) -> Iterator[Mark]:
    """Find the marks in ``0:end``, in order."""
    at, line, rest = 0, 1, b""
    while at < end:
        read_to = min(at + LINE_BLOCK_BYTES, end)
        block, start = rest + read(at, read_to), at - len(rest)
        done = 0
        for mark in _MARK.finditer(block):
            line += block.count(b"\n", done, mark.start())
            done = mark.start()
            yield Mark(start + done, line, _text(mark["rule"]), _text(mark["omitted"]))
        cut = _last_begun(block)
        line += block.count(b"\n", done, cut)
        at, rest = read_to, block[cut:]


def _last_begun(block: bytes) -> int:
    """Where a mark begins that the block's end may have cut; else where the block ends."""
    opened = block.rfind(b"[", max(0, len(block) - _MARK_BYTES))
    return opened if opened >= 0 and b"]" not in block[opened:] else len(block)


def _text(name: bytes | None) -> str | None:
    return None if name is None else name.decode(errors="replace")
