"""Every number that bounds something, with its unit in its name, and where a value came from."""

from __future__ import annotations

from enum import StrEnum

from capture_core.record import Record

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

LARGEST_BYTES = 2**63 - 1
LONGEST_SECONDS = 100 * 365 * 86_400
"""What may be typed as a size or a time span: beyond, the system's own calls overflow."""

CAPTURE_ID_RANDOM_CHARS = 16
"""16 characters of base32 are 80 random bits: enough that two captures never meet by chance."""

TOOL_NAME_CHARS = 64
LABEL_CHARS = 200

SHORTEST_SECRET_BYTES = 9
"""No rule finds a secret in a shorter text: five bytes at least introduce one, and four are its least value."""

CALL_OFF_SECONDS = 1.0
"""How long a front that is told to end before its child runs waits for its owner to say that it will not run."""

CATCH_UP_SECONDS = 0.5
"""How long a stop of the command is kept from its shell while what it printed before is still being passed on."""

CLAIM_TRIES = 100
CLAIM_RETRY_SECONDS = 0.005
"""How often, and how soon again, a folder is opened that another start is just removing; beyond: used unclaimed."""

WRITE_BEHIND_BYTES = 32 * KIB
"""A block of no less is written in a thread of its own: a smaller one is written sooner than a thread is woken."""

GATHER_BYTES = 64 * KIB
GATHER_SECONDS = 0.05
"""Small parts of a text that is saved are written together: up to this size, or until this long after the last."""

SEAL_FOLLOW_FROM_BYTES = 4 * MIB
"""From here on a stream is hashed and written back while it grows; a smaller one at its end, without threads."""

SEAL_BLOCK_BYTES = 256 * KIB
SEAL_BLOCKS_BEHIND = 4
SEAL_WRITE_BACK_EVERY_BYTES = 8 * MIB
"""How much is hashed together, and how far hashing, in blocks of at most a read, and writing back may lag behind."""

MOST_TORN_BYTES = 3
"""What a write that failed half-way can leave of a code point."""

COUNT_LINES_UP_TO_BYTES = 64 * MIB
"""The lines of a larger stream are not counted for its receipt: unknown, not 0."""

KEPT_MEMORY_BYTES = 32 * MIB
"""How much freed memory an owner keeps for its next read, instead of giving it back to the system."""

AFTER_KILL_SECONDS = 1.0
"""How long those who were killed may take to be gone; what the kernel holds longer is not waited for."""

OWNER_PARTING_SECONDS = 1.0
"""How much later than its job the owner of a capture within an ended job is killed: until then it can finish that."""

GROUP_LOOK_SECONDS = 0.02
"""How often the group of an ended leader is looked at."""

MEMORY_LOOK_SECONDS = 0.2
MEMORY_LOOK_SHARE = 20
"""How often the memory of a job's processes is looked at, and never for more than one part in this many of a time."""

HOLDERS_SECONDS = 0.5
"""How long is looked for who still holds a stream open; beyond: nobody knows."""

OTHER_PROCESSES = 8
OTHER_PROCESS_CHARS = 64
"""So many processes are named where something is said of them, and so much of a name is kept, once it is masked."""

PROGRESS_TAIL_BYTES = 4 * KIB
"""How much of the end of a growing text is looked at for how far its program is, and for what it may wait for."""

PROGRESS_LINE_CHARS = 240
"""A line longer than this is none that states progress."""

SILENT_SECONDS = 10.0
"""From here on it is told that a running job prints nothing."""

PROMPT_SECONDS = 2.0
"""An unfinished line that looks like a question, and this long nothing after it: perhaps it waits for an answer."""

PULSE_SECONDS = 1.0
"""The UI reads the end of a growing text at most this often for what its job seems to be doing."""

PULSE_JOBS = 16
"""And of so many jobs at once."""

PULSE_ASK_SECONDS = 10.0
"""It asks the OS what a silent job waits for at most this often."""

ASKED_PROCESSES = 64
"""So many processes of a job are asked whether they read a terminal."""

BUFFERING_SECONDS = 30.0
"""From here on it is told that what a silent job prints may lie in its own buffer, where it prints on a pipe."""

ENGINE_FILE_BYTES = 64 * MIB
"""A kept redaction engine larger than this is not one."""


THINKING_SECONDS = 30.0
"""How long a writer may take over one read without going to its disk; beyond, it counts as stalled."""


NAMES_BYTES = 16 * KIB
"""Room taken at launch for the live receipt of a capture that is to get its names later, when the disk may be full."""


