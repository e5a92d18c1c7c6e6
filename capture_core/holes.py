"""Holes of a sparse file: what was never written, reads as zeros, and need not be read."""

from __future__ import annotations

import errno
import os
import sys
from typing import Final

NOTHING_FOLLOWS: Final = sys.maxsize
"""Beyond the end of any file."""


def data_from(fd: int, offset: int) -> int:
    """The first offset from ``offset`` on that may hold anything but zeros; :data:`NOTHING_FOLLOWS`: only a hole does.

    Moves the descriptor's own position, which nobody uses here.  Where holes cannot be told there are none.
    """
    try:
        return os.lseek(fd, offset, os.SEEK_DATA)
    except OSError as error:
        # Also where the file ends before ``offset``: what is missing there is told by whoever reads it.
        return _unless_short(fd, offset) if error.errno == errno.ENXIO else offset


def _unless_short(fd: int, offset: int) -> int:
    return NOTHING_FOLLOWS if offset < os.fstat(fd).st_size else offset
