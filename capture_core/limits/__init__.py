"""What a user can set, and how much of anything may be given; the rooms beside it bound what nobody sets."""

from __future__ import annotations

from enum import StrEnum

from capture_core.record import Record

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

LARGEST_BYTES = 2**63 - 1
LONGEST_SECONDS = 100 * 365 * 86_400
"""What may be typed as a size or a time span: beyond, the system's own calls overflow."""

TOOL_NAME_CHARS = 64
LABEL_CHARS = 200

MESSAGE_CHARS = 2_000
"""An error line is cut here."""

REQUEST_REASON_CHARS = 200
"""The words that a request may give to an owner."""

CONVERSATION_SLUG_CHARS = 40
"""Of a working directory's name, in the name of its conversation."""

LISTED_CANDIDATES = 20
"""Captures that an ambiguous REF lists; the rest is counted."""

SETTINGS_FILE_BYTES = 64 * KIB
"""A settings file larger than this is not one: refused."""

USER_RULES = 50
USER_RULE_NAME_CHARS = 40
USER_RULE_BYTES = 200
"""Redaction rules of a user's own in one file; a longer name of one is refused, it stands in every mark; so is a
longer pattern."""

USER_RULE_FEWEST_BYTES = 1 * KIB
"""No such rule matches only what is longer: hyperscan takes half a minute to say that it is too large."""

INLINE_FRAME_BYTES = 2 * KIB
"""What an inline text may take beside the output in it, when nobody gives a budget: the preview's bytes and these."""

INLINE_MOST_BYTES = 4 * MIB
"""A larger budget for an inline text is refused: it is made in memory."""

ALLOWANCE_WARN_FROM = 0.8
"""From this part of an allowance on, a receipt line and a list of captures say so."""


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
