"""A failure as it is printed: its first and last lines, marked, and the lines around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core import lines
from capture_core.cursor import floor_edge
from capture_core.limits.failures import FAILURE_SHOWN_BYTES, FAILURE_SHOWN_LINE_BYTES, FAILURE_SHOWN_LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.failures.finding import Finding
    from capture_core.lines import Read

_HEAD_LINES: Final = FAILURE_SHOWN_LINES // 3
_CUT: Final = "…".encode()


def excerpt(read: Read, committed: int, found: Finding, context: int) -> bytes:
    """The lines of ``found``, each behind ``> ``, and ``context`` lines before and behind it.

    Of a long failure the first and the last lines, and the headline; what is left out between is told in its place.
    """
    before = _before(read, found.start, context)
    behind = _behind(read, found.end, committed, context)
    marked = (b"> " + line for line in _block(read, found))
    return b"".join(line + b"\n" for line in (*_plain(before), *marked, *_plain(behind)))


def _plain(context: list[bytes]) -> Iterator[bytes]:
    return (b"  " + _bounded(line) for line in context)


def _before(read: Read, start: int, count: int) -> list[bytes]:
    low = max(0, start - FAILURE_SHOWN_BYTES)
    return _whole(read(low, start), cut=low > 0)[-count:] if count else []


def _behind(read: Read, end: int, committed: int, count: int) -> list[bytes]:
    # Behind the newline that ends the failure.
    data = read(min(end + 1, committed), min(end + 1 + FAILURE_SHOWN_BYTES, committed))
    return _whole(data, cut=False)[:count]


def _whole(data: bytes, *, cut: bool) -> list[bytes]:
    """The lines of what ends with a newline; the first one was cut, perhaps."""
    rows = data.removesuffix(b"\n").split(b"\n") if data else []
    return [_CUT + rows[0], *rows[1:]] if cut and rows else rows


def _block(read: Read, found: Finding) -> Iterator[bytes]:
    if found.end - found.start <= FAILURE_SHOWN_BYTES:
        rows = read(found.start, found.end).split(b"\n")
        if len(rows) <= FAILURE_SHOWN_LINES:
            yield from map(_bounded, rows)
            return
    yield from _ends(read, found)


def _ends(read: Read, found: Finding) -> Iterator[bytes]:
    """The first lines, what was left out, and the last ones; between them the headline, where it is in neither."""
    head = min(lines.after_lines(read, found.start, found.end, _HEAD_LINES), found.start + FAILURE_SHOWN_BYTES // 2)
    tail = lines.before_lines(read, head, found.end, FAILURE_SHOWN_LINES - _HEAD_LINES - 1)
    tail = max(tail, found.end - FAILURE_SHOWN_BYTES // 2)
    yield from map(_bounded, read(found.start, head).removesuffix(b"\n").split(b"\n"))
    if tail > head:
        yield f"… {tail - head} bytes left out".encode()
    if head <= found.at < tail:
        yield _bounded(found.headline)
    yield from map(_bounded, read(tail, found.end).split(b"\n"))


def _bounded(row: bytes) -> bytes:
    """The beginning of a line, whole code points of it, as a terminal would leave it standing."""
    row = row.rstrip(b"\r").rpartition(b"\r")[2]
    if len(row) <= FAILURE_SHOWN_LINE_BYTES:
        return row
    return row[: floor_edge(row, FAILURE_SHOWN_LINE_BYTES)] + _CUT
