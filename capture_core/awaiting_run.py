"""``Conversation.run`` for programs with an event loop, on asyncio and trio alike."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from anyio import CancelScope, CapacityLimiter, get_cancelled_exc_class, to_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
    work = _Work(
        lambda on_start: conversation.run(argv, promote_after=promote_after, on_start=on_start, **options),
    )
    # Each command has its own: many long ones keep neither each other waiting nor whoever polls and acknowledges.
    limiter = CapacityLimiter(1)
    try:
        return await to_thread.run_sync(work.run, abandon_on_cancel=True, limiter=limiter)
    except get_cancelled_exc_class():
        if work.give_up():
            with CancelScope(shield=True):
                await to_thread.run_sync(work.wait, limiter=CapacityLimiter(1))
        raise


class _Work:
    """One run in a worker thread, for as long as somebody wants it."""

    def __init__(self, call: Callable[[Callable[[RunningJob], None]], Result | RunningJob]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._has_begun = False
        self._is_unwanted = False
        self._job: RunningJob | None = None
        self._over = threading.Event()

    def run(self) -> Result | RunningJob:
        with self._lock:
            if self._is_unwanted:
                raise InterruptedError(_WHY)
            self._has_begun = True
        try:
            return self._call(self._started)
        finally:
            self._over.set()

    def give_up(self) -> bool:
        """Have the command ended, or never started; whether there is anything to wait for.

        A thread that a cancelled task has asked for may never come to run.
        """
        with self._lock:
            self._is_unwanted = True
        if self._job is not None:
            self._job.cancel(_WHY)
        return self._has_begun

    def wait(self) -> None:
        """Wait until nothing of it runs, also when the call gave a job that went on."""
        self._over.wait()
        if self._job is not None:
            self._job.end(_WHY)

    def _started(self, job: RunningJob) -> None:
        with self._lock:
            self._job = job
        if self._is_unwanted:
            job.cancel(_WHY)