class LimitFrom(StrEnum):
    """Where the limit of one capture came from."""

    DEFAULT = "default"
    ASKED = "asked"
    """Somebody asked for just this one: the conversation may retain as much beside what it has."""


class Limits(Record):
    """What one capture may use.  Every field is a bound; what happens at it stands beside it.

    The defaults are those of a library call; :data:`FOR_PEOPLE` holds those of ``capview run``.
    """

    capture_bytes: int = 32 * MIB
    """Retained bytes of one capture, all streams together; beyond: ``partial/quota``, draining goes on."""

    conversation_bytes: int = 128 * MIB
    """Retained bytes of one conversation; beyond: ``partial/conversation-quota``."""

    pending_fragment_bytes: int = 64 * KIB
    """An undecided fragment; beyond: omitted, with a marker in the text."""

    queue_bytes: int = 8 * MIB
    """Bytes between reader and writer; beyond: the reader discards, ``partial/writer-stalled``."""

    queue_item_bytes: int = 128
    """What one queued read is charged beside its bytes, so that single-byte reads are bounded too."""

    stall_seconds: float = 1.0
    """How long the disk may take until a full queue falls to half; beyond: the writer is stalled, the child runs on."""

    read_bytes: int = 1 * MIB
    """One read of a pipe.  Below, the work on each read costs more than the work on its bytes."""

    pipe_bytes: int = 1 * MIB
    """Capacity asked for the child's pipes; the kernel may grant less."""

    preview_stdout_chars: int = 8_000
    preview_stderr_chars: int = 2_000
    preview_total_bytes: int = 16 * KIB
    """Head and tail shown of a stream, in characters, and of both together, in UTF-8 bytes."""

    tail_text_bytes: int = 16 * KIB
    """After a cut, the last sanitised text that the receipt keeps, outside the retained range."""

    receipt_bytes: int = 128 * KIB
    """Room reserved for the final receipt at launch, so that a full disk cannot prevent it."""

    drain_seconds: float = 1.0
    """How long a stream may stay open after the child's exit; beyond: ``partial/drain-timeout``."""

    kill_grace_seconds: float = 2.0
    """Between TERM and KILL of a cancelled or timed-out group."""

    on_complete_seconds: float = 60.0
    """How long the command of ``--on-complete`` may take; then its group gets TERM, and KILL after the grace."""

    settle_seconds: float = 10.0
    """How long the front waits for the receipt after the child's exit code is known."""

    live_receipt_seconds: float = 1.0
    """The live receipt is replaced at state changes only, and at most this often."""

    unseen_seconds: float = 5.0
    """How long a job may run that others cannot find; beyond: it is a capture, however little it prints."""


LIBRARY = Limits()
FOR_PEOPLE = Limits(capture_bytes=256 * MIB, conversation_bytes=4 * GIB)

INLINE_FRAME_BYTES = 2 * KIB
"""What an inline text may take beside the output in it, when nobody gives a budget: the preview's bytes and these."""

INLINE_MOST_BYTES = 4 * MIB
"""A larger budget for an inline text is refused: it is made in memory."""

SHOWN_FILE_BYTES = 1 * MIB
"""So much is noted of what was handed out of one capture; beyond: handed out all the same, and said so."""

READ_RANGE_BYTES = 16 * KIB
"""What ``capview read`` prints when not told otherwise; more is named with the command that continues."""

REQUEST_BYTES = 8 * KIB
"""What an owner reads of a request file."""

REQUEST_SECONDS = 0.5
"""How often an owner looks for one."""

RECEIPT_READ_BYTES = 1 * MIB
"""A receipt larger than this is not ours: refused unread."""

VIEW_PAGE_BYTES = 64 * KIB
"""What a view reads at once, and the block of its sparse line index."""

VIEW_CACHED_PAGES = 48
"""Pages that one view keeps, 3 MiB; beyond: the one that was not looked at for longest is read again."""

VIEW_INDEX_READ_BYTES = 1 * MIB
"""One read of the background line count."""

VIEW_PIECE_BYTES = 4 * KIB
"""A longer line is shown in pieces, each at least this and less than twice this long."""

VIEW_REDRAW_BYTES = 64 * KIB
"""Text between two carriage returns that is longer is shown, not taken for an overwritten redraw."""

VIEW_REDRAW_SCAN_BYTES = 1 * MIB
"""How far back the redraws of a line are counted before it is painted; beyond: counted behind it."""

RACY_DIRECTORY_SECONDS = 2.0
"""A folder that changed this shortly before its listing is listed again: some disks' times are that coarse."""

