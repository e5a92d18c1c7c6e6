"""When others come to see a capture, at its launch or for a later reason, and how its files get their names then."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.errors import Refused
from capture_core.facts import StreamName
from capture_core.receipt import encode
from capture_core.verdict import fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capture_core.capture_files import CaptureFiles
    from capture_core.facts import CaptureReason, Receipt
    from capture_core.limits import Limits
    from capture_core.spool import Spool
    from capture_core.statement import Statement


class Naming:
    """Of one capture.  Used at its launch, then by the thread that writes."""

    def __init__(
        self,
        ref: str,
        files: CaptureFiles,
        spools: Mapping[str, Spool],
        limits: Limits,
        *,
        statement: Statement,
        count: Callable[[], None],
        live_receipt: Callable[[], Receipt],
    ) -> None:
        """``count`` has the conversation's allowance count what others are about to see."""
        self._ref = ref
        self._capture_id = ref.rpartition("/")[2]
        self._files = files
        self._spools = spools
        self._limits = limits
        self._statement = statement
        self._count = count
        self._live_receipt = live_receipt
        self._is_demanded = False
        self._failure: CaptureReason | None = None
        """Why a text that cannot be given back otherwise has no names."""
        self._is_late = False
        """Whether somebody has waited long for the job."""
        self._try_again_at = 0.0

    def give(self) -> None:
        """Let others see the files, once what they hold is counted.

        Raises ``OSError`` or ``Refused``: they have no names then, and it can be tried again.
        """
        self._count()
        for stream, spool in self._spools.items():
            spool.file_name = names.live_stream_file(self._capture_id, stream)
        self._statement.set_ref(self._ref)
        try:
            self._files.give_names(encode(self._live_receipt()))
        except BaseException:
            self._statement.set_ref("")
            for spool in self._spools.values():
                spool.file_name = ""
            raise
        for spool in self._spools.values():
            spool.describe()

    def look(self) -> None:
        """Give the names when the text has outgrown the preview, or somebody has waited long for the job."""
        if self._files.are_named:
            return
        self._is_late = self._is_late or self._statement.has_run_for(self._limits.unseen_seconds)
        is_due = self._is_late and monotonic() >= self._try_again_at
        if is_due or (self._failure is None and self.is_outgrown()):
            self._try()
        elif self._failure is not None:
            self._keep_no_more(self._failure)

    def demand(self) -> None:
        """Give the names: whoever waited does so no longer."""
        self._is_demanded = True
        if not self._files.are_named:
            self._try()

    def settle(self) -> None:
        """It is over: give the names, if that was tried in vain, to what cannot be given back otherwise."""
        if not self._files.are_named and (self._is_wanted() or self._is_late):
            self._try()

    def is_outgrown(self) -> bool:
        """Whether the text is more than what a preview shows."""
        spools = self._spools.values()
        is_long = sum(spool.retained for spool in spools) > self._limits.preview_total_bytes
        return is_long or any(spool.chars > preview_chars(self._limits, spool.name) for spool in spools)

    def _is_wanted(self) -> bool:
        return self._is_demanded or self.is_outgrown()

    def _try(self) -> None:
        self._try_again_at = monotonic() + self._limits.unseen_seconds
        try:
            self.give()
        except (OSError, Refused) as error:
            if self._is_wanted():
                self._failure = fault(error)
                self._keep_no_more(self._failure)

    def _keep_no_more(self, reason: CaptureReason) -> None:
        """A stream that printed nothing lacks nothing."""
        for spool in self._spools.values():
            if spool.retained:
                spool.cut(reason)


def preview_chars(limits: Limits, stream: str) -> int:
    """How many characters of a stream a preview shows."""
    return limits.preview_stderr_chars if stream == StreamName.STDERR else limits.preview_stdout_chars
