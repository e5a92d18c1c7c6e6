"""One stream's committed bytes by range, on a descriptor that outlives the change from live to final."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self, TypeGuard

from capture_core import liveness
from capture_core.descend import tool_folder
from capture_core.errors import PlaceRefused, StreamGone, StreamUnreadable, system_words
from capture_core.facts import Liveness
from capture_core.holes import data_from
from capture_core.limits.reading import RANGE_BYTES
from capture_core.line_count import catch_up
from capture_core.look import committed_end, open_stream
from capture_core.record import NamedTuple
from capture_core.source import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from capture_core.line_index import LineIndex
    from capture_core.source import Entry


_DIGEST_DIGITS: Final = 64
"""Of SHA-256."""


class FileMark(NamedTuple):
    """What tells the text of an ended capture from any other: inode, bytes, time of change, digest and newlines.

    ``newlines``: as the receipt has them; ``None``: not counted there.
    """

    inode: int
    size: int
    modified_ns: int
    sha256: str
    newlines: int | None


class StreamReader:
    """Reads one stream of one capture.  The file is opened once: its name may change, its inode does not.

    Not for two threads at once; close it, or use it as a context manager.
    """

    def __init__(self, conversation: str, entry: Entry, stream: str) -> None:
        """Open ``stream`` of ``entry``, in the conversation at this path; :class:`StreamGone` if missing."""
        self.stream = stream
        self.generation = entry.receipt.streams[stream].generation if stream in entry.receipt.streams else 0
        self._seen = 0
        self._entry = entry
        self._is_held = False
        self._fd = self._open(conversation)
        self.hold()

    def follow(self, entry: Entry) -> bool:
        """Take the newest word about the capture: where its text ends may have been decided since.

        ``False``: the stream's bytes were replaced by a later generation, which is another file.
        """
        facts = entry.receipt.streams.get(self.stream)
        if facts is None or facts.generation < self.generation:
            return True
        self._entry = entry
        self.hold()
        return facts.generation == self.generation

    @property
    def committed(self) -> int:
        """The committed length now; :class:`StreamGone` when the file was deleted, replaced or cut short."""
        with self._told():
            status = os.fstat(self._fd)
        if status.st_nlink == 0:
            raise StreamGone(f"{self._words()}: its file was deleted or replaced")
        if status.st_size < self._seen:
            raise StreamGone(f"{self._words()}: its file was cut to {status.st_size} bytes")
        self._seen = status.st_size
        with self._told():
            return committed_end(self._fd, self._entry.receipt, self.stream, self._entry.liveness)

    @property
    def missing(self) -> int:
        """Bytes that were committed, as the final receipt has it, and that the file has not: somebody cut it."""
        end = self._entry.receipt.streams[self.stream].end
        is_final = self._entry.liveness is Liveness.FINAL
        return max(0, end - self.committed) if is_final and end is not None else 0

    def page(self, start: int, end: int) -> Page:
        """Committed bytes of ``start:end``, clipped to what is committed and to ``RANGE_BYTES``."""
        committed = self.committed
        start = max(0, min(start, committed))
        end = max(start, min(end, committed, start + RANGE_BYTES))
        data = self.read(start, end)
        return Page(start=start, end=end, data=data, committed=committed, generation=self.generation)

    def read(self, start: int, end: int) -> bytes:
        """Exactly the committed bytes of ``start:end``; :class:`StreamGone` when they are no longer there."""
        with self._told():
            data = self._pread(start, end)
            if len(data) < end - start:
                raise StreamGone(f"{self._words()}: its file was cut to {os.fstat(self._fd).st_size} bytes")
        return data

    def data_from(self, offset: int) -> int:
        """The first offset from there on that may hold anything but zeros: what lies between is a hole of the file."""
        with self._told():
            return data_from(self._fd, offset)

    def catch_up(self, index: LineIndex, end: int, *, stop: Callable[[], bool] = lambda: False) -> None:
        """Count lines up to the committed byte ``end``, see :func:`capture_core.line_count.catch_up`."""
        with self._told():
            catch_up(self._fd, index, end, stop=stop)

    def mark(self) -> FileMark | None:
        """What tells this text from any other, and from itself after a change; ``None``: it may still grow.

        Also when its receipt tells no digest.
        """
        facts = self._entry.receipt.streams.get(self.stream)
        if self._entry.liveness is not Liveness.FINAL or facts is None or not _is_digest(facts.sha256):
            return None
        with self._told():
            status = os.fstat(self._fd)
        if facts.end != status.st_size:
            return None
        return FileMark(status.st_ino, status.st_size, status.st_mtime_ns, facts.sha256, facts.lines)

    def hold(self) -> bool:
        """Keep the file from being removed while it is open here; ``False`` while an owner still writes it.

        Done when it is opened, and again with each later word about the capture.
        """
        if not self._is_held:
            self._is_held = self._entry.liveness is not Liveness.LIVE and liveness.hold(self._fd)
        return self._is_held

    def fileno(self) -> int:
        """The descriptor, for one who waits for events on it."""
        return self._fd

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self, conversation: str) -> int:
        receipt = self._entry.receipt
        if self.stream not in receipt.streams:
            known = ", ".join(sorted(receipt.streams)) or "none"
            raise StreamGone(f"{receipt.ref} has no stream {self.stream!r}; it has: {known}")
        try:
            with tool_folder(conversation, receipt.tool) as folder:
                fd = None if folder is None else open_stream(folder, receipt, self.stream)
        except PlaceRefused as error:
            raise StreamGone(f"{self._words()}: {error}") from error
        if fd is None:
            raise StreamGone(f"{self._words()}: its file is missing")
        return fd

    def _pread(self, start: int, end: int) -> bytes:
        # Never mmap: a file that shrinks under a mapping is a SIGBUS.
        parts: list[bytes] = []
        while start < end and (part := os.pread(self._fd, end - start, start)):
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name what the system refuses: who only sees no bytes would take it for an empty text."""
        try:
            yield
        except OSError as error:
            raise StreamUnreadable(f"{self._words()}: it cannot be read ({system_words(error)})") from error

    def _words(self) -> str:
        return f"{self._entry.receipt.ref} {self.stream}"


def _is_digest(word: str | None) -> TypeGuard[str]:
    """Whether a receipt's word is a digest: anybody may have written it."""
    return word is not None and len(word) == _DIGEST_DIGITS and not word.strip("0123456789abcdef")
