"""A line index caught up with an open file: each byte read once, into the same few buffers; holes are not read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from capture_core.errors import StreamGone
from capture_core.holes import data_from
from capture_core.limits.reading import LINE_BLOCK_BYTES, LINE_INDEX_BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.line_index import LineIndex


def catch_up(fd: int, index: LineIndex, end: int, *, stop: Callable[[], bool] = lambda: False) -> None:
    """Count what of the bytes before ``end`` is not counted yet; ``stop`` is asked before each read.

    For one thread at a time.  Raises :class:`StreamGone` when the file has not so many bytes any more, and ``OSError``.
    """
    buffers = [bytearray(LINE_INDEX_BLOCK_BYTES) for _ in range(LINE_BLOCK_BYTES // LINE_INDEX_BLOCK_BYTES)]
    while index.counted < end and not stop():
        index.skip(min(data_from(fd, index.counted), end))
        if index.counted < end:
            _count_next(fd, index, end, buffers)


def _count_next(fd: int, index: LineIndex, end: int, buffers: list[bytearray]) -> None:
    at = index.counted
    # Up to the edge of a block first: then each buffer is one block, and none is cut.
    into = [bytearray(odd)] if (odd := -at % LINE_INDEX_BLOCK_BYTES) else buffers
    read = min(os.preadv(fd, into, at), end - at)
    if read == 0:
        raise StreamGone(f"the file was cut to {os.fstat(fd).st_size} bytes while its lines were counted")
    for buffer in into:
        index.feed(buffer if read >= len(buffer) else buffer[: max(read, 0)])
        read -= len(buffer)
