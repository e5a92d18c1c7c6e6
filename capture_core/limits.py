"""Every number that bounds something, with its unit in its name, and where a value came from."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

CAPTURE_ID_RANDOM_CHARS = 16
"""16 characters of base32 are 80 random bits: enough that two captures never meet by chance."""

TOOL_NAME_CHARS = 64
LABEL_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
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

    read_bytes: int = 64 * KIB
    """One read of a pipe.  Larger blocks are mapped and faulted anew by the allocator, and slower."""

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

    settle_seconds: float = 10.0
    """How long the front waits for the receipt after the child's exit code is known."""

    live_receipt_seconds: float = 1.0
    """The live receipt is replaced at state changes only, and at most this often."""


LIBRARY = Limits()
FOR_PEOPLE = Limits(capture_bytes=256 * MIB, conversation_bytes=4 * GIB)

READ_RANGE_BYTES = 16 * KIB
"""What ``capview read`` prints when not told otherwise; more is named with the command that continues."""

RECEIPT_READ_BYTES = 1 * MIB
"""A receipt larger than this is not ours: refused unread."""
