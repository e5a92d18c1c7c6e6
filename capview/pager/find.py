"""Where a text occurs in a stream of bytes, block by block, and a compact list of the places."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from capview.limits import VIEW_MATCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Finder:
    """Finds a literal in blocks that follow each other; a match across two blocks is found once.

    Capital letters in the text make the search distinguish case; without them it does not.  Blocks start at byte
    ``at``.  A text holds no newline, so that a match lies within one line.
    """

    def __init__(self, text: str, at: int) -> None:
        self._places = _ignoring_case(text) if text == text.lower() else _as_written(text)
        self._longest = max(_longest(text), 1)
        self._carry = b""
        self.at = at
        """Byte that the next block starts at."""

    def feed(self, block: bytes) -> list[tuple[int, int]]:
        """Start and end of every match that ends in ``block``; matches do not overlap."""
        text = self._carry + block
        base = self.at - len(self._carry)
        used = 0
        found = []
        for start, end in self._places(text):
            if start >= used:
                found.append((base + start, base + end))
                used = end
        self.at += len(block)
        self._carry = text[max(used, len(text) - self._longest + 1) :]
        return found


class Places:
    """Byte ranges in ascending order, at most ``VIEW_MATCHES`` of them, at 12 bytes each; ``count`` goes on."""

    def __init__(self) -> None:
        self._starts = array("Q")
        self._lengths = array("L" if array("L").itemsize == 4 else "I")  # noqa: PLR2004
        self.count = 0

    def add(self, found: list[tuple[int, int]]) -> None:
        """Add ranges that lie after those already there."""
        self.count += len(found)
        room = VIEW_MATCHES - len(self._starts)
        for start, end in found[:room]:
            self._starts.append(start)
            self._lengths.append(end - start)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, index: int) -> tuple[int, int]:
        return self._starts[index], self._starts[index] + self._lengths[index]

    def first_from(self, offset: int) -> int:
        """Index of the first range that starts at ``offset`` or after it; ``len`` when there is none."""
        return bisect_left(self._starts, offset)

    def last_before(self, offset: int) -> int:
        """Index of the last range that starts before ``offset``; -1 when there is none."""
        return self.first_from(offset) - 1

    def between(self, start: int, end: int) -> list[tuple[int, int]]:
        """Ranges that touch ``start:end``."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = bisect_left(self._starts, end)
        return [place for place in (self[i] for i in range(first, last)) if place[1] > start]


def _as_written(text: str) -> Callable[[bytes], Iterable[tuple[int, int]]]:
    needle = text.encode("utf-8", "surrogateescape")

    def places(data: bytes) -> Iterable[tuple[int, int]]:
        at = data.find(needle)
        while at >= 0:
            yield at, at + len(needle)
            at = data.find(needle, at + len(needle))

    return places


def _ignoring_case(text: str) -> Callable[[bytes], Iterable[tuple[int, int]]]:
    """Hyperscan: ``re`` takes ten times as long to ignore case."""
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    # Not as UTF-8: a block may begin or end inside a code point.
    flags = hyperscan.HS_FLAG_CASELESS | hyperscan.HS_FLAG_SOM_LEFTMOST
    database.compile(expressions=[b"".join(map(_either_case, text))], ids=[0], flags=[flags])

    def places(data: bytes) -> Iterable[tuple[int, int]]:
        found: list[tuple[int, int]] = []

        def take(_id: int, start: int, end: int, _flags: int, _context: object) -> None:
            found.append((start, end))

        database.scan(data, match_event_handler=take)
        return sorted(found)

    return places


def _either_case(character: str) -> bytes:
    if character.isascii():
        return re.escape(character.encode())
    forms = {form.encode("utf-8", "surrogateescape") for form in _forms(character)}
    return b"(?:" + b"|".join(map(re.escape, sorted(forms))) + b")"


def _longest(text: str) -> int:
    return sum(max(len(form.encode("utf-8", "surrogateescape")) for form in _forms(c)) for c in text)


def _forms(character: str) -> tuple[str, str, str]:
    return character, character.upper(), character.lower()
