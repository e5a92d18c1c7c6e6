"""One ordinary file, growing or not, as a :class:`capture_core.source.Source`: to look at logs that nobody captured."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import sleep, to_thread

from capture_core.errors import Refused, StreamGone, StreamUnreadable, UnknownRef, system_words
from capture_core.facts import (
    CaptureFacts,
    CaptureState,
    Liveness,
    ProcessFacts,
    ProcessState,
    Producer,
    Receipt,
    RepresentationFacts,
    RepresentationKind,
    RequestKind,
    SidecarKind,
    StreamFacts,
    TimeFacts,
)
from capture_core.limits.reading import POLL_SECONDS, RANGE_BYTES
from capture_core.line_counts import StreamCount
from capture_core.source import (
    Address,
    Change,
    ChangeKind,
    Changes,
    Entry,
    Hit,
    Listing,
    Marks,
    Page,
    StreamStatus,
)
from capview.pager import FILE_ADAPTER

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from capture_core.sought import Search

_STREAM = "content"


class FileSource:
    """The file at ``path``, which is opened again when another one stands there.  Nothing is known of its origin.

    Raises :class:`Refused` at once when it is not a regular file or cannot be read.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path).absolute()
        self.address = Address(str(self._path.parent), self._path.name)
        self._lock = threading.Lock()
        self._generation = 1
        self._seen = 0
        try:
            self._fd = self._open()
        except OSError as error:
            raise Refused(f"{path!r}: {system_words(error)}") from error

    async def list(self) -> Listing:
        """The file, as if it were a capture."""
        return Listing(entries=(await self.receipt(self.address),))

    async def receipt(self, address: Address) -> Entry:
        """What can be said of the file."""
        if address != self.address:
            raise UnknownRef(f"{address.ref} is not this file")
        return await to_thread.run_sync(self._entry)

    async def range(self, address: Address, stream: str, start: int, end: int) -> Page:
        """Bytes of the file; another ``generation`` after it was cut short or replaced."""
        if address != self.address or stream != _STREAM:
            raise StreamGone(f"{address.ref} {stream} is not this file")
        return await to_thread.run_sync(self._page, start, end, abandon_on_cancel=True)

    async def marks(self, address: Address, stream: str, kind: SidecarKind, start: int, end: int) -> Marks:  # noqa: ARG002
        """Nothing is known but the bytes."""
        return Marks(start=start, end=end, marks=())

    async def lines(self, address: Address, stream: str) -> StreamCount:
        """The count of the lines of the file that stands there now."""
        if address != self.address or stream != _STREAM:
            raise StreamGone(f"{address.ref} {stream} is not this file")
        return await to_thread.run_sync(self._counting)

    def search(self, search: Search, addresses: tuple[Address, ...] = ()) -> AsyncIterator[Hit]:  # noqa: ARG002
        """A log view searches by itself."""
        raise Refused("a file that is no capture is searched where it is shown, or with grep")

    async def changes(self) -> AsyncGenerator[Changes]:
        """Its growth, by polling."""
        before = await self.receipt(self.address)
        yield Changes(changes=(), watching=False)
        while True:
            await sleep(POLL_SECONDS)
            entry = await self.receipt(self.address)
            if entry != before:
                before = entry
                change = Change(kind=ChangeKind.UPDATED, address=self.address, entry=entry)
                yield Changes(changes=(change,), watching=False)

    async def request(self, address: Address, kind: RequestKind, reason: str) -> None:  # noqa: ARG002
        """Nobody owns it."""
        raise Refused("a file that is no capture has no owner that could be asked")

    async def aclose(self) -> None:
        """Close the file."""
        with self._lock:
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> int:
        # Without O_NONBLOCK a FIFO would hold the open until somebody writes to it.
        fd = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return fd
        os.close(fd)
        raise Refused(f"{str(self._path)!r}: not a regular file")

    def _page(self, start: int, end: int) -> Page:
        with self._lock, self._told():
            status = self._look()
            start = max(0, min(start, status.st_size))
            end = max(start, min(end, status.st_size, start + RANGE_BYTES))
            data = os.pread(self._fd, end - start, start)
            return Page(
                start=start,
                end=start + len(data),
                data=data,
                committed=status.st_size,
                generation=self._generation,
            )

    def _counting(self) -> StreamCount:
        with self._lock, self._told():
            self._look()
            return StreamCount(os.dup(self._fd), self._generation)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name what the system refuses: an error is no empty file."""
        try:
            yield
        except OSError as error:
            raise StreamUnreadable(f"{str(self._path)!r}: it cannot be read ({system_words(error)})") from error

    def _look(self) -> os.stat_result:
        """The state of the file that stands at the path now; the one that was open before, when none does."""
        status = os.fstat(self._fd)
        if status.st_nlink == 0 or not self._is_at_path(status):
            try:
                fd = self._open()
            except (OSError, Refused):
                return self._noted(status)
            os.close(self._fd)
            self._fd, self._seen = fd, 0
            self._generation += 1
            status = os.fstat(fd)
        return self._noted(status)

    def _is_at_path(self, status: os.stat_result) -> bool:
        try:
            return os.path.samestat(status, self._path.stat())
        except OSError:
            return True

    def _noted(self, status: os.stat_result) -> os.stat_result:
        if status.st_size < self._seen:
            self._generation += 1
        self._seen = status.st_size
        return status

    def _entry(self) -> Entry:
        with self._lock, self._told():
            status = self._look()
            generation = self._generation
        facts = StreamFacts(
            file=self.address.ref,
            observed=None,
            accepted=None,
            pending=None,
            discarded=None,
            retained=None,
            uncommitted=None,
            generation=generation,
        )
        receipt = Receipt(
            capture_id=self.address.ref,
            tool=FILE_ADAPTER,
            ref=str(self._path),
            conversation=self.address.conversation,
            producer=Producer(adapter=FILE_ADAPTER, version="1", source="file"),
            host="",
            boot_id=None,
            process=ProcessFacts(state=ProcessState.NONE),
            capture=CaptureFacts(state=CaptureState.PENDING),
            representation=RepresentationFacts(kind=RepresentationKind.BINARY),
            streams={_STREAM: facts},
            times=TimeFacts(started=""),
            label=self.address.ref,
        )
        length = StreamStatus(name=_STREAM, committed=status.st_size, modified=status.st_mtime)
        return Entry(
            address=self.address,
            receipt=receipt,
            liveness=Liveness.UNKNOWN,
            process=receipt.process,
            capture=receipt.capture,
            streams=(length,),
        )
