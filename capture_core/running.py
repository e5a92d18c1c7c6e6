"""A job that a host has started, owned by a thread of the host; usable from any thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from capture_core.facts import EndedBy, EndReason
from capture_core.happenings import Cancel

if TYPE_CHECKING:
    from capture_core.facts import Receipt
    from capture_core.job import Job, Outcome
    from capture_core.masking import EngineMasking


class RunningJob:
    """A job that was started: its capture is live from before the child's first byte.  Usable from any thread."""

    def __init__(self, job: Job, masking: EngineMasking) -> None:
        self._job = job
        self._masking = masking
        self._outcome: Outcome | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=f"job-{job.child.pid}", daemon=True)
        self._thread.start()

    @property
    def ref(self) -> str:
        """``tool-outputs/<tool>/<capture-id>``, relative to the conversation."""
        return self._job.capture.ref

    @property
    def pid(self) -> int:
        """The child's process id, which is its group's too."""
        return self._job.child.pid

    def cancel(self, words: str = "") -> None:
        """End the child's group: TERM, grace, KILL.  The receipt says ``cancelled`` and gives ``words``, masked."""
        self._job.ask(Cancel(EndedBy(kind=EndReason.USER, words=self._masking.line(words) if words else "")))

    def wait(self, timeout: float | None = None) -> Receipt | None:
        """The final receipt; ``None`` when ``timeout`` seconds passed first.

        Raises what kept the capture from being finished: ``OSError``, or a ``CaptureError``.  The leftover stays
        readable, and the child has run to its end all the same.
        """
        if not self._over.wait(timeout) or self._outcome is None:
            return None
        if self._outcome.failure is not None:
            raise self._outcome.failure
        return self._outcome.receipt

    def join(self) -> None:
        """Wait until nothing of the job is left: also for descendants that outlived it and still hold its pipes."""
        self._thread.join()

    def _supervise(self) -> None:
        self._outcome = self._job.supervise()
        self._over.set()
        self._job.drop_the_rest()