RANGE_BYTES = 4 * MIB
"""The most that one range of a source gives; asking for more gets this much and its end."""

LINE_BLOCK_BYTES = 256 * KIB
"""One read while lines are counted or looked for."""

OPEN_STREAMS = 16
"""Streams that a local source keeps open for its readers; beyond: the one unused for longest is closed."""

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

SEARCH_BLOCK_BYTES = 256 * KIB
"""One read of a search; larger ones hold the interpreter lock for too long."""

SEARCH_LINE_BYTES = 1 * MIB
"""A longer line is searched in pieces of this size, each overlapping the one before by a quarter."""

SEARCH_HIT_TEXT_BYTES = 4 * KIB
"""The most of a line that a hit carries, around the match."""

REQUEST_PATIENCE_SECONDS = 10.0
"""How long ``cancel`` and ``promote`` wait for an owner to take their request; it looks twice a second."""

REQUEST_LOOK_SECONDS = 0.05
"""Between two looks whether it has."""

REQUEST_REASON_CHARS = 200
"""The words that a request may give to an owner."""

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

VIEW_SEARCH_READ_BYTES = 1 * MIB
"""One read of a search within a view."""

VIEW_MATCHES = 1_000_000
"""Matches of one search that a view can step through; beyond: counted only, and said so."""

CONTROL_STRING_BYTES = 64 * KIB
"""How much of a terminal's control string (OSC, DCS and such) may pass before a newline ends it as a stray one."""

SGR_BYTES = 128
"""Longer parameters of a control sequence do not change the style: nothing real is as long, and much is remembered."""

REMEMBERED_EFFECTS = 1024
"""Runs of control sequences whose effect on the style is remembered; beyond: all are forgotten."""

SIDECAR_SHARE = 8
"""The sidecars of a capture take at most one part in this many of its limit, beside the text."""

SIDECAR_TIME_NANOSECONDS = 50_000_000
"""Between two arrival times that are recorded: at most 20 a second."""

SIDECAR_RANGE_RECORDS = 64 * KIB
"""The most records that one range of a sidecar gives."""

JUDGED_VALUE_BYTES = 128
"""A longer value of a secret-looking name is a secret; a shorter one may be code, a counter or a placeholder."""

UNJUDGED_VALUE_BYTES = 4 * KIB
"""Of a longer value not even a part is taken for harmless: what it costs to judge many of them is not linear."""

LOOK_BACK_BYTES = 256
"""Committed text that a redaction rule may see before a value: no rule's name and sign are longer."""

LINE_BREAK_BYTES = 8
"""As many carriage returns and line feeds may break a line within a token; more are not one break."""

HARMLESS_BYTES = 5
"""So much of a secret may be given out: what stands before a break of the line that comes so early in it."""

ENDS_BYTES = 512
"""What ends a value may be this long: it may take two lines to tell that a block of text is over."""

SHORTEST_KNOWN_BYTES = 6
"""A known value, or a form of one, that is shorter is not looked for, and so much of one tells nothing."""

KNOWN_LINE_BYTES = 16
"""Lines of a known value that are at least this long are known values themselves."""

KNOWN_VALUE_BYTES = 64 * KIB
"""A known value that is larger is not looked for, and listed as such; a larger file of them is refused."""

KNOWN_PIECE_BYTES = 4 * KIB
"""Known values are looked for in pieces of this size: so much is held at most until it is known for one."""

SKIPPED_NAMES = 100
"""Names of values that are not looked for which a receipt lists; the rest is counted."""

MESSAGE_CHARS = 2_000
"""An error line is cut here."""

KNOWN_BREAK_BYTES = 8
"""A longer run of line breaks ends a known value: else newlines without end would be held."""

VEIL_BYTES_AT_MOST = 4 * KIB
"""Values that overlap one another are hidden in pieces of this size: else they would be held without end."""

KNOWN_HEAD_BYTES = 16
"""So much of a known value's beginning is looked for everywhere; the rest is compared there."""

SEARCH_PATTERN_BYTES = 4 * KIB
"""A longer pattern is refused: what it costs to compile is not linear."""

WATCH_DEBOUNCE_MS = 50
"""How long file events are gathered into one wake."""

WATCH_STEP_MS = 25
"""Between two looks of the watcher at its events: shorter steps cost processor time while nothing happens."""

WATCH_TICK_MS = 250
"""How long a watch waits for events before it wakes its source all the same."""

WATCH_RETRY_SECONDS = 30.0
"""Before a watch that could not be had is tried again; until then the clock does its work."""

