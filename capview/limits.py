"""What bounds views, watches and commands: every number that only capview uses, with its unit in its name."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

VIEW_PAGE_BYTES = 64 * KIB
"""What a view reads at once, and the block of its sparse line index."""

VIEW_CACHED_PAGES = 48
"""Pages that one view keeps, 3 MiB; beyond: the one that was not looked at for longest is read again."""

VIEW_AHEAD_PAGES = 16
"""Pages read together where one after another is asked for, as along a line of megabytes of redraws."""

VIEW_INDEX_READ_BYTES = 1 * MIB
"""One read of the background line count."""

VIEW_PIECE_BYTES = 4 * KIB
"""A longer line is shown in pieces, each at least this and less than twice this long."""

VIEW_REDRAW_BYTES = 64 * KIB
"""Text between two carriage returns that is longer is shown, not taken for an overwritten redraw."""

VIEW_REDRAW_SCAN_BYTES = 1 * MIB
"""How far back the redraws of a line are counted before it is painted; beyond: counted behind it."""

VIEW_SEARCH_READ_BYTES = 1 * MIB
"""One read of a search within a view."""

VIEW_MATCHES = 1_000_000
"""Matches of one search that a view can step through; beyond: counted only, and said so."""

VIEW_PAINT_SECONDS = 0.033
"""After an append was painted at once, the next ones are painted together, this much later."""

VIEW_NEWS_SECONDS = 0.1
"""After news of captures were shown at once, the next are shown together, this much later."""

VIEW_TAIL_SECONDS = 0.02
"""After the length of a stream was asked for, it is asked for again this much later at the earliest."""

VIEW_TAIL_POLL_SECONDS = 0.1
VIEW_TAIL_CHECK_SECONDS = 2.0
"""How often the length is asked for where file events cannot be had, and where they can."""

VIEW_TICK_SECONDS = 1.0
"""How often ages and elapsed times are drawn anew."""

VIEW_RATE_SECONDS = 5.0
"""The span over which a job's bytes per second are taken."""

VIEW_COLOURS_AGAIN_SECONDS = 0.25
"""After the colours at the end of a growing stream were read, they are read again: they are written after the text."""

PULSE_SECONDS = 1.0
"""The UI reads the end of a growing text at most this often for what its job seems to be doing."""

PULSE_JOBS = 16
"""And of so many jobs at once."""

PULSE_ASK_SECONDS = 10.0
"""It asks the OS what a silent job waits for at most this often."""

PROGRESS_TAIL_BYTES = 4 * KIB
"""How much of the end of a growing text is looked at for how far its program is, and for what it may wait for."""

WATCH_DEBOUNCE_MS = 50
"""How long file events are gathered into one wake."""

WATCH_STEP_MS = 25
"""Between two looks of the watcher at its events: shorter steps cost processor time while nothing happens."""

WATCH_TICK_MS = 250
"""How long a watch waits for events before it wakes its source all the same."""

WATCH_RETRY_SECONDS = 30.0
"""Before a watch that could not be had is tried again; until then the clock does its work."""

REQUEST_PATIENCE_SECONDS = 10.0
"""How long ``cancel`` and ``promote`` wait for an owner to take their request; it looks twice a second."""

REQUEST_LOOK_SECONDS = 0.05
"""Between two looks whether it has."""

FOLLOW_LINES = 10
"""Lines that ``capview follow`` shows of what was there before it came, as ``tail -f`` does."""

SEARCH_PRINTED_HITS = 100
SEARCH_PRINTED_BYTES = 16 * KIB
"""What ``capview search`` prints when not told otherwise: whichever comes first; then the command that continues."""

LEAST_FREE_INODES = 1000
LEAST_OPEN_FILES = 64
"""With fewer, ``capview doctor`` says so: each capture makes half a dozen files, and has a dozen open."""

REMARKS_A_KIND = 20
"""Of the same kind in one conversation, ``capview doctor`` prints so many; the rest is counted."""
