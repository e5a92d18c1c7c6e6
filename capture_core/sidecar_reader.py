"""One sidecar by range, looked up by bisection in the file; nothing of it is read that was not asked for."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Self

from capture_core import names
from capture_core.descend import open_file, tool_folder
from capture_core.errors import PlaceRefused, StreamGone
from capture_core.limits.reading import SIDECAR_RANGE_RECORDS
from capture_core.sidecar import RECORD_BYTES, Mark, decode
from capture_core.source import Marks

if TYPE_CHECKING:
    from types import TracebackType

    from capture_core.facts import Receipt, SidecarKind


class SidecarReader:
    """Reads one sidecar, which may be growing; one that is not there (yet) has no records.

    Close it, or use it as a context manager.
    """

    def __init__(self, conversation: str, receipt: Receipt, stream: str, kind: SidecarKind) -> None:
        """Open it, in the conversation at this path; its name is derived from the capture's id.

        :class:`StreamGone` when the capture has no such stream.
        """
        if stream not in receipt.streams:
            raise StreamGone(f"{receipt.ref} has no stream {stream!r}")
        name = names.sidecar_file(receipt.capture_id, stream, kind, receipt.streams[stream].generation)
        try:
            with tool_folder(conversation, receipt.tool) as folder:
                fd = None if folder is None else open_file(folder, name)
        except PlaceRefused:
            fd = None  # a link or special file of that name is none of ours, and the text can do without
        self._records = _Records(-1 if fd is None else fd)

    def marks(self, start: int, end: int) -> Marks:
        """What is said of ``start:end`` of the text: the record that holds at ``start``, and those before ``end``.

        When there are more than ``SIDECAR_RANGE_RECORDS``, the answer ends where the next one begins.
        """
        records = self._records
        first = max(0, bisect_right(records, start, key=itemgetter(0)) - 1)
        found = records.read(first, first + SIDECAR_RANGE_RECORDS + 1)
        wanted = bisect_left(found, end, key=itemgetter(0))
        if wanted > SIDECAR_RANGE_RECORDS:
            end, wanted = found[SIDECAR_RANGE_RECORDS].offset, SIDECAR_RANGE_RECORDS
        return Marks(start=start, end=max(start, end), marks=found[:wanted])

    def at(self, offset: int) -> Mark | None:
        """The one record that holds at ``offset``; ``None``: none does."""
        index = bisect_right(self._records, offset, key=itemgetter(0)) - 1
        return self._records[index] if index >= 0 else None

    def first_at(self, value: int) -> int | None:
        """The offset from which on text arrived at ``value`` or later; ``None`` where none did.  For times only."""
        at = bisect_left(self._records, value, key=itemgetter(1))
        return self._records[at].offset if at < len(self._records) else None

    def close(self) -> None:
        """Give the descriptor back."""
        self._records.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Records:
    """The whole records of a file as a sequence: for bisection."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __len__(self) -> int:
        return 0 if self._fd < 0 else os.fstat(self._fd).st_size // RECORD_BYTES

    def __getitem__(self, index: int) -> Mark:
        [mark] = self.read(index, index + 1) or (Mark(0, 0),)
        return mark

    def read(self, start: int, end: int) -> tuple[Mark, ...]:
        if self._fd < 0:
            return ()
        return decode(os.pread(self._fd, (end - start) * RECORD_BYTES, start * RECORD_BYTES))

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
