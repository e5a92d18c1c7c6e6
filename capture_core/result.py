"""How a command ended that its caller waited for: what it printed is here when it is small, else in a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.errors import StreamGone

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

    def text(self, stream: str | None = None) -> str:
        """All that is kept of ``stdout``, ``stderr`` or ``output``: of a large result as much as a capture may retain.

        Without a name: the only one there is, or ``stdout``.  Bytes of ``raw_binary`` that are not UTF-8 become U+FFFD.
        Raises ``StreamGone`` for what is no stream of this and when its file was removed, ``UnknownRef`` when the
        capture was.
        """
        name = self._default() if stream is None else stream
        if name not in self.receipt.streams:
            raise StreamGone(f"no stream {name[:64]!a} is here; there is: {', '.join(self.receipt.streams) or 'none'}")
        if self.texts is not None:
            return self.texts[name].decode()
        from capture_core.handing_out import whole_text

        return whole_text(self._job.conversation, self.receipt, name).decode("utf-8", "replace")

    @property
    def unnoted(self) -> str | None:
        """Why the text that :meth:`render_inline` gave last is not noted, so that it cannot be shown again, if so."""
        return self._job.unnoted

    def render_inline(self, budget: int | None = None) -> str:
        """What a model is given of it, within ``budget`` bytes of UTF-8 over all of the text, or within a preview.

        States, exit and errors come first, outside of what is cut; of a large result the text names how to read on,
        and is noted in the conversation, so that it can be shown again.
        """
        return self._job.render_inline(budget)

    def join(self) -> None:
        """Wait until nothing is left of the command: also for descendants that outlived it and hold its pipes."""
        self._job.join()

    def _default(self) -> str:
        names = tuple(self.receipt.streams)
        return names[0] if len(names) == 1 else "stdout"
