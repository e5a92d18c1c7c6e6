"""The writer thread of one capture: everything that touches its disk after the launch happens here."""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING

from capture_core.facts import CaptureReason
from capture_core.handoff import Adopt, Chunk, StreamEnd, Wake
from capture_core.limits.capturing import REQUEST_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capture_core.capture import Capture
    from capture_core.facts import OtherProcess, Receipt
    from capture_core.handoff import Handoff, Item
    from capture_core.limits import Limits
    from capture_core.receipt import Request


class Writer:
    """Takes what the reader hands over, commits it, and publishes the receipts."""

    def __init__(  # noqa: PLR0913 — each of those whom it tells
        self,
        capture: Capture,
        handoff: Handoff,
        limits: Limits,
        *,
        make_label: Callable[[], str | None],
        on_request: Callable[[Request], None],
        on_done: Callable[[], None],
        on_adopted: Callable[[Receipt], None] | None = None,
        unended: CaptureReason = CaptureReason.DRAIN_TIMEOUT,
        held_by: Callable[[], Mapping[str, tuple[OtherProcess, ...]]] = dict,
    ) -> None:
        """``make_label`` runs in the thread first: it may load the engine.

        ``on_request`` is called for each request file, ``on_done`` when all is over, both in the thread.
        ``unended``: why a stream that ended without EOF is not whole.  ``held_by`` tells at the end who holds such
        streams; it takes a moment at most.
        """
        self._capture = capture
        self._handoff = handoff
        self._limits = limits
        self._make_label = make_label
        self._on_request = on_request
        self._on_done = on_done
        self._held_by = held_by
        self._on_adopted = on_adopted
        self._unended = unended
        self._looked = monotonic()
        self._stale = True
        self._written = monotonic() - limits.live_receipt_seconds
        self._thread = threading.Thread(target=self._run, name="capture-writer", daemon=True)
        self.receipt: Receipt | None = None
        """The final receipt, once the thread has ended in order."""
        self.texts: dict[str, bytes] | None = None
        """By stream, what no file has, of a capture that ended without one."""
        self.failure: BaseException | None = None
        """What ended the thread otherwise; the files are a leftover then, discoverable and readable."""

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def join(self) -> Receipt:
        """The final receipt; raises what failed in the thread."""
        self._thread.join()
        if self.failure is not None:
            raise self.failure
        assert self.receipt is not None  # noqa: S101 — one of the two is set when the thread has ended
        return self.receipt

    def wait_until_gone(self) -> None:
        """Wait until the thread is no more; never raises."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._capture.set_label(self._make_label())
            while (item := self._next()) is not None:
                self._do(item)
                self._refresh()
                self._look_for_request()
            self._settle()
            self.receipt = self._capture.finish()
            self.texts = self._capture.texts
        except BaseException as error:  # noqa: BLE001 — raised again in join()
            self.failure = error
            self._capture.release()
            self._drain()
        finally:
            self._on_done()

    def _next(self) -> Item | None:
        if self._handoff.is_idle:
            # What was written meanwhile is accounted for before anybody waits.
            for spool in self._capture.spools.values():
                spool.complete()
            self._stale |= self._capture.note_cuts()
        return self._handoff.take(self._patience())

    def _do(self, item: Item) -> None:
        if isinstance(item, Chunk):
            self._capture.spools[item.stream].feed(item.data, item.arrived)
        elif isinstance(item, StreamEnd):
            self._end(item.stream, eof=item.eof)
        elif isinstance(item, Wake):
            self._stale = True
        elif isinstance(item, Adopt):
            self._adopt()
        if self._capture.note_cuts():
            self._stale = True
        self._capture.look_at_names()

    def _adopt(self) -> None:
        receipt = self._capture.adopt()
        if self._on_adopted is not None:
            self._on_adopted(receipt)

    def _end(self, stream: str, *, eof: bool) -> None:
        spool = self._capture.spools[stream]
        if self._handoff.stalled and self._handoff.counts(stream).refused:
            spool.cut(CaptureReason.WRITER_STALLED)
        spool.finish(eof=eof, reason=self._unended)

    def _settle(self) -> None:
        for name, spool in self._capture.spools.items():
            if not spool.ended:
                self._end(name, eof=False)
        for name, holders in self._held_by().items():
            self._capture.spools[name].held_by = holders
        self._capture.note_cuts()

    def _patience(self) -> float:
        """How long to wait for the next item: until a stale live receipt may be replaced, or a request be there."""
        waits = [self._looked + REQUEST_SECONDS]
        if self._stale:
            waits.append(self._written + self._limits.live_receipt_seconds)
        return max(0.0, min(waits) - monotonic())

    def _refresh(self) -> None:
        if self._stale and monotonic() - self._written >= self._limits.live_receipt_seconds:
            self._written = monotonic()
            self._stale = not self._capture.replace_live()

    def _look_for_request(self) -> None:
        if monotonic() - self._looked >= REQUEST_SECONDS:
            self._looked = monotonic()
            if self._stale and self._capture.is_asked():
                # Whoever sees the request taken sees as well whether there was still a command to ask for.
                self._written = monotonic()
                self._stale = not self._capture.replace_live()
            request = self._capture.take_request()
            if request is not None:
                self._on_request(request)

    def _drain(self) -> None:
        """Keep taking, so that the reader never waits for a writer that is gone."""
        while self._handoff.take() is not None:
            pass
