"""The texts of a capture that nobody has seen: they may still be taken back, and end in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.facts import CaptureReason
from capture_core.naming import preview_chars
from capture_core.verdict import fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.budget import Budget
    from capture_core.limits import Limits
    from capture_core.spool import Spool


def count(spools: Iterable[Spool], budget: Budget) -> None:
    """Count what is there in the conversation's allowance; what does not fit is taken back."""
    for spool in spools:
        spool.complete()
        fits = budget.count(spool.retained)
        if fits < spool.retained:
            spool.take_back(fits, CaptureReason.CONVERSATION_QUOTA)


def settle(spools: Iterable[Spool], budget: Budget, limits: Limits, *, is_outgrown: bool) -> None:
    """Know the digests of what will never have a name; of what has outgrown a preview the beginning is kept."""
    for spool in spools:
        try:
            if is_outgrown:
                _keep_head(spool, budget, preview_chars(limits, spool.name))
            spool.settle_unseen()
        except (OSError, MemoryError, ImportError) as error:
            spool.cut(fault(error))


def _keep_head(spool: Spool, budget: Budget, chars: int) -> None:
    """Keep of what was cut what a preview of ``chars`` characters shows of its beginning, and the last for the receipt.

    Raises ``OSError``.
    """
    head = spool.preview(chars).head.end
    if spool.reason is not None and head < spool.retained:
        budget.give_back(spool.retained - head)
        spool.take_back(head, spool.reason)
