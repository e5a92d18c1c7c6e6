"""How a command ended that its caller waited for: what it printed is here when it is small, else in a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.facts import Receipt
    from capture_core.running import RunningJob


class Result:
    """What :meth:`capture_core.Conversation.run` gives of a command that has ended.  Usable from any thread."""

    def __init__(self, job: RunningJob, receipt: Receipt, texts: Mapping[str, bytes] | None) -> None:
        self._job = job
        self.receipt = receipt
        """States, counters, exit code; its ``ref`` and the streams' ``file`` are empty where no file was kept."""
        self.texts = texts
        """By stream, all that was kept of a small result, sanitised; ``None``: the capture's files have it."""

    @property
    def ref(self) -> str | None:
        """Where the capture is; ``None`` for a small result, which is nowhere but here."""
        return self.receipt.ref or None

    @property
    def exit_code(self) -> int | None:
        """As it was observed; ``None`` when a signal ended the command, or nobody knows."""
        return self.receipt.process.exit_code

    def text(self, stream: str = "stdout") -> str:
        """All that is kept of ``stdout``, ``stderr`` or ``output``: of a large result as much as a capture may retain.

        Bytes of ``raw_binary`` that are not UTF-8 become U+FFFD.  Raises ``StreamGone`` when its file was removed, and
        for what is no stream of this.
        """
        from capture_core.handing_out import whole_text

        if self.texts is not None and stream in self.texts:
            return self.texts[stream].decode()
        return whole_text(self._job.conversation, self.receipt, stream).decode("utf-8", "replace")

    def render_inline(self, budget: int | None = None) -> str:
        """What a model is given of it, within ``budget`` bytes of UTF-8 over all of the text, or within a preview.

        States, exit and errors come first, outside of what is cut; of a large result the text names how to read on,
        and is noted in the conversation, so that it can be shown again.
        """
        return self._job.render_inline(budget)

    def join(self) -> None:
        """Wait until nothing is left of the command: also for descendants that outlived it and hold its pipes."""
        self._job.join()