SETTINGS_FILE_BYTES = 64 * KIB
"""A settings file larger than this is not one: refused."""

CONVERSATION_SLUG_CHARS = 40
"""Of a working directory's name, in the name of its conversation."""

FOLLOW_LINES = 10
"""Lines that ``capview follow`` shows of what was there before it came, as ``tail -f`` does."""

LISTED_CANDIDATES = 20
"""Captures that an ambiguous REF lists; the rest is counted."""

BINARY_START_BYTES = 16
BINARY_HEAD_BYTES = 4 * KIB
BINARY_WINDOW_BYTES = 512
"""How far into a stream what is not UTF-8, and how far a strange control hints at binary; how much is judged then."""

REMOVED_TOGETHER = 256
"""Captures of one folder that are removed in one go, synced twice; what is interrupted leaves so many damaged."""

LEAST_FREE_INODES = 1000
LEAST_OPEN_FILES = 64
"""With fewer, ``capview doctor`` says so: each capture makes half a dozen files, and has a dozen open."""

REMARKS_A_KIND = 20
"""Of the same kind in one conversation, ``capview doctor`` prints so many; the rest is counted."""

USER_RULES = 50
USER_RULE_NAME_CHARS = 40
USER_RULE_BYTES = 200
"""Redaction rules of a user's own in one file; a longer name of one is refused, it stands in every mark; so is a
longer pattern."""

USER_RULE_FEWEST_BYTES = 1 * KIB
"""No such rule matches only what is longer: hyperscan takes half a minute to say that it is too large."""

ALLOWANCE_STEP_BYTES = 4 * MIB
ALLOWANCE_FIRST_STEP_BYTES = 64 * KIB
"""How much more than it needs a capture takes of its conversation's allowance at once, and how much at first; never
more than it has taken already, or than a share of what is left."""

ALLOWANCE_STEP_SHARE = 16
"""All owners together hold no more than one part in this many of what was left: others can use the last of it."""

ALLOWANCE_SIDECAR_SHARE = 32
"""One part in this many of what is left of an allowance stays with the sidecars, so that text is cut where it would be
without them."""

ALLOWANCE_LOCK_SECONDS = 3.0
"""How long a writer waits for an owner that holds the tally and does not go on; beyond: it retains nothing more."""

ALLOWANCE_QUEUE_SECONDS = 60.0
"""How long it waits while others have their turns, at most: a thousand owners are through sooner."""

ALLOWANCE_ASKED_OWNERS = 32
"""So many of a conversation's owners are asked whether they live, whenever one more begins to write."""

ALLOWANCE_FIRST_RETRY_SECONDS = 0.000_05
ALLOWANCE_RETRY_SECONDS = 0.005
"""Between two tries for the tally, at first and at most: each waits twice as long as the one before."""

ALLOWANCE_RESERVED_BYTES = 4 * KIB
"""One block for a new tally, with room for a hundred owners: so that a full disk does not keep them from counting."""

ALLOWANCE_OWNERS = 1000
"""Captures of one conversation that write at the same time; one more retains nothing."""

ALLOWANCE_COUNT_AGAIN_SECONDS = 2.0
"""A full allowance is counted again from the files, unless that was done so shortly before."""

ALLOWANCE_UNLISTED_BYTES = 8 * MIB
"""What an owner may be about to write of which the tally, lost while it ran, does not tell yet: a read, grown by what
stands for bad bytes and masked values, and a step."""

ALLOWANCE_WARN_FROM = 0.8
"""From this part of an allowance on, a receipt line and a list of captures say so."""

CONSUMER_TURN_SECONDS = 5.0
CONSUMER_RETRY_SECONDS = 0.005
"""How long somebody waits for another process that has the same consumer's turn, and between two tries for it."""

CONSUMER_STATE_BYTES = 64 * MIB
"""What was delivered to a consumer, or its cursors, in one file: 34 bytes a capture.  A larger one is not ours."""

CONSUMER_STALE_LINES = 256
"""So many lines that tell nothing any more may such a file hold, and as many as others; then it is written anew."""

KEYS_BYTES = 4 * KIB
"""What is typed into a pseudo-terminal at once: as much as the kernel keeps of it."""

ROWS = 24
COLUMNS = 80
MOST_COLUMNS = 65_535
"""The size of a pseudo-terminal where there is no real one and the environment names none; the kernel's bound."""

TERMINAL_END_SECONDS = 0.1
"""How often a pseudo-terminal that nobody types into is looked at: whoever reads it is told that nothing comes."""

NOTICE_LOOK_SECONDS = 0.2
"""Between two looks for captures that have ended."""
