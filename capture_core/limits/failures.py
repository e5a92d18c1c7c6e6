"""What bounds the search for likely failures."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

FAILURE_BLOCK_BYTES = 256 * KIB
"""One read while failures are looked for."""

FAILURE_LINE_BYTES = 2 * KIB
"""So much of a line is looked at."""

FAILURE_HEADLINE_BYTES = 1 * KIB
"""So much of a failure's headline is carried along."""

FAILURE_LINES = 10_000
FAILURE_BYTES = 1 * MIB
"""No failure has more lines or bytes than this: what comes behind is looked at anew."""

FAILURE_GAP_LINES = 3
"""So many blank lines may stand between an exception and the one that it caused."""

FAILURES_HELD = 10_000
"""Failed tests of one run that are only listed so far: each waits for the report that tells more of it."""

FAILURES_REMEMBERED = 20_000
"""Failed tests of one run that are known again where a summary repeats them; further ones are told twice."""

FAILURE_LEAD_BYTES = 64 * KIB
"""So far before a place the search for the failure next to it begins, so as to know what that place lies in."""

FAILURES_SHOWN = 10
"""So many ``capview errors`` shows when not told otherwise; more are named with the command that shows them."""

FAILURE_SHOWN_LINES = 12
FAILURE_SHOWN_LINE_BYTES = 400
FAILURE_SHOWN_BYTES = 4 * KIB
"""What it shows of each: its first and last lines, and of each line its beginning; and so many bytes in ``--json``."""

FAILURE_CONTEXT_LINES = 2
FAILURE_CONTEXT_MOST_LINES = 20
"""Lines around each failure that it shows, when not told otherwise, and at most."""
