"""What bounds the reading of captures: ranges, searches, looks at what grows, and consumers."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

RECEIPT_READ_BYTES = 1 * MIB
"""A receipt larger than this is not ours: refused unread."""

READ_RANGE_BYTES = 16 * KIB
"""What ``capview read`` prints when not told otherwise; more is named with the command that continues."""

READ_PIECE_BYTES = 256 * KIB
"""How much of that it reads and prints at once, however much is asked for."""

RANGE_BYTES = 4 * MIB
"""The most that one range of a source gives; asking for more gets this much and its end."""

LINE_BLOCK_BYTES = 256 * KIB
"""One read while lines are counted or looked for."""

LINE_INDEX_BLOCK_BYTES = 64 * KIB
"""One count of newlines is kept for each block of this size."""

LINE_INDEX_COUNTS = 1 * MIB
"""And so many counts of one stream: 8 MiB, 64 GiB of text; beyond: every second one is forgotten, blocks double."""

LINE_INDEX_SLICE_SECONDS = 0.1
"""So long lines are counted before it is told how far that has come."""

LINE_CACHE_FROM_BYTES = 8 * MIB
"""The line index of a smaller text is not kept on disk: counting it again takes less than 10 ms."""

LINE_CACHE_BYTES = 64 * MIB
"""What is kept of line indexes on disk, all together; beyond: those unused for longest are removed."""

OPEN_STREAMS = 16
"""Streams that a local source keeps open for its readers; beyond: the one unused for longest is closed."""

SIDECAR_RANGE_RECORDS = 64 * KIB
"""The most records that one range of a sidecar gives."""

SHOWN_FILE_BYTES = 1 * MIB
"""So much is noted of what was handed out of one capture; beyond: handed out all the same, and said so."""

SEARCH_BLOCK_BYTES = 256 * KIB
"""One read of a search; larger ones hold the interpreter lock for too long."""

SEARCH_LINE_BYTES = 1 * MIB
"""A longer line is searched in pieces of this size, each overlapping the one before by a quarter."""

SEARCH_HIT_TEXT_BYTES = 4 * KIB
"""The most of a line that a hit carries, around the match."""

SEARCH_PATTERN_BYTES = 4 * KIB
"""A longer pattern is refused: what it costs to compile is not linear."""

RACY_DIRECTORY_SECONDS = 2.0
"""A folder that changed this shortly before its listing is listed again: some disks' times are that coarse."""

POLL_SECONDS = 0.25
"""Between two looks at live captures where there are no file events."""

WATCHED_LOOK_SECONDS = 1.0
"""Between two looks at live captures where there are file events: an owner's death makes none."""

SLOW_POLL_SECONDS = 5.0
"""Between two looks at everything that is not watched."""

WATCHED_CONVERSATIONS = 32
"""Conversations without live captures that are watched all the same, when a source has no more than this."""

FOLLOW_POLL_SECONDS = 0.03
"""Between two looks of ``capview follow`` at the length of a stream."""

FOLLOW_LOOK_SECONDS = 0.2
"""Between two looks of ``follow`` and ``wait`` at whether the capture has ended."""

NOTICE_LOOK_SECONDS = 0.2
"""Between two looks for captures that have ended."""

CONSUMER_TURN_SECONDS = 5.0
CONSUMER_RETRY_SECONDS = 0.005
"""How long somebody waits for another process that has the same consumer's turn, and between two tries for it."""

CONSUMER_STATE_BYTES = 64 * MIB
"""What was delivered to a consumer, or its cursors, in one file: 34 bytes a capture.  A larger one is not ours."""

CONSUMER_STALE_LINES = 256
"""So many lines that tell nothing any more may such a file hold, and as many as others; then it is written anew."""

REMOVED_TOGETHER = 256
"""Captures of one folder that are removed in one go, synced twice; what is interrupted leaves so many damaged."""

PROGRESS_LINE_CHARS = 240
"""A line longer than this is none that states progress."""

SILENT_SECONDS = 10.0
"""From here on it is told that a running job prints nothing."""

PROMPT_SECONDS = 2.0
"""An unfinished line that looks like a question, and this long nothing after it: perhaps it waits for an answer."""

BUFFERING_SECONDS = 30.0
"""From here on it is told that what a silent job prints may lie in its own buffer, where it prints on a pipe."""

ASKED_PROCESSES = 64
"""So many processes of a job are asked whether they read a terminal, and what they print on."""

WORKING_SECONDS = 0.2
WORKING_SWITCHES = 20
"""From so much CPU time on, or waits that are over, a process has done something that it may have to tell of."""
