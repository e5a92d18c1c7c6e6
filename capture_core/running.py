"""A job that a host has started, owned by a thread of the host; usable from any thread."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from capture_core.facts import EndedBy, EndReason
from capture_core.happenings import Adopted, Cancel, NotPromoted, Promote
from capture_core.job_state import JobState, Promotion

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.facts import Receipt
    from capture_core.happenings import Told
    from capture_core.job import Job, Outcome
    from capture_core.limits import Limits


class RunningJob:
    """A job that was started.  Usable from any thread.

    Started in the background its capture is live from before the child's first byte.  In the foreground, where
    ``Conversation.run`` waits for it, there is one when its output has outgrown a preview, when it has run for longer
    than ``Limits.unseen_seconds``, or it is promoted.
    """

    def __init__(self, job: Job, conversation: str, limits: Limits, *, is_background: bool) -> None:
        """``conversation``: the path of that in which its capture is."""
        self._job = job
        self.conversation = conversation
        """The path of the conversation."""
        self._limits = limits
        self._changed = threading.Condition()
        self._is_background = is_background
        self._is_adopted = is_background
        self._is_too_late = False
        self._outcome: Outcome | None = None
        self._completions: list[Callable[[RunningJob], object]] = []
        self._failure: BaseException | None = None
        self.unnoted: str | None = None
        """Why the text that :meth:`render_inline` gave last is not noted, so that it cannot be shown again, if so."""
        self._thread = threading.Thread(target=self._supervise, name=f"job-{job.child.pid}", daemon=True)
        self._thread.start()

    @property
    def ref(self) -> str:
        """``tool-outputs/<tool>/<capture-id>``, relative to the conversation; where the capture is, or would be."""
        return self._job.capture.ref

    @property
    def pid(self) -> int:
        """The child's process id, which is its group's too."""
        return self._job.child.pid

    @property
    def state(self) -> JobState:
        """Where it stands, at this moment."""
        with self._changed:
            return JobState.OVER if self._is_over else self._job.state

    def cancel(self, words: str = "") -> None:
        """End the child's group: TERM, grace, KILL.  The receipt says ``cancelled`` and gives ``words``, masked.

        A job that has ended is as it was.
        """
        self._job.cancel(words)

    def promote(self) -> Promotion:
        """Let ``Conversation.run``, which waits for it in another thread, return this job; the same capture goes on.

        Its receipt says from which offset of each stream on it belongs to the background.  Waits for that, but not
        for a disk that does not answer.
        """
        with self._changed:
            if self._is_background:
                return Promotion.BACKGROUND
            self._job.ask(Promote())
            self._changed.wait_for(lambda: self._is_background or self._is_too_late or self._is_over)
            return self._answer()

    def wait(self, timeout: float | None = None) -> Receipt | None:
        """The final receipt; ``None`` when ``timeout`` seconds passed first.

        Raises what kept the capture from being finished: ``OSError``, or a ``CaptureError``.  The leftover stays
        readable, and the child has run to its end all the same.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_over, timeout)
            return self._receipt() if self._is_over else None

    def on_complete(self, call: Callable[[RunningJob], object]) -> None:
        """Have ``call`` made with this job when it is over, its final receipt readable, in the job's own thread.

        At once, in the caller's, when it is over already.  What it raises is raised by :meth:`join`, and changes
        nothing of the job.  A host that ends first makes no such call: see ``Conversation.notices``.
        """
        with self._changed:
            if not self._is_over:
                self._completions.append(call)
                return
        call(self)

    def render_inline(self, budget: int | None = None) -> str:
        """What a model is given of it now, within ``budget`` bytes of UTF-8 over all of the text, or within a preview.

        It is noted in the conversation, so that it can be shown again.  Raises ``UnknownRef`` when nothing is to be
        read: before a job in the foreground has a capture, and after that was removed.  Raises ``BadInput`` for what is
        no budget.
        """
        from capture_core import checked
        from capture_core.handing_out import of_capture, of_texts
        from capture_core.inline import default_budget

        room = default_budget(self._limits) if (given := checked.budget(budget)) is None else given
        with self._changed:
            outcome = self._outcome
        if outcome is not None and outcome.receipt is not None and outcome.texts is not None:
            return of_texts(outcome.receipt, outcome.texts, room)
        handed = of_capture(self.conversation, self.ref, room)
        self.unnoted = handed.unnoted
        return handed.text

    def join(self) -> None:
        """Wait until nothing of the job is left: also for descendants that outlived it and still hold its pipes."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def end(self, words: str) -> None:
        """Cancel it, for a reason that is no stranger's text, and wait until it is over, however that went."""
        # Our own words: where nothing can be masked the command is to end all the same.
        self._job.ask(Cancel(EndedBy(kind=EndReason.USER, words=words)))
        with self._changed:
            self._changed.wait_for(lambda: self._is_over)

    def wait_in_foreground(self) -> Outcome | None:
        """How it ended; ``None``: it was promoted first.  Raises as :meth:`wait` does."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_background or self._is_over)
            if self._is_background:
                self._wait_until_adopted()
                return None
            self._receipt()
            return self._outcome

    def happened(self, happening: Told) -> None:
        """Take what the supervising thread tells."""
        with self._changed:
            if isinstance(happening, Promote):
                self._is_background = True
            elif isinstance(happening, Adopted):
                self._is_adopted = True
            elif isinstance(happening, NotPromoted):
                self._is_too_late = True
            self._changed.notify_all()

    @property
    def _is_over(self) -> bool:
        return self._outcome is not None or self._failure is not None

    def _receipt(self) -> Receipt | None:
        if self._outcome is None:
            assert self._failure is not None  # noqa: S101 — one of the two is there when it is over
            raise self._failure
        if self._outcome.failure is not None:
            raise self._outcome.failure
        return self._outcome.receipt

    def _answer(self) -> Promotion:
        if not self._is_background:
            return Promotion.ENDED
        self._wait_until_adopted()
        return Promotion.PROMOTED

    def _wait_until_adopted(self) -> None:
        self._changed.wait_for(lambda: self._is_adopted or self._is_over, self._limits.settle_seconds)

    def _supervise(self) -> None:
        try:
            self._end_with(self._job.supervise(self), None)
        except BaseException as failure:  # noqa: BLE001 — raised again in join() and wait()
            self._end_with(None, failure)
        try:
            with ExitStack() as stack:
                if self._outcome is not None:
                    stack.callback(self._job.drop_the_rest)
                for call in reversed(self._completions):
                    stack.callback(call, self)
        except BaseException as failure:  # noqa: BLE001 — raised again in join()
            self._failure = self._failure or failure

    def _end_with(self, outcome: Outcome | None, failure: BaseException | None) -> None:
        with self._changed:
            self._outcome, self._failure = outcome, failure
            self._changed.notify_all()
