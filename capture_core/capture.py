"""One capture being written: its files from launch to the final receipt, in the one order that a crash cannot spoil.

Order at the end: stream data flushed, streams renamed, directory synced, final receipt (its room was taken at
launch) synced and published, directory synced, live receipt unlinked, locks released.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from capture_core import names, upstream
from capture_core.budget import Budget
from capture_core.durable import FINAL_MODE, lock, reserve, unlock, write_all
from capture_core.errors import PlaceGone, Refused
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, StreamName
from capture_core.limits import REQUEST_BYTES
from capture_core.namespace import Namespace, as_refusal, new_capture_id
from capture_core.receipt import Request, encode, parse_request
from capture_core.spool import Spool
from capture_core.statement import Statement
from capture_core.verdict import fault, verdict

if TYPE_CHECKING:
    from capture_core.allowance import Allowance
    from capture_core.durable import NewFile
    from capture_core.facts import (
        PreviewFacts,
        ProcessFacts,
        Receipt,
        ResourceFacts,
        SidecarKind,
        StreamFacts,
        Upstream,
    )
    from capture_core.handoff import Intake
    from capture_core.identity import Identity
    from capture_core.limits import Limits
    from capture_core.sidecar_file import Sidecars
    from capture_core.stage import Masking


class Capture:
    """The files and facts of one capture.

    Made before the child starts; then used by the writer thread alone, but for :meth:`set_process` and
    :meth:`set_label`, which any thread may call.
    """

    def __init__(self, identity: Identity, handoff: Intake, limits: Limits, masking: Masking) -> None:
        """Make the files, hold their locks, publish the live receipt.  Raises ``Refused``; nothing stays behind."""
        self.capture_id = new_capture_id()
        self.ref = names.ref(identity.tool, self.capture_id)
        self._identity = identity
        self._handoff = handoff
        self._limits = limits
        self._masking = masking
        self._first_reason: CaptureReason | None = None
        self.mishap: str | None = None
        """What went wrong after the final receipt was published, in words; the capture is what its receipt says."""
        self._place = Namespace(identity.conversation, identity.tool)
        name = self._place.conversation_name
        self._conversation = name if masking.is_plain(name) else ""
        self._statement = Statement(
            identity,
            capture_id=self.capture_id,
            ref=self.ref,
            conversation=self._conversation,
            limit_bytes=limits.capture_bytes,
        )
        self._published: list[str] = []
        self._spools: dict[str, Spool] = {}
        self._budget = Budget(limits.capture_bytes, self._allowed)
        try:
            with as_refusal(identity.conversation):
                self._receipt_file = self._place.new_file()
                reserve(self._receipt_file.fd, limits.receipt_bytes)
                self._make_streams()
                self._publish_live()
        except BaseException:
            self.abandon()
            raise

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
        conversation = self._conversation or self._masking.line(self._place.conversation_name)
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
        """Replace the live receipt, unsynced: it is not evidence.  ``False``: the disk took no new one."""
        receipt = encode(self.live_receipt(finalizing=finalizing))
        try:
            with self._handoff.at_disk():
                self._place.replace(names.live_receipt_file(self.capture_id), receipt)
        except OSError:
            return False
        return True

    def take_request(self) -> Request | None:
        """What somebody asks of the owner by a file beside the capture, if anything; the file is gone then."""
        with self._handoff.at_disk():
            data = self._place.take(names.request_file(self.capture_id), REQUEST_BYTES)
        return None if data is None else parse_request(data)

    def finish(self) -> Receipt:
        """Seal the streams and publish the final receipt, last.

        Raises ``OSError`` or ``Refused``: the leftover is discoverable; ``PlaceGone``: somebody removed it all.
        """
        self.replace_live(finalizing=True)
        ended = time.time()
        for spool in self._spools.values():
            self._seal(spool)
        self._sync_names()
        self._settle()
        receipt = self._receipt(self._verdict(), ended=ended)
        try:
            self._write_final(receipt)
            self._place.publish(self._receipt_file, names.final_receipt_file(self.capture_id))
        except (OSError, Refused) as error:
            if self._place.is_removed():
                raise PlaceGone("its folder was removed while the command ran; nothing is kept") from error
            raise
        self._withdraw_live()
        self.release()
        return receipt

    def release(self) -> None:
        """Let go of locks and descriptors; what was published stays."""
        self._settle()
        for spool in self._spools.values():
            unlock(spool.file.fd)
            spool.discard()
        self._spools = {}
        self._receipt_file.discard()
        self._place.close()

    def abandon(self) -> None:
        """The child was never started: remove every file and folder of ours."""
        for name in self._published:
            # What cannot be removed is a leftover; the error that brought us here is the one to tell.
            with suppress(OSError):
                self._place.unlink(name)
        self._settle()
        for spool in self._spools.values():
            spool.discard()
        if hasattr(self, "_receipt_file"):
            self._receipt_file.discard()
        self._place.undo()

    def _make_streams(self) -> None:
        for stream in self._identity.streams:
            name = names.live_stream_file(self.capture_id, stream)
            file = self._locked_file()
            masking, sidecars = self._masking, partial(self._make_sidecars, stream)
            self._spools[stream] = Spool(
                stream,
                name,
                file,
                self._budget,
                self._limits,
                masking.stage,
                is_raw=masking.is_raw,
                make_sidecars=sidecars,
                at_disk=self._handoff.at_disk,
            )
            self._spools[stream].upstream = upstream.reason(self._identity.upstream)
            self._place.publish(file, name)
            self._published.append(name)

    def _make_sidecars(self, stream: StreamName) -> Sidecars:
        from capture_core.sidecar_file import Sidecars

        return Sidecars(partial(self._new_sidecar, stream), self._budget)

    def _allowed(self) -> Allowance:
        """Made with the first byte that is to be kept: a command that prints nothing takes nothing."""
        from capture_core.allowance import Allowance, Terms

        limits = self._limits
        terms = Terms(limits.conversation_bytes, limits.capture_bytes, self._identity.limit_from)
        return Allowance(self._place.tally_place(), self.capture_id, terms, self._handoff.at_disk)

    def _settle(self) -> None:
        """Give back what of the conversation's allowance was taken and not used; its last use was counted then."""
        if self._budget.allowance is not None:
            with suppress(OSError):
                self._budget.allowance.settle(sum(spool.kept() for spool in self._spools.values()))

    def _new_sidecar(self, stream: StreamName, kind: SidecarKind) -> tuple[str, NewFile]:
        name = names.sidecar_file(self.capture_id, stream, kind)
        file = self._place.new_published(name)
        self._published.append(name)
        return name, file

    def _locked_file(self) -> NewFile:
        file = self._place.new_file()
        # Locked before it has a name: a reader that sees it unlocked may conclude that its owner died.
        try:
            lock(file.fd)
        except OSError:
            file.discard()
            raise
        return file

    def _publish_live(self) -> None:
        file = self._place.new_file()
        try:
            write_all(file.fd, encode(self.live_receipt()))
            self._place.publish(file, names.live_receipt_file(self.capture_id))
            self._published.append(names.live_receipt_file(self.capture_id))
        finally:
            file.discard()

    def _seal(self, spool: Spool) -> None:
        try:
            spool.seal()
        except (OSError, MemoryError, ImportError) as error:
            # Neither proved whole nor known to be safe: kept, and not called complete.
            spool.cut(fault(error))
        final = names.final_stream_file(self.capture_id, spool.name, binary=self._masking.is_raw)
        try:
            self._place.rename(spool.file_name, final, spool.file.fd)
        except FileNotFoundError:
            spool.lose()
        except OSError as error:
            # It stays readable under the name that it has.
            spool.cut(fault(error))
        else:
            spool.file_name = final
        self.note_cuts()

    def _sync_names(self) -> None:
        try:
            self._place.sync()
        except OSError as error:
            for spool in self._spools.values():
                spool.cut(fault(error))
            self.note_cuts()

    def _withdraw_live(self) -> None:
        """Remove the live receipt; until the final one's name is known to be safe it stays, and means nothing."""
        try:
            self._place.sync()
            self._place.unlink(names.live_receipt_file(self.capture_id))
        except OSError as error:
            self.mishap = f"the disk did not confirm the receipt ({(error.strerror or str(error)).lower()})"

    def _write_final(self, receipt: Receipt) -> None:
        try:
            self._write_receipt(encode(receipt))
        except OSError:
            from dataclasses import replace

            # The last words of what was cut may be what does not fit: where files may only be small.
            self._write_receipt(encode(replace(receipt, preview={})))

    def _write_receipt(self, data: bytes) -> None:
        fd = self._receipt_file.fd
        os.lseek(fd, 0, os.SEEK_SET)
        write_all(fd, data)
        os.ftruncate(fd, len(data))
        os.fsync(fd)
        os.fchmod(fd, FINAL_MODE)

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
        chars = {StreamName.STDERR: self._limits.preview_stderr_chars}
        return {
            n: s.preview(chars.get(StreamName(n), self._limits.preview_stdout_chars)) for n, s in self._spools.items()
        }
