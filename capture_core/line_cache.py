"""Line indexes of ended captures, kept in a folder of the user's: made again when missing, and never trusted.

A file is one index: a magic word, what text it is of, how it ends, its counts, and a digest of all that.  It is taken
only when it is ours alone to write, whole, and of exactly this text; who asks it for a line counts the block around
the answer all the same (:mod:`capture_core.line_places`).
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import struct
import sys
import time
from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from capture_core.directory import open_own
from capture_core.durable import replace
from capture_core.errors import PlaceRefused
from capture_core.limits.reading import (
    LINE_CACHE_BYTES,
    LINE_CACHE_FROM_BYTES,
    LINE_INDEX_BLOCK_BYTES,
    LINE_INDEX_COUNTS,
)
from capture_core.line_index import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.directory import Directory
    from capture_core.reader import FileMark

_FOLDER: Final = "lines"
_MAGIC: Final = b"capview lines 1\n"
_HEAD: Final = struct.Struct("<QQq32sQQ?")
"""Inode, size, time of change in nanoseconds, digest of the text; stride, newlines, whether the last line is open."""
_DIGEST_BYTES: Final = 16
_COUNT_BYTES: Final = 8
_LARGEST_BYTES: Final = len(_MAGIC) + _HEAD.size + (LINE_INDEX_COUNTS + 1) * _COUNT_BYTES + _DIGEST_BYTES
_STRIDES: Final = frozenset(LINE_INDEX_BLOCK_BYTES << doublings for doublings in range(32))
_NAME: Final = re.compile(r"[0-9a-f]{32}|\.[0-9]+-[0-9a-f]{16}")
"""An index, or what one that is being written is called."""
_STRAY_SECONDS: Final = 3600
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class LineCache:
    """The indexes kept below ``folder``, the user's for what can be made again; ``None``: nothing is kept."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder and os.path.join(folder, _FOLDER)

    def load(self, mark: FileMark) -> LineIndex | None:
        """The index of the text that ``mark`` tells, ``None``: none that can be believed."""
        if self._folder is None or mark.size < LINE_CACHE_FROM_BYTES:
            return None
        try:
            with _opened(os.path.join(self._folder, _name(mark))) as fd:
                index = _decoded(_read(fd), mark)
                # What was used lately is kept for longest.
                if index is not None:
                    os.utime(fd)
        except OSError:
            return None
        return index

    def keep(self, mark: FileMark, index: LineIndex) -> None:
        """Keep an index of the whole text; where there is no place for it, it is made again next time."""
        if self._folder is None or mark.size < LINE_CACHE_FROM_BYTES or index.counted != mark.size:
            return
        with contextlib.suppress(OSError, PlaceRefused):
            folder, _ = open_own(self._folder, what="cache")
            try:
                replace(folder, f".{os.getpid()}-{os.urandom(8).hex()}", folder, _name(mark), _encoded(mark, index))
                _remove_old(folder)
            finally:
                folder.close()


def _name(mark: FileMark) -> str:
    return _digest(repr(mark).encode()).hex()


def _digest(data: bytes) -> bytes:
    from hashlib import blake2b  # loads OpenSSL, which most reads do without

    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _encoded(mark: FileMark, index: LineIndex) -> bytes:
    digest = bytes.fromhex(mark.sha256)
    head = _HEAD.pack(mark.inode, mark.size, mark.modified_ns, digest, index.stride, index.newlines, index.is_open)
    data = _MAGIC + head + _little_endian(index.counts).tobytes()
    return data + _digest(data)


def _decoded(data: bytes, mark: FileMark) -> LineIndex | None:
    body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    start = len(_MAGIC) + _HEAD.size
    is_whole = len(body) >= start and body.startswith(_MAGIC) and _digest(body) == digest
    if not is_whole or (len(body) - start) % _COUNT_BYTES:
        return None
    inode, size, modified, text, stride, newlines, is_open = _HEAD.unpack_from(body, len(_MAGIC))
    counts = array("Q")
    counts.frombytes(body[start:])
    counts = _little_endian(counts)
    if (inode, size, modified, text.hex()) != mark[:4] or mark.newlines not in (None, newlines):
        return None
    if not _is_possible(counts, stride, size, newlines):
        return None
    return LineIndex.restored(stride=stride, before=counts, end=size, newlines=newlines, is_open=is_open)


def _is_possible(counts: array[int], stride: int, size: int, newlines: int) -> bool:
    """Whether these can be the counts of a text of ``size`` bytes: one for each block, none more than a block holds."""
    return (
        stride in _STRIDES
        and len(counts) == size // stride + 1
        # Blocks double when there are too many of them, and not before: a line would be looked for in all of the text.
        and (stride == LINE_INDEX_BLOCK_BYTES or len(counts) > LINE_INDEX_COUNTS // 2)
        and counts[0] == 0
        and 0 <= newlines - counts[-1] <= stride
        and all(0 <= after - before <= stride for before, after in pairwise(counts))
    )


def _little_endian(counts: array[int]) -> array[int]:
    if sys.byteorder == "big":
        counts = counts[:]
        counts.byteswap()
    return counts


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    fd = os.open(path, _FLAGS)
    try:
        yield fd
    finally:
        os.close(fd)


def _read(fd: int) -> bytes:
    """What a file holds that is ours alone to write, and may be an index; nothing of any other."""
    status = os.fstat(fd)
    is_ours = status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not is_ours or not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_BYTES:
        return b""
    with open(fd, "rb", closefd=False) as file:
        return file.read(_LARGEST_BYTES)


def _remove_old(folder: Directory) -> None:
    """Remove what was unused for longest, until the rest is small enough; and what writers left that were killed."""
    kept = 0
    for modified, size, name in sorted(_files(folder), reverse=True):
        kept += size
        is_stray = name.startswith(".") and modified < time.time() - _STRAY_SECONDS
        if kept > LINE_CACHE_BYTES or is_stray:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder.fd)


def _files(folder: Directory) -> Iterator[tuple[float, int, str]]:
    with os.scandir(folder.fd) as found:
        for item in found:
            if _NAME.fullmatch(item.name):
                status = item.stat(follow_symlinks=False)
                yield status.st_mtime, status.st_size, item.name
