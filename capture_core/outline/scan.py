"""Blocks of a text in, the outline out: a streaming stage that looks closely only at lines that begin as steps do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits.outline import OUTLINE_BLOCK_BYTES
from capture_core.outline.forms import compiled
from capture_core.outline.lines import Lines
from capture_core.outline.nesting import Nesting
from capture_core.outline.step import Outline

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from capture_core.lines import Read
    from capture_core.outline.form import Form
    from capture_core.outline.lines import Line


class OutlineScan:
    """Finds the steps of a build in a stream, fed in blocks of any size, in linear time and bounded memory."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._nesting = Nesting()
        self._counted: dict[str, tuple[int, int]] = {}
        """The last count of each form that counts."""

    def feed(self, block: bytes) -> None:
        """Take a block."""
        for line in self._lines.feed(block):
            self._look(line)

    def finish(self) -> Outline:
        """The outline, at the end of the stream or of what there is of it."""
        for line in self._lines.finish():
            self._look(line)
        end = self._lines.end
        self._nesting.finish(end, self._lines.last_number)
        return Outline(tuple(self._nesting.steps), self._nesting.more, end)

    def _look(self, line: Line) -> None:
        """Let the first form have it that knows it."""
        for form, opens, closes in compiled():
            if form.within and not self._nesting.is_open(form.within):
                continue
            if (found := opens.match(line.text)) is not None and self._counts(form, found, line):
                self._nesting.open(form, found, line)
                return
            if closes is not None and (found := closes.match(line.text)) is not None:
                # Another form may end with the same line.
                self._nesting.close(form, found, line)

    def _counts(self, form: Form, found: re.Match[bytes], line: Line) -> bool:
        """Whether what looks like a count of some among all of them is one, and another one than before it.

        On a terminal ninja redraws its line as an edge begins and when it has ended: only then the count grows.
        """
        named = found.groupdict()
        if "done" not in named:
            return True
        count, before = (int(named["done"]), int(named["total"])), self._counted.get(form.name)
        self._counted[form.name] = count
        return count[0] <= count[1] and not (line.is_redraw and count == before)


def outline(read: Read, end: int, *, stop: Callable[[], bool] = lambda: False) -> Outline:
    """The outline of the first ``end`` bytes of a stream, or of less, when ``stop`` says so.

    Raises what ``read`` does; ``read(start, end)`` gives exactly the bytes of that range,
    as :meth:`StreamReader.read` does.
    """
    scan, position = OutlineScan(), 0
    while position < end and not stop():
        block = read(position, min(position + OUTLINE_BLOCK_BYTES, end))
        if not block:
            break
        position += len(block)
        scan.feed(block)
    return scan.finish()
