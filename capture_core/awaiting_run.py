"""``Conversation.run`` for programs with an event loop, on asyncio and trio alike."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from anyio import CancelScope, get_cancelled_exc_class, to_thread

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from capture_core.calls import CallOptions
    from capture_core.conversation import Conversation
    from capture_core.result import Result
    from capture_core.running import RunningJob

_WHY = "the task that waited for it was cancelled"


async def run(
    conversation: Conversation,
    argv: Sequence[str],
    *,
    promote_after: float | None = None,
    **options: Unpack[CallOptions],
) -> Result | RunningJob:
    """What :meth:`Conversation.run` gives; a task that is cancelled while it waits ends the command first."""
    started: list[RunningJob] = []
    is_unwanted, is_over = False, threading.Event()

    def begun(job: RunningJob) -> None:
        started.append(job)
        if is_unwanted:
            job.cancel(_WHY)

    def work() -> Result | RunningJob:
        try:
            return conversation.run(argv, promote_after=promote_after, on_start=begun, **options)
        finally:
            is_over.set()

    try:
        return await to_thread.run_sync(work, abandon_on_cancel=True)
    except get_cancelled_exc_class():
        is_unwanted = True
        with CancelScope(shield=True):
            for job in started:
                job.cancel(_WHY)
            await to_thread.run_sync(is_over.wait)
            for job in started:
                await to_thread.run_sync(job.end, _WHY)
        raise
