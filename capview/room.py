"""What a conversation may keep, in words: how full it is, what a limit cut, and how to keep more.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.facts import AllowanceState, CaptureReason
from capture_core.limits import ALLOWANCE_WARN_FROM
from capview.units import size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capture_core.facts import AllowanceFacts, Receipt

_FREE_ROOM: Final = "capview prune frees room"
_MEND: Final = {
    AllowanceState.COUNTED: f"--limit N keeps more of one capture, --conversation-limit N of all; {_FREE_ROOM}",
    AllowanceState.SCANNED: f"--limit N keeps more of one capture, --conversation-limit N of all; {_FREE_ROOM}",
    AllowanceState.HELD_UP: "let a stopped process of capview here go on, or end it",
    AllowanceState.CROWDED: "spread them over several conversations",
    AllowanceState.UNCOUNTED: "capview doctor looks for what is wrong",
}
_HOW: Final = {
    AllowanceState.COUNTED: "",
    AllowanceState.SCANNED: "; by the files alone: captures at the same time may have gone beyond",
    AllowanceState.HELD_UP: "; a stopped process held the tally",
    AllowanceState.CROWDED: "; too many captures wrote at once",
    AllowanceState.UNCOUNTED: "; they could not be counted",
}


def remedy(receipt: Receipt) -> str | None:
    """How to keep more, where a limit cut the log."""
    if receipt.capture.reason is CaptureReason.QUOTA:
        return "--limit N keeps more"
    if receipt.capture.reason is CaptureReason.CONVERSATION_QUOTA and receipt.allowance is not None:
        return _MEND[receipt.allowance.state]
    return None


def advice(receipt: Receipt) -> Iterator[str]:
    """How to keep more, where a limit cut the log or will soon cut others; nothing else."""
    words, allowance = remedy(receipt), receipt.allowance
    if words is not None:
        yield words
    if receipt.capture.reason is CaptureReason.CONVERSATION_QUOTA or allowance is None:
        return
    if is_nearly_full(allowance.used_bytes, setting(allowance)):
        yield f"the conversation has {share(allowance.used_bytes, setting(allowance))}; {_FREE_ROOM}"


def allowed(said: Iterable[AllowanceFacts | None], as_set: int) -> int:
    """What a conversation may keep: as set here, or less, where the owner of its newest capture knew of less.

    ``said`` is of receipts, newest first.
    """
    newest = next((allowance for allowance in said if allowance is not None), None)
    return as_set if newest is None else min(setting(newest), as_set)


def is_nearly_full(used: int | None, limit: int) -> bool:
    """Whether it is time to say so."""
    return used is not None and used >= ALLOWANCE_WARN_FROM * limit


def share(used: int | None, limit: int) -> str:
    """How much of its allowance a conversation has: ``110 MiB of the 128 MiB that it may keep``."""
    return f"{size(used)} of the {size(limit)} that it may keep"


def warning(used: int, limit: int) -> str:
    """What a list of captures says of a conversation that is nearly full."""
    return f"has {share(used, limit)}; {_FREE_ROOM}, --conversation-limit N gives more"


def setting(allowance: AllowanceFacts) -> int:
    """What the conversation may keep when nobody asks for more."""
    return allowance.limit_bytes if allowance.raised_from is None else allowance.raised_from


def standing(allowance: AllowanceFacts) -> str:
    """The allowance as a receipt has it: what was used of it when this capture was over, and what raised it."""
    used = f"the conversation has {share(allowance.used_bytes, setting(allowance))}"
    raised = (
        "" if allowance.raised_from is None else f"; {size(allowance.limit_bytes)} for this capture, by its --limit"
    )
    return f"{used}{raised}{_HOW[allowance.state]}"
