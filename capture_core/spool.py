"""One stream's file: sanitised text appended, every byte counted, cut where it must be cut, never rewritten."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from capture_core.append import Appender, Block, FileChanged
from capture_core.committed import Committed
from capture_core.cutting import cut_before
from capture_core.described import Description
from capture_core.durable import FINAL_MODE, size_of
from capture_core.facts import CaptureReason, CaptureState, StreamFacts
from capture_core.uncommitted import Uncommitted
from capture_core.verdict import fault, stream_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from capture_core.budget import Budget
    from capture_core.durable import NewFile
    from capture_core.facts import OtherProcess, PreviewFacts
    from capture_core.handoff import ReaderCounts
    from capture_core.limits import Limits
    from capture_core.sidecar_file import Sidecars
    from capture_core.stage import TextStage


class Spool:
    """Appends one stream.  Used by the writer thread alone.

    A block may be under way while the next one is sanitised.  Whatever depends on it waits for it.
    """

    def __init__(  # noqa: PLR0913 — what a stream's file needs of its capture
        self,
        name: str,
        file_name: str,
        file: NewFile,
        budget: Budget,
        limits: Limits,
        make_stage: Callable[[], TextStage],
        *,
        is_raw: bool = False,
        make_sidecars: Callable[[], Sidecars] | None = None,
        at_disk: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """``file_name`` is empty for as long as the file has no name; then nobody else can read it.

        ``is_raw``: the stage gives any bytes, not text; they have no lines, no preview, and are cut anywhere.
        ``make_sidecars`` is called when a first byte was committed; within ``at_disk`` all is written.
        """
        self.name = name
        self.file_name = file_name
        self.file = file
        self.reason: CaptureReason | None = None
        """The first thing that kept bytes out of the file."""
        self.upstream: CaptureReason | None = None
        """What keeps a text from being whole though all of it that was given is in the file."""
        self.held_by: tuple[OtherProcess, ...] | None = None
        """Who held the stream open when it was given up."""
        self.adopted_at: int | None = None
        """How long the text was when the job went to the background."""
        self._budget = budget
        self._limits = limits
        self._make_stage = make_stage
        self._is_raw = is_raw
        self._appender = Appender(file.fd, at_disk)
        self._block: Block | None = None
        self._description = Description(make_sidecars, at_disk, waits=not file_name)
        self._arrived: int | None = None
        self._stage: TextStage | None = None
        self._committed = Committed(file.fd, has_lines=not is_raw)
        self._uncommitted = Uncommitted()
        self._accepted = 0
        self._discarded = 0
        self._eof = False
        self._is_lost = False
        self.ended = False

    @property
    def retained(self) -> int:
        """Committed bytes."""
        return self._committed.size

    @property
    def chars(self) -> int:
        """How many code points the text has, as long as the file has no name."""
        return self._committed.chars

    @property
    def stage(self) -> TextStage | None:
        """The stage, when a byte ever came; its engine is loaded no earlier."""
        return self._stage

    def feed(self, raw: bytes, arrived: int | None = None) -> None:
        """Take one read, which ``arrived`` so many nanoseconds after the epoch, where somebody looked."""
        self._arrived = arrived
        if self._stage is None:
            self._stage = self._make_stage()
        self._settle(self._stage, lambda stage: stage.feed(raw))

    def complete(self) -> None:
        """Wait for the block that is under way, and account for it."""
        if self._block is None:
            return
        block, self._block = self._block, None
        committed, failure = self._committed, self._appender.outcome()
        start = committed.size
        done = len(block.text) if failure is None else self._cut_before(block.text, failure.done)
        committed.record(block.text[:done], counts_chars=not self.file_name)
        if isinstance(failure, FileChanged):
            # What is there is left as it is: evidence of that.
            self._stop(CaptureReason.DAMAGED)
        elif failure is not None:
            self._appender.cut_back(self.retained)
            self._stop(fault(failure))
        if failure is not None:
            self._budget.give_back(len(block.text) - failure.done)
            self._uncommitted.refuse(block.text[done:])
        if committed.size > start:
            self._description.append(start, committed.size, block.styles, block.arrived)

    def finish(self, *, eof: bool, reason: CaptureReason = CaptureReason.DRAIN_TIMEOUT) -> None:
        """Settle what is held: the stream is over; without ``eof`` for this reason."""
        self.complete()
        self._eof = eof
        self.ended = True
        if self._stage is not None:
            self._settle(self._stage, lambda stage: stage.finish(eof=eof and self.reason is None))
        if not eof:
            self.cut(reason)

    def cut(self, reason: CaptureReason) -> None:
        """Commit nothing more; the stage runs on, for the last text that the receipt keeps."""
        self.complete()
        self._stop(reason)

    def _stop(self, reason: CaptureReason) -> None:
        if self.reason is None:
            self.reason = reason
            if not self._is_raw:
                self._uncommitted.keep_last(self._limits.tail_text_bytes)

    def facts(self, reader: ReaderCounts) -> StreamFacts:
        """The counters of this moment, the reader's and ours, none derived from another."""
        self.complete()
        held = self._stage.held if self._stage is not None else 0
        state, reason = self._verdict(reader)
        return StreamFacts(
            file=self.file_name,
            state=state,
            reason=reason,
            observed=reader.observed,
            accepted=self._accepted,
            pending=reader.queued + held,
            discarded=self._discarded + reader.refused,
            retained=self.retained,
            uncommitted=self._uncommitted.size,
            end=self.retained,
            eof=self._eof,
            adopted_at=self.adopted_at,
            lines=self._committed.lines,
            final_newline=self._committed.has_final_newline,
            sha256=self._committed.sha256,
            held_by=self.held_by,
            sidecars=self._description.facts(),
        )

    def preview(self, chars: int) -> PreviewFacts:
        """Head and tail ranges of the committed text for ``chars`` characters."""
        self.complete()
        return self._committed.preview(chars, self._uncommitted.last_text())

    def adopt(self) -> None:
        """The job goes to the background now."""
        self.complete()
        self.adopted_at = self.retained

    def take_back(self, fits: int, reason: CaptureReason) -> None:
        """Keep ``fits`` bytes at most, which the budget has; only while the file has no name: nobody has seen it."""
        text = self.text()
        size = self._cut_before(text, fits)
        self._appender.cut_back(size)
        self._budget.give_back(fits - size)
        self._committed.begin_anew()
        self._committed.record(text[:size], counts_chars=not self.file_name)
        self._stop(reason)
        self._uncommitted.refuse_before(text[size:])

    def describe(self) -> None:
        """The file has its name now, and what describes it may have one."""
        self._description.begin(self.retained)

    def text(self) -> bytes:
        """All that is committed; for what is small.  Raises ``OSError``."""
        self.complete()
        return self._committed.text()

    def settle_unseen(self) -> None:
        """Know the digest of what will never have a name: nothing of it has to be safe on the disk."""
        self.complete()
        self._appender.close()
        self._committed.seal(sync=False)

    def seal(self) -> None:
        """Make the data durable, know its digest, and take the right to write from the files."""
        self.complete()
        self._appender.close()
        self._description.seal()
        try:
            self._committed.seal()
            self._look_at_length()
        finally:
            os.fchmod(self.file.fd, FINAL_MODE)

    def _look_at_length(self) -> None:
        # Where even that cannot be asked, the file is gone: what renames it will tell.
        with suppress(OSError):
            if self.reason is None and not self._committed.is_all_there():
                self._stop(CaptureReason.DAMAGED)

    def kept(self) -> int:
        """Bytes that the files have, the sidecars' too, once nothing more is written."""
        self._appender.close()
        return size_of(self.file.fd) + self._description.kept()

    def lose(self) -> None:
        """Take note that somebody deleted the file."""
        self._is_lost = True

    def discard(self) -> None:
        """Close the files, when a block that is under way is written; what was published stays."""
        self._appender.close()
        self._description.discard()
        self.file.discard()

    def _settle(self, stage: TextStage, work: Callable[[TextStage], bytes]) -> None:
        accepted, discarded = stage.accepted, stage.discarded
        text, styles = work(stage), stage.take_styles()
        self.complete()
        newly_accepted, newly_discarded = stage.accepted - accepted, stage.discarded - discarded
        self._discarded += newly_discarded
        if self.reason is not None:
            self._discarded += newly_accepted
        else:
            self._accepted += newly_accepted
        if text:
            self._commit(Block(text, styles, self._arrived))

    def _commit(self, block: Block) -> None:
        text = block.text
        if self.reason is not None:
            self._uncommitted.go_on(text)
            return
        room, reason = self._budget.take(len(text))
        if room == len(text):
            self._append(block)
            return
        fits = self._cut_before(text, room)
        self._budget.give_back(room - fits)
        self._append(block._replace(text=text[:fits]))
        self.cut(reason)
        self._uncommitted.refuse(text[fits:])

    def _append(self, block: Block) -> None:
        if not block.text:
            return
        self._appender.begin(block.text)
        self._block = block
        if not self._appender.is_behind:
            self.complete()

    def _cut_before(self, text: bytes, size: int) -> int:
        return max(0, min(size, len(text))) if self._is_raw else cut_before(text, size)

    def _verdict(self, reader: ReaderCounts) -> tuple[CaptureState, CaptureReason | None]:
        if not self.ended:
            return CaptureState.PENDING, self.reason
        if self._is_lost:
            return CaptureState.UNAVAILABLE, CaptureReason.MISSING_FILE
        reason = self.reason
        if reason is None and self._discarded + reader.refused:
            reason = self._why_omitted()
        if reason is None and self.upstream is not None:
            return CaptureState.PARTIAL, self.upstream
        return stream_state(reason, observed=reader.observed, retained=self.retained), reason

    def _why_omitted(self) -> CaptureReason:
        is_binary = self._stage is not None and self._stage.counts().omitted_binary_bytes
        return CaptureReason.BINARY_OMITTED if is_binary else CaptureReason.UNDECIDABLE_OMITTED
