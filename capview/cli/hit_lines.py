"""Hits as lines of text: where each is, what it says, and the lines around it, none of them twice."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from capview.cli.passage import for_terminals
from capview.cli.words import put

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.source import Hit, NearLine

_GAP: Final = b"--\n"


class HitLines:
    """Prints hits in the order in which they come.

    A hit is ``STREAM:LINE:START:END:TEXT``, with the capture before it where there are several; START and END are the
    match's bytes.  Of a line near one the separators are hyphens, and the bytes are the line's.
    """

    def __init__(self, *, labelled: bool, context: bool, backward: bool) -> None:
        self._labelled = labelled
        self._context = context
        self._backward = backward
        self._key: tuple[str, str] | None = None
        self._end = 0
        """Lines of this stream that begin before this were printed."""
        self._after: tuple[NearLine, ...] = ()
        """Lines behind the last hit: not printed before it is known that no hit is among them."""

    def print(self, hit: Hit, name: str) -> int:
        """Print a hit and what of its surroundings is due; how many bytes."""
        key = name, hit.stream
        follows = key == self._key and not self._backward
        due = [line for line in self._after if not follows or line.line_start < hit.line_start]
        printed = self._near(due)
        before = [line for line in hit.before if not follows or line.line_start >= self._end]
        first = before[0].line_start if before else hit.line_start
        if self._context and self._key is not None and not (follows and first == self._end):
            printed += _put(_GAP)
        self._key, self._end = key, max(self._end, first) if follows else first
        printed += self._near(before)
        printed += _put(self._line(b":", (hit.line, hit.start, hit.end), hit))
        self._end, self._after = hit.line_end + 1, hit.after
        return printed

    def finish(self) -> None:
        """Print what is due behind the last hit."""
        self._near(self._after)

    def _near(self, lines: Iterable[NearLine]) -> int:
        printed = 0
        for line in lines:
            printed += _put(self._line(b"-", (line.line, line.line_start, line.line_end), line))
            self._end = line.line_end + 1
        return printed

    def _line(self, mark: bytes, places: tuple[int | None, int, int], line: Hit | NearLine) -> bytes:
        name, stream = self._key or ("", "")
        words = [*([name] if self._labelled else []), stream, *("" if at is None else str(at) for at in places)]
        return mark.join((*(word.encode("utf-8", "surrogateescape") for word in words), _text(line))) + b"\n"


def _text(line: Hit | NearLine) -> bytes:
    left, right = line.text_start - line.line_start, line.line_end - line.text_start - len(line.text)
    return (b"[%d bytes] " % left if left else b"") + line.text + (b" [%d bytes]" % right if right else b"")


def _put(line: bytes) -> int:
    put(for_terminals(line) if sys.stdout.isatty() else line, sys.stdout)
    return len(line)
