"""What bounds the counting of what a conversation retains."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

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
