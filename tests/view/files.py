"""A real file that a view reads, and that a test makes longer, shorter or another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from capture_core.source import Page

if TYPE_CHECKING:
    from pathlib import Path


class File:
    """A file read as a stream; counts the bytes that were asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generation = 1
        self.asked = 0

    async def fetch(self, start: int, end: int) -> Page:
        with self.path.open("rb") as file:
            committed = os.fstat(file.fileno()).st_size
            data = os.pread(file.fileno(), max(0, min(end, committed) - start), start)
        self.asked += len(data)
        return Page(start=start, end=start + len(data), data=data, committed=committed, generation=self.generation)

    def append(self, data: bytes) -> int:
        """Append, and return the new length."""
        with self.path.open("ab") as out:
            out.write(data)
            return out.tell()
