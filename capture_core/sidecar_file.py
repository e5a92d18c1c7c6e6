"""The sidecars of one stream being written: each begins with its first record, and stops at what does not fit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from capture_core.durable import FINAL_MODE, ShortWrite, size_of, write_all
from capture_core.errors import Refused
from capture_core.facts import SidecarFacts, SidecarKind, SidecarState
from capture_core.marks import Marks
from capture_core.sidecar import RECORD_BYTES, ArrivalTimes, StyleRuns, encode
from capture_core.styles import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.budget import Budget
    from capture_core.durable import NewFile

    Make = Callable[[SidecarKind], tuple[str, NewFile]]


class Sidecars:
    """Styles and arrival times of one stream.  Nothing that goes wrong with them is raised: it is a fact."""

    def __init__(self, make: Make, budget: Budget) -> None:
        """``make`` gives a published file and its name; it is called when there is a first record of that kind."""
        self._runs = StyleRuns()
        self._times = ArrivalTimes()
        self._files = {kind: SidecarFile(kind, make, budget) for kind in SidecarKind}

    def append(self, start: int, end: int, styles: Marks, arrived: int | None) -> None:
        """Say what is known of the text ``start:end``, which has just been committed."""
        # The time first: it takes one record, and styles may take all the room there is.
        if arrived is not None:
            self._files[SidecarKind.TIMES].append(self._times.marks(start, arrived))
        if styles:
            self._files[SidecarKind.SGR].append(self._runs.marks(styles, end))

    def facts(self) -> dict[str, SidecarFacts]:
        """What there is of each that has begun."""
        return {kind.value: file.facts() for kind, file in self._files.items() if file.has_begun}

    def seal(self) -> None:
        """Make them durable, and take the right to write from them."""
        for file in self._files.values():
            file.seal()

    def kept(self) -> int:
        """Bytes that the files have now."""
        return sum(file.kept() for file in self._files.values())

    def discard(self) -> None:
        """Close them; what was published stays."""
        for file in self._files.values():
            file.discard()


class SidecarFile:
    """Appends the records of one kind."""

    def __init__(self, kind: SidecarKind, make: Make, budget: Budget) -> None:
        self._make = make
        self._budget = budget
        self._kind = kind
        self._closes = kind is SidecarKind.SGR
        """Whether a record is kept in reserve that ends what the last one says: a style that would not end."""
        self._file: NewFile | None = None
        self._name: str | None = None
        self._state = SidecarState.WHOLE
        self._records = 0
        self._last = PLAIN
        self._end: int | None = None

    @property
    def has_begun(self) -> bool:
        """Whether there ever was a record to be written."""
        return bool(self._records) or self._state is not SidecarState.WHOLE

    def append(self, marks: Marks) -> None:
        """Write as many of the records as fit; the text that they speak of is committed."""
        if not marks or self._state is not SidecarState.WHOLE:
            return
        spare = 1 if self._closes and not self._records else 0
        fits = self._budget.take_records(len(marks), RECORD_BYTES, spare=spare)
        kept, lost = marks.part(0, fits), marks.part(fits)
        if kept:
            self._write(kept)
        if lost and self._state is SidecarState.WHOLE:
            self._stop(SidecarState.FULL, lost.offsets[0])

    def seal(self) -> None:
        """Make it durable, and take the right to write from the file."""
        if self._file is not None:
            try:
                os.fsync(self._file.fd)
                os.fchmod(self._file.fd, FINAL_MODE)
            except OSError:
                self._fail(0)

    def kept(self) -> int:
        """Bytes that the file has now."""
        return 0 if self._file is None else size_of(self._file.fd)

    def discard(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.discard()
            self._file = None

    def facts(self) -> SidecarFacts:
        """What there is of it."""
        return SidecarFacts(
            file=self._name,
            state=self._state,
            retained=self._records * RECORD_BYTES,
            records=self._records,
            end=self._end,
        )

    def _stop(self, state: SidecarState, end: int) -> None:
        """Say nothing of the text from ``end`` on."""
        if self._closes and self._records and self._last != PLAIN:
            self._write(Marks([(end, PLAIN)]))
        if self._state is SidecarState.WHOLE:
            self._state, self._end = state, end

    def _write(self, marks: Marks) -> None:
        try:
            if self._file is None:
                self._name, self._file = self._make(self._kind)
            write_all(self._file.fd, encode(marks))
        except ShortWrite as error:
            self._records += (whole := error.done // RECORD_BYTES)
            self._fail(marks.offsets[whole])
        except (OSError, Refused):
            self._fail(marks.offsets[0])
        else:
            self._records += len(marks)
            self._last = marks.values[-1]

    def _fail(self, end: int) -> None:
        self._state, self._end = SidecarState.FAILED, end
