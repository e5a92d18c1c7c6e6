"""The streams that a source has open for its readers: a bounded number, each with its own lock."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from capture_core.catalog import Catalogue
from capture_core.errors import ReceiptError, StreamGone, UnknownRef
from capture_core.limits.reading import OPEN_STREAMS
from capture_core.reader import StreamReader
from capture_core.sidecar_reader import SidecarReader
from capture_core.source import Address, Entry, Marks, Page, Unreadable

if TYPE_CHECKING:
    from capture_core.facts import SidecarKind
    from capture_core.shelf import Shelf


class _Open:
    """One open stream."""

    def __init__(self, reader: StreamReader) -> None:
        self.lock = threading.Lock()
        self.reader: StreamReader | None = reader

    def close(self) -> None:
        with self.lock:
            if self.reader is not None:
                self.reader.close()
                self.reader = None


class Desk:
    """Gives pages of streams, keeping recently used ones open.  Safe for several threads.

    An ended capture's stream is held against removal while it is open.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[Address, str], _Open] = OrderedDict()

    def page(self, address: Address, stream: str, start: int, end: int) -> Page:
        """A page; raises :class:`UnknownRef`, :class:`ReceiptError` or :class:`StreamGone`."""
        newest = self._shelf.known(address)
        while True:
            opened = self._get(address, stream)
            with opened.lock:
                reader = opened.reader
                if reader is None:
                    continue  # closed by another thread, to make room
                try:
                    if newest is None or reader.follow(newest):
                        return reader.page(start, end)
                except StreamGone:
                    self._forget((address, stream), opened)
                    raise
                self._forget((address, stream), opened)

    def marks(self, address: Address, stream: str, kind: SidecarKind, start: int, end: int) -> Marks:
        """What a sidecar says; raises :class:`UnknownRef`, :class:`ReceiptError` or :class:`StreamGone`."""
        path, entry = self._shelf.path_of(address.conversation), self._shelf.known(address)
        if path is None or entry is None:
            path, entry = fresh(self._shelf, address)
        with SidecarReader(path, entry.receipt, stream, kind) as reader:
            return reader.marks(start, end)

    def close(self) -> None:
        """Close every stream."""
        with self._lock:
            opened, self._open = list(self._open.values()), OrderedDict()
        for item in opened:
            item.close()

    def _get(self, address: Address, stream: str) -> _Open:
        key = address, stream
        with self._lock:
            if (opened := self._open.get(key)) is not None:
                self._open.move_to_end(key)
                return opened
        path, entry = fresh(self._shelf, address)
        opened = _Open(StreamReader(path, entry, stream))
        with self._lock:
            before = self._open.pop(key, None)
            self._open[key] = opened
            crowded = [self._open.popitem(last=False)[1]] if len(self._open) > OPEN_STREAMS else []
        for item in (*crowded, *([before] if before is not None else [])):
            item.close()
        return opened

    def _forget(self, key: tuple[Address, str], opened: _Open) -> None:
        """Close a stream whose lock the caller has."""
        with self._lock:
            if self._open.get(key) is opened:
                del self._open[key]
        if opened.reader is not None:
            opened.reader.close()
            opened.reader = None


def fresh(shelf: Shelf, address: Address) -> tuple[str, Entry]:
    """The conversation's path and the capture as it is now, its receipt whole."""
    path, name = shelf.locate(address)
    match Catalogue(path, key=address.conversation).fresh(name):
        case None:
            raise UnknownRef(f"{address.ref} is not there")
        case Unreadable(words=words):
            raise ReceiptError(f"{address.ref}: {words}")
        case Entry() as entry:
            return path, entry
