"""What is piped through: read and passed on from its first byte, and captured meanwhile; there is no child.

The parts are those of a job, one reader, one hand-off and one writer, so that who reads what is passed on slows the
source, as with ``tee``, and a stalled disk does not.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from capture_core.capture import Capture
from capture_core.errors import SourceFailed, no_thread
from capture_core.facts import CaptureReason, ProcessState, RequestKind, StreamName
from capture_core.handoff import Handoff
from capture_core.identity import Identity, admit
from capture_core.limits import LimitFrom, Limits
from capture_core.pipe import PipeReader
from capture_core.record import NamedTuple
from capture_core.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.facts import Producer, Receipt
    from capture_core.outlet import Outlet
    from capture_core.receipt import Request
    from capture_core.stage import Masking

_STREAM: Final = StreamName.OUTPUT


class Piped(NamedTuple):
    """What is said of what is piped through, by whoever pipes it."""

    tool: str
    producer: Producer
    label: str | None = None
    call_id: str | None = None
    limit_from: LimitFrom = LimitFrom.DEFAULT


class Tee:
    """Reads a source to its end and passes it on, from when this is made; :meth:`capture` keeps what is read.

    Nothing is lost and nothing waits before :meth:`capture` is called, for as long as the queue has room.
    """

    def __init__(
        self,
        source: int,
        limits: Limits,
        *,
        outlet: Outlet | None = None,
        on_passed_on: Callable[[], object] | None = None,
    ) -> None:
        """Begin to read the descriptor ``source``, which is owned from here on.

        ``on_passed_on`` is called once, in the reader's thread, when all is read and passed on.  Raises ``Refused``
        where no thread can be had.
        """
        self._limits = limits
        self._on_passed_on = on_passed_on
        self._ref: str | None = None
        self._handoff = Handoff((_STREAM,), limits)
        self._reader = PipeReader(
            {_STREAM: source},
            self._handoff,
            _without_drain(limits),
            outlets={} if outlet is None else {_STREAM: outlet},
            on_streams_ended=self._over,
        )
        try:
            self._reader.start()
        except RuntimeError as error:
            self._reader.abandon()
            raise no_thread(error) from error

    @property
    def ref(self) -> str | None:
        """The capture's, once there is one: also of one that could not be finished."""
        return self._ref

    @property
    def not_passed_on(self) -> str | None:
        """Why the source was not passed on to its end, where something else than its reader ended that."""
        return self._reader.not_passed_on()

    def capture(self, piped: Piped, conversation: str, masking: Masking) -> Receipt:
        """Keep all that is read, to the source's end; the final receipt, whatever kept parts of it out.

        Raises ``Refused``: nothing was kept and nothing stays behind, and reading and passing on go on, see
        :meth:`pass_on`.  Raises ``SourceFailed`` when reading failed: what came before is a partial capture.
        ``OSError`` and other errors: the receipt could not be published; see :attr:`ref`.
        """
        admit(piped.tool, masking)
        capture = Capture(_identity(piped, conversation), self._handoff, self._limits, masking)
        over = threading.Event()
        writer = Writer(
            capture,
            self._handoff,
            self._limits,
            make_label=lambda: None if piped.label is None else masking.line(piped.label),
            on_request=self._asked,
            on_done=over.set,
            unended=CaptureReason.UPSTREAM_TRUNCATED,
        )
        try:
            writer.start()
        except RuntimeError as error:
            capture.abandon()
            raise no_thread(error) from error
        self._ref = capture.ref
        # Not by joining: a thread that waits for another one takes no signals.
        over.wait()
        receipt = writer.join()
        if self._reader.failure is not None:
            raise _source_failed(self._reader.failure, receipt, masking) from self._reader.failure
        return receipt

    def pass_on(self) -> None:
        """Keep nothing: whoever feeds and whoever reads is served to the end all the same."""
        while self._handoff.take() is not None:
            pass

    def stop(self) -> None:
        """End it before the source does: what is in the pipe now is its last.  Any thread may call this."""
        self._reader.stop_passing_on()
        self._reader.child_exited()

    def _over(self) -> None:
        self._handoff.close()
        if self._on_passed_on is not None:
            self._on_passed_on()

    def _asked(self, request: Request) -> None:
        match request.kind:
            case RequestKind.CANCEL:
                self.stop()
            case RequestKind.PROMOTE:
                pass


def _identity(piped: Piped, conversation: str) -> Identity:
    return Identity(
        conversation=conversation,
        tool=piped.tool,
        streams=(_STREAM,),
        producer=piped.producer,
        call_id=piped.call_id,
        limit_from=piped.limit_from,
        process=ProcessState.NONE,
    )


def _without_drain(limits: Limits) -> Limits:
    """The same limits without a drain window: who stops a tee has no child whose last words are to be waited for."""
    return Limits(**{name: getattr(limits, name) for name in Limits.__annotations__} | {"drain_seconds": 0.0})


def _source_failed(failure: BaseException, receipt: Receipt, masking: Masking) -> SourceFailed:
    words = failure.strerror.lower() if isinstance(failure, OSError) and failure.strerror else str(failure)
    return SourceFailed(f"stdin broke off ({masking.line(words)}); what came before is kept as {receipt.ref}", receipt)
