"""The files of one capture: made unseen, given their names at launch or when they must be seen, finished or undone."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.durable import FINAL_MODE, lock, reserve, write_all
from capture_core.limits.capturing import REQUEST_BYTES
from capture_core.namespace import Namespace
from capture_core.receipt import parse_request

if TYPE_CHECKING:
    from capture_core.durable import NewFile
    from capture_core.facts import SidecarKind, StreamName
    from capture_core.receipt import Request
    from capture_core.shared_tally import Place


class CaptureFiles:
    """For the thread that makes them, then for the thread that writes them.

    Before :meth:`give_names` nobody else can see any of them, and nothing of them outlives this process.
    """

    def __init__(self, conversation: str, tool: str, capture_id: str) -> None:
        """Open the folders, or make them.  Raises ``Refused``; nothing stays behind then."""
        self._id = capture_id
        self._place = Namespace(conversation, tool)
        self._streams: dict[StreamName, NewFile] = {}
        self._published: list[str] = []
        self._receipt: NewFile | None = None
        self._live_receipt: NewFile | None = None
        self.are_named = False
        """Whether others can see them."""

    @property
    def conversation_name(self) -> str:
        """The conversation directory's own name, without its place."""
        return self._place.conversation_name

    def tally_place(self) -> Place:
        """The folders in which the conversation counts what it keeps; open until :meth:`close`."""
        return self._place.tally_place()

    def reserve_receipt(self, size: int) -> None:
        """Take the room for the final receipt now, so that a full disk cannot prevent it.  Raises ``OSError``."""
        self._receipt = self._place.new_file()
        reserve(self._receipt.fd, size)

    def reserve_live_receipt(self, size: int) -> None:
        """Take the room for a live receipt that is to be seen later.  Raises ``OSError``."""
        self._live_receipt = self._place.new_file()
        reserve(self._live_receipt.fd, size)

    def make_stream(self, stream: StreamName) -> NewFile:
        """A stream's file, locked before it has a name: who sees it unlocked may conclude that its owner died."""
        file = self._place.new_file()
        try:
            lock(file.fd)
        except OSError:
            file.discard()
            raise
        self._streams[stream] = file
        return file

    def make_sidecar(self, stream: StreamName, kind: SidecarKind) -> tuple[str, NewFile]:
        """A sidecar's name and file, which others see as it begins."""
        name = names.sidecar_file(self._id, stream, kind)
        file = self._place.new_published(name)
        self._published.append(name)
        return name, file

    def give_names(self, live_receipt: bytes) -> None:
        """Let others see the streams, then the live receipt.

        Raises ``OSError`` or ``Refused``: none has a name then, and it can be tried again.
        """
        try:
            for stream, file in self._streams.items():
                self._publish(file, names.live_stream_file(self._id, stream))
            self._publish_live_receipt(live_receipt)
        except BaseException:
            self._withdraw_streams()
            raise
        self.are_named = True

    def replace_live(self, receipt: bytes) -> None:
        """Replace the live receipt, unsynced: it is not evidence."""
        self._place.replace(names.live_receipt_file(self._id), receipt)

    def is_asked(self) -> bool:
        """Whether somebody asks something of the owner."""
        return self._place.has(names.request_file(self._id))

    def take_request(self) -> Request | None:
        """What somebody asks of the owner by a file beside the capture, if anything; the file is gone then."""
        taken = self._place.take(names.request_file(self._id), REQUEST_BYTES)
        return None if taken is None else parse_request(*taken)

    def rename(self, name: str, new_name: str, fd: int) -> None:
        """Rename the file of ``fd``, never over anything; ``FileNotFoundError`` when it is not there any more."""
        self._place.rename(name, new_name, fd)

    def sync(self) -> None:
        """Make the names durable."""
        self._place.sync()

    def write_receipt(self, data: bytes) -> None:
        """Write the final receipt, again where that failed, durably.  Raises ``OSError``."""
        assert self._receipt is not None  # noqa: S101 — reserved before anything else
        fd = self._receipt.fd
        _rewrite(fd, data)
        os.fsync(fd)
        os.fchmod(fd, FINAL_MODE)

    def publish_receipt(self) -> None:
        """Let others see the final receipt, from now on evidence.  Raises ``OSError`` or ``Refused``."""
        assert self._receipt is not None  # noqa: S101 — reserved before anything else
        self._place.publish(self._receipt, names.final_receipt_file(self._id))

    def withdraw_live(self) -> None:
        """Remove the live receipt, once the final one's name is known to be safe: till then it stays."""
        self._place.sync()
        self._place.unlink(names.live_receipt_file(self._id))

    def is_removed(self) -> bool:
        """Whether somebody removed the folder."""
        return self._place.is_removed()

    def close(self) -> None:
        """Let go of the folders and of the receipt's room; those that were made for what has no name are removed."""
        for receipt in (self._receipt, self._live_receipt):
            if receipt is not None:
                receipt.discard()
        self._receipt = self._live_receipt = None
        if self.are_named:
            self._place.close()
        else:
            self._place.undo()

    def take_back(self) -> None:
        """Remove what has a name: the child was never started."""
        self._take_names()
        self.are_named = False

    def _publish(self, file: NewFile, name: str) -> None:
        self._place.publish(file, name)
        self._published.append(name)

    def _publish_live_receipt(self, data: bytes) -> None:
        if self._live_receipt is None:
            self._live_receipt = self._place.new_file()
        _rewrite(self._live_receipt.fd, data)
        self._publish(self._live_receipt, names.live_receipt_file(self._id))
        self._live_receipt.discard()
        self._live_receipt = None

    def _withdraw_streams(self) -> None:
        for stream, file in self._streams.items():
            if (name := names.live_stream_file(self._id, stream)) in self._published:
                # What stays there is removed; it gets no name again.
                with suppress(OSError):
                    self._place.withdraw(file, name)
                    self._published.remove(name)
        self._take_names()

    def _take_names(self) -> None:
        while self._published:
            # What cannot be removed is a leftover; the error that brought us here is the one to tell.
            with suppress(OSError):
                self._place.unlink(self._published.pop())


def _rewrite(fd: int, data: bytes) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    write_all(fd, data)
    os.ftruncate(fd, len(data))
