"""One capture being written: its files from launch to the final receipt, in the one order that a crash cannot spoil.

Order at the end: stream data flushed, streams renamed, directory synced, final receipt (its room was taken at
launch) synced and published, directory synced, live receipt unlinked, locks released.  A capture that has no name at
its end, because its text is small, ends with its texts in memory and leaves nothing.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from capture_core import names, unseen, upstream
from capture_core.budget import Budget
from capture_core.capture_files import CaptureFiles
from capture_core.durable import unlock
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState
from capture_core.identity import Ground
from capture_core.limits.capturing import NAMES_BYTES
from capture_core.namespace import as_refusal, new_capture_id
from capture_core.naming import Naming, preview_chars
from capture_core.publication import Publication
from capture_core.receipt import encode
from capture_core.spool import Spool
from capture_core.statement import Statement
from capture_core.verdict import verdict

if TYPE_CHECKING:
    from capture_core.allowance import Allowance
    from capture_core.facts import (
        PreviewFacts,
        ProcessFacts,
        Receipt,
        ResourceFacts,
        StreamFacts,
        StreamName,
        Upstream,
    )
    from capture_core.handoff import Intake
    from capture_core.identity import Identity
    from capture_core.limits import Limits
    from capture_core.receipt import Request
    from capture_core.sidecar_file import Sidecars
    from capture_core.stage import Masking


class Capture:
    """The files and facts of one capture.

    Made before the child starts; then used by the writer thread alone, but for :meth:`set_process` and
    :meth:`set_label`, which any thread may call.
    """

    def __init__(self, identity: Identity, handoff: Intake, limits: Limits, masking: Masking) -> None:
        """Make the files and hold their locks; publish the live receipt, but of an inline one.

        Raises ``Refused``; nothing stays behind then.
        """
        self.capture_id = new_capture_id()
        self.ref = names.ref(identity.tool, self.capture_id)
        self._identity = identity
        self._handoff = handoff
        self._limits = limits
        self._masking = masking
        self._first_reason: CaptureReason | None = None
        self.texts: dict[str, bytes] | None = None
        """After :meth:`finish`, by stream, what no file has; ``None``: the files have it."""
        self.mishap: str | None = None
        """What went wrong after the final receipt was published, in words; the capture is what its receipt says."""
        self._files = CaptureFiles(identity.conversation, identity.tool, self.capture_id)
        name = self._files.conversation_name
        self._conversation = name if masking.is_plain(name) else ""
        self._statement = Statement(
            identity, capture_id=self.capture_id, conversation=self._conversation, limit_bytes=limits.capture_bytes
        )
        self._spools: dict[str, Spool] = {}
        self._budget = Budget(limits.capture_bytes)
        self._naming = Naming(
            self.ref,
            self._files,
            self._spools,
            limits,
            statement=self._statement,
            count=self._count,
            live_receipt=self.live_receipt,
        )
        try:
            with as_refusal(identity.conversation):
                self._make_files()
        except BaseException:
            self.abandon()
            raise

    @property
    def is_seen(self) -> bool:
        """Whether its files have names, so that others can see them."""
        return self._files.are_named

    @property
    def spools(self) -> dict[str, Spool]:
        """The streams' spools, by name; for the writer thread."""
        return self._spools

    def set_process(self, process: ProcessFacts, resources: ResourceFacts | None = None) -> None:
        """Put in what became of the child."""
        self._statement.set_process(process, resources)

    def set_label(self, label: str | None) -> None:
        """Put in the masked label; with it the call id and the conversation's name, strangers' texts masked here."""
        given = self._identity.call_id
        call_id = None if given is None else self._masking.line(given)
        conversation = self._conversation or self._masking.line(self._files.conversation_name)
        self._statement.set_texts(label=label, call_id=call_id, conversation=conversation)

    def set_upstream(self, said: Upstream) -> None:
        """Put in what turned out to be true of a given text; for the writer thread."""
        self._statement.set_upstream(said)

    def note_cuts(self) -> bool:
        """Remember the first reason that any stream was cut for; whether there is a new one."""
        if self._first_reason is not None:
            return False
        self._first_reason = next((s.reason for s in self._spools.values() if s.reason is not None), None)
        return self._first_reason is not None

    def live_receipt(self, *, finalizing: bool = False) -> Receipt:
        """The facts of this moment."""
        reason = CaptureReason.FINALIZING if finalizing else self._first_reason
        return self._receipt(CaptureFacts(state=CaptureState.PENDING, reason=reason), ended=None)

    def replace_live(self, *, finalizing: bool = False) -> bool:
        """Replace the live receipt, if there is one.  ``False``: the disk took no new one."""
        if not self._files.are_named:
            return True
        receipt = encode(self.live_receipt(finalizing=finalizing))
        try:
            with self._handoff.at_disk():
                self._files.replace_live(receipt)
        except OSError:
            return False
        return True

    def is_asked(self) -> bool:
        """Whether somebody asks something of the owner by a file beside the capture."""
        with self._handoff.at_disk():
            return self._files.are_named and self._files.is_asked()

    def take_request(self) -> Request | None:
        """What that is, if anything; the file is gone then."""
        with self._handoff.at_disk():
            return self._files.take_request() if self._files.are_named else None

    def look_at_names(self) -> None:
        """Let others see the files when the text does not fit the preview any more, or the job takes long."""
        if not self._files.are_named:
            with self._handoff.at_disk():
                self._naming.look()
            self.note_cuts()

    def adopt(self) -> Receipt:
        """The job goes to the background: the capture has its names from now on, and says from where.

        Where the disk has no room for names, that is tried once more at the end; the receipt of this moment is
        returned in any case.
        """
        with self._handoff.at_disk():
            self._naming.demand()
        self.note_cuts()
        for spool in self._spools.values():
            spool.adopt()
        self.replace_live()
        return self.live_receipt()

    def finish(self) -> Receipt:
        """Seal the streams and publish the final receipt, last; or give what is small, and leave nothing.

        Raises ``OSError`` or ``Refused``: the leftover is discoverable; ``PlaceGone``: somebody removed it all.
        """
        with self._handoff.at_disk():
            self._naming.settle()
        self.note_cuts()
        return self._finish_seen() if self._files.are_named else self._finish_unseen()

    def release(self) -> None:
        """Let go of locks and descriptors; what was published stays."""
        self._settle()
        for spool in self._spools.values():
            unlock(spool.file.fd)
            spool.discard()
        self._spools = {}
        self._files.close()

    def abandon(self) -> None:
        """The child was never started: remove every file and folder of ours."""
        self._files.take_back()
        self._settle()
        for spool in self._spools.values():
            spool.discard()
        self._files.close()

    def _make_files(self) -> None:
        self._files.reserve_receipt(self._limits.receipt_bytes)
        self._make_streams()
        # Raw bytes have no preview that they could fit in.
        if self._identity.ground is Ground.INLINE and not self._masking.is_raw:
            self._files.reserve_live_receipt(NAMES_BYTES)
        else:
            self._naming.give()

    def _make_streams(self) -> None:
        for stream in self._identity.streams:
            masking = self._masking
            self._spools[stream] = Spool(
                stream,
                "",
                self._files.make_stream(stream),
                self._budget,
                self._limits,
                masking.stage,
                is_raw=masking.is_raw,
                make_sidecars=partial(self._make_sidecars, stream),
                at_disk=self._handoff.at_disk,
            )
            self._spools[stream].upstream = upstream.reason(self._identity.upstream)
            self._spools[stream].adopted_at = 0 if self._identity.ground is Ground.BACKGROUND else None

    def _make_sidecars(self, stream: StreamName) -> Sidecars:
        from capture_core.sidecar_file import Sidecars

        return Sidecars(partial(self._files.make_sidecar, stream), self._budget)

    def _allowed(self) -> Allowance:
        """Made with the first byte that is to be kept: a command that prints nothing takes nothing."""
        from capture_core.allowance import Allowance, Terms

        limits = self._limits
        terms = Terms(limits.conversation_bytes, limits.capture_bytes, self._identity.limit_from)
        return Allowance(self._files.tally_place(), self.capture_id, terms, self._handoff.at_disk)

    def _settle(self) -> None:
        """Give back what of the conversation's allowance was taken and not used; its last use was counted then."""
        if self._budget.allowance is not None:
            with suppress(OSError):
                kept = sum(spool.kept() for spool in self._spools.values()) if self._files.are_named else 0
                self._budget.allowance.settle(kept)

    def _count(self) -> None:
        """What was written before there was an allowance is of it from now on."""
        if self._budget.allowance is None:
            self._budget.join(self._allowed)
            unseen.count(self._spools.values(), self._budget)

    def _finish_seen(self) -> Receipt:
        self.replace_live(finalizing=True)
        ended = time.time()
        publication = Publication(self._files, self.capture_id, self._spools, is_raw=self._masking.is_raw)
        publication.seal_streams()
        self.note_cuts()
        self._settle()
        receipt = self._receipt(self._verdict(), ended=ended)
        publication.publish(receipt)
        self.mishap = publication.withdraw_live()
        self.release()
        return receipt

    def _finish_unseen(self) -> Receipt:
        ended = time.time()
        unseen.settle(self._spools.values(), self._budget, self._limits, is_outgrown=self._naming.is_outgrown())
        self.note_cuts()
        receipt = self._receipt(self._verdict(), ended=ended)
        texts = {str(name): spool.text() for name, spool in self._spools.items()}
        self.release()
        self.texts = texts
        return receipt

    def _stream_facts(self) -> dict[str, StreamFacts]:
        return {name: spool.facts(self._handoff.counts(name)) for name, spool in self._spools.items()}

    def _verdict(self) -> CaptureFacts:
        return verdict(list(self._stream_facts().values()), self._first_reason)

    def _receipt(self, capture: CaptureFacts, *, ended: float | None) -> Receipt:
        stages = [spool.stage for spool in self._spools.values() if spool.stage is not None]
        return self._statement.receipt(
            capture,
            self._stream_facts(),
            self._masking.facts(stages),
            ended=ended,
            preview=self._previews() if ended is not None and not self._masking.is_raw else None,
            allowance=None if self._budget.allowance is None else self._budget.allowance.facts(),
        )

    def _previews(self) -> dict[str, PreviewFacts]:
        return {name: spool.preview(preview_chars(self._limits, name)) for name, spool in self._spools.items()}
