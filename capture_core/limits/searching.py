"""What bounds a search: what is read at once, what is held of a line, what is told of a hit."""

from __future__ import annotations

from capture_core.limits import KIB, MIB
from capture_core.limits.reading import SEARCH_LINE_BYTES

SEARCH_PIECE_BYTES = 16 * MIB
"""Whole lines of about this much are one thread's work at a time."""

SEARCH_PARALLEL_BYTES = 48 * MIB
"""From here on two threads search; a smaller text is searched before a thread has begun."""

SEARCH_THREADS = 2
"""More would wait for each other: what they find is told under the interpreter's lock."""

SEARCH_AHEAD_BATCHES = 4
"""So many batches of hits may wait for whoever takes them, of each piece; then its thread waits."""

SEARCH_BATCH_HITS = 256
"""So many hits come together at most."""

SEARCH_BACK_BYTES = 64 * KIB
"""A search backwards goes through whole lines of about this much, from the last such piece on."""

SEARCH_OVERLAP_BYTES = SEARCH_LINE_BYTES // 4
"""So much of two such pieces is the same; a match longer than that may be told as ending with its piece."""

SEARCH_HIT_MATCHES = 1000
"""The most matches of one line that are told with it; all are counted where they are to be counted."""

SEARCH_CONTEXT_LINES = 1000
"""The most lines before or after a hit."""

SEARCH_NUMBERING_BYTES = 32 * MIB
"""So many bytes' lines are counted between two looks whether to stop."""
