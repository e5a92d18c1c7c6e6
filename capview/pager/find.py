"""Where a text occurs in a stream of bytes, block by block, and a compact list of the places."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right

from capture_core.limits import VIEW_MATCHES


class Finder:
    """Finds a literal in blocks that follow each other; a match across two blocks is found once.

    Capital letters in the text make the search distinguish case; without them it does not.  Blocks start at byte
    ``at``.  A text holds no newline, so that a match lies within one line.
    """

    def __init__(self, text: str, at: int) -> None:
        self._pattern = _pattern(text)
        self._longest = max(_longest(text), 1)
        self._carry = b""
        self.at = at
        """Byte that the next block starts at."""

    def feed(self, block: bytes) -> list[tuple[int, int]]:
        """Start and end of every match that ends in ``block``."""
        text = self._carry + block
        base = self.at - len(self._carry)
        found = [(base + m.start(), base + m.end()) for m in self._pattern.finditer(text)]
        self.at += len(block)
        used = found[-1][1] - base if found else 0
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


def _pattern(text: str) -> re.Pattern[bytes]:
    if text != text.lower():
        return re.compile(re.escape(text.encode()))
    letters = [_either_case(character) for character in text]
    return re.compile(b"".join(letters), re.IGNORECASE)


def _either_case(character: str) -> bytes:
    if character.isascii():
        return re.escape(character.encode())
    forms = {character, character.upper(), character.lower()}
    return b"(?:" + b"|".join(re.escape(form.encode()) for form in sorted(forms)) + b")"


def _longest(text: str) -> int:
    return sum(max(len(form.encode()) for form in (c, c.upper(), c.lower())) for c in text)
