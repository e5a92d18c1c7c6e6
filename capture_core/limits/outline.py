"""What bounds the outline of a build."""

from __future__ import annotations

from capture_core.limits import KIB

OUTLINE_BLOCK_BYTES = 256 * KIB
"""One read while steps are looked for."""

OUTLINE_LINE_BYTES = 1 * KIB
"""So much of a line is looked at."""

OUTLINE_TITLE_BYTES = 200
"""So much of a step's title is carried along."""

OUTLINE_STEPS = 10_000
"""So many steps of one stream are kept, the first ones; further ones are counted."""

OUTLINE_OPEN_STEPS = 100
"""So many of them may be open at once; beyond: the oldest is given up, as one that has not ended."""

OUTLINE_DEPTH = 50
"""No step lies in more others than this; deeper ones stand beside each other."""

OUTLINE_STEPS_SHOWN = 100
"""So many ``capview outline`` shows when not told otherwise; more are named with the command that shows them."""
