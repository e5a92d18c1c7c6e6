"""What of a stream's text is in its file: how much, how it ends, and the digest that makes it evidence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from capture_core.cutting import chars_in
from capture_core.durable import size_of
from capture_core.head_and_tail import preview_of
from capture_core.seal import Sealer

if TYPE_CHECKING:
    from capture_core.facts import PreviewFacts


class Committed:
    """Of one file, which only grows, or is begun anew while nobody has seen it.  For the writer thread alone."""

    def __init__(self, fd: int, *, has_lines: bool) -> None:
        """``has_lines``: what is written is text, not any bytes."""
        self._fd = fd
        self._has_lines = has_lines
        self.sha256: str | None = None
        """Known from :meth:`seal` on, as is ``lines``."""
        self.lines: int | None = None
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all of it: the file was cut back, and :meth:`record` is told what is left."""
        self.size = 0
        """Bytes."""
        self.chars = 0
        """Code points, as far as they were counted."""
        self._last = b""
        self._sealer = Sealer(self._fd)

    def record(self, text: bytes, *, counts_chars: bool) -> None:
        """Take what the file is longer by now."""
        self.size += len(text)
        if counts_chars:
            self.chars += chars_in(text)
        self._last = text[-1:] or self._last
        self._sealer.committed(text)

    @property
    def has_final_newline(self) -> bool | None:
        """Whether the last line is whole; ``None`` where there is no line."""
        return self._last == b"\n" if self.size and self._has_lines else None

    def text(self) -> bytes:
        """All of it; for what is small.  Raises ``OSError``."""
        return os.pread(self._fd, self.size, 0)

    def preview(self, chars: int, tail_text: str | None = None) -> PreviewFacts:
        """Head and tail ranges for ``chars`` characters, beside what came last after a cut."""
        return preview_of(self._fd, self.size, chars, tail_text)

    def seal(self, *, sync: bool = True) -> None:
        """Know the digest, and have all of it safe on the disk, where ``sync``.  Raises ``OSError``."""
        self._sealer.close(sync=sync)
        self.sha256 = self._sealer.hexdigest()
        self.lines = self._sealer.lines() if self._has_lines else None

    def is_all_there(self) -> bool:
        """Whether the file is as long as it was made.  Raises ``OSError``."""
        return size_of(self._fd) == self.size
