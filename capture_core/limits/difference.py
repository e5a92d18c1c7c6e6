"""What bounds the comparison of two runs."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

DIFFERENCE_BLOCK_BYTES = 256 * KIB
"""One read of each while they are compared."""

DIFFERENCE_LINE_BYTES = 64 * KIB
"""A longer line is compared in pieces of this size, counted from its beginning."""

DIFFERENCE_WINDOW_LINES = 64
DIFFERENCE_MOST_WINDOW_LINES = 64 * KIB
"""So many lines of each are held side by side where they differ, at first and at most, four times as many each time;
where nothing of them is in both, the search for the place where they meet again is given up."""

DIFFERENCE_WINDOW_BYTES = 16 * MIB
"""And no more bytes of each."""

DIFFERENCE_EXACT_CELLS = 16 * KIB
"""Stretches of no more than so many pairs of lines are aligned with the fewest differences; larger ones along the lines
that each side has once."""

DIFFERENCE_LOOKED_LINES = 1_000_000
DIFFERENCE_LOOKED_TIMES = 8
"""So many lines may be looked at in windows, and so many times as many as were passed; beyond: given up."""

DIFFERENCE_RUN_LINES = 3
"""So many lines in a row must agree before the two are taken to be side by side again; where no more come, fewer."""

DIFFERENCE_LINES_KEPT = 1_000
"""So many lines without a counterpart are kept of each; further ones are counted."""

DIFFERENCE_TEXT_BYTES = 400
"""So much of each such line is carried along."""

DIFFERENCE_LINES_SHOWN = 20
"""So many of them ``capview diff`` shows of each, when not told otherwise."""

DIFFERENCE_CONTEXT_LINES = 3
"""Lines before the first difference that it shows."""

SLOWER_SECONDS = 0.5
SLOWER_RATIO = 1.25
"""A step is told as slower when it took so much longer, and so many times as long."""

FAILURES_COMPARED = 100_000
"""So many kinds of likely failures of the first run are remembered; of more, none of the second can be called new."""

NEW_FAILURES_KEPT = 1_000
"""So many new ones are kept; further ones are counted."""
