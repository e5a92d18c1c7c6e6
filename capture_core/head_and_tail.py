"""Which ranges of a written stream a preview shows: its head and a larger tail, in whole characters."""

from __future__ import annotations

import os

from capture_core.cutting import whole_chars, whole_chars_back
from capture_core.facts import ByteRange, PreviewFacts


def preview_of(fd: int, length: int, chars: int, tail_text: str | None) -> PreviewFacts:
    """Ranges of the ``length`` bytes of text in ``fd`` for ``chars`` characters: a third head, the rest tail.

    ``tail_text``: what came last after a cut.  Raises ``OSError`` when the file cannot be read.
    """
    head_end = whole_chars(os.pread(fd, chars * 4 // 3, 0), chars // 3)
    tail_chars = chars - chars // 3
    start = max(head_end, length - 4 * tail_chars)
    tail_start = length - whole_chars_back(os.pread(fd, length - start, start), tail_chars)
    if tail_start <= head_end:
        head, tail, shown = ByteRange(start=0, end=length), None, length
    else:
        head, tail = ByteRange(start=0, end=head_end), ByteRange(start=tail_start, end=length)
        shown = head_end + length - tail_start
    return PreviewFacts(head=head, tail=tail, returned_bytes=shown, omitted_bytes=length - shown, tail_text=tail_text)
