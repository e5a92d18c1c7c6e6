"""One look at one capture: receipt, owner's lock and files' lengths, in the order that tells the truth."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from capture_core import derive, names
from capture_core.descend import open_file, regular
from capture_core.errors import PlaceRefused, ReceiptError
from capture_core.facts import CaptureState, Liveness, RepresentationKind, StreamName
from capture_core.limits.reading import RECEIPT_READ_BYTES
from capture_core.limits.sanitising import MOST_TORN_BYTES
from capture_core.liveness import Host, Lock, ask, is_local, judge
from capture_core.receipt_decode import decode
from capture_core.source import Address, Entry, StreamStatus, Unreadable

if TYPE_CHECKING:
    from capture_core.facts import Receipt, StreamFacts

_TRIES: Final = 8
"""A look that falls between two steps of an owner is taken again; an owner has few such steps in its life."""


@dataclass(frozen=True, slots=True)
class Folder:
    """An open tool folder and what it is called."""

    fd: int
    conversation: str
    """The conversation's key within its source."""
    tool: str

    def address(self, capture: str) -> Address:
        """Where ``capture`` is."""
        return Address(self.conversation, names.ref(self.tool, capture))


class _Moved(Exception):
    """The owner took a step while we looked."""


def look(folder: Folder, capture: str, place: Host) -> Entry | Unreadable | None:
    """See one capture now; ``None`` when it is not there, or so young that it has no receipt yet."""
    try:
        for _ in range(_TRIES):
            try:
                return _look_once(folder, capture, place)
            except _Moved:
                continue
    except (ReceiptError, PlaceRefused) as error:
        return Unreadable(address=folder.address(capture), words=str(error))
    return Unreadable(address=folder.address(capture), words="its files change faster than one can look")


def stream_names(receipt: Receipt, stream: str) -> tuple[str, ...]:
    """The names under which a stream's file can stand, in the order in which to look for it.

    Derived from the capture's own id; a receipt's word is never opened.
    """
    facts = receipt.streams[stream]
    if facts.state is CaptureState.UNAVAILABLE:
        # It was deleted: what stands at its name since is somebody else's.
        return ()
    binary = receipt.representation.kind is RepresentationKind.BINARY
    live = names.live_stream_file(receipt.capture_id, stream, facts.generation)
    final = names.final_stream_file(receipt.capture_id, stream, facts.generation, binary=binary)
    # What has left the live name can be found at the final one, but not the other way round.  Once its receipt says
    # where it is in the end, a stranger's file may stand at the other one.
    return (final, live) if facts.file == final else (live, final)


def open_stream(folder: int, receipt: Receipt, stream: str) -> int | None:
    """Open a stream's file by whichever name it has now; ``None`` when missing.  The caller closes it."""
    for name in stream_names(receipt, stream):
        if (fd := open_file(folder, name)) is not None:
            return fd
    return None


def committed_end(fd: int, receipt: Receipt, stream: str, liveness: Liveness) -> int:
    """Where the committed bytes of a stream end in its open file."""
    end = derive.readable_end(receipt.streams[stream], os.fstat(fd).st_size, liveness)
    if liveness is Liveness.FINAL or receipt.representation.kind is RepresentationKind.BINARY:
        return end
    # A file grows page by page within one write: whoever looks meanwhile, or after SIGKILL ended it, may see half of
    # a code point at its end, which is not committed before the rest is.
    start = max(0, end - MOST_TORN_BYTES)
    return end - derive.torn(os.pread(fd, end - start, start))


def _look_once(folder: Folder, capture: str, place: Host) -> Entry | Unreadable | None:
    receipt = _read(folder, capture, names.final_receipt_file(capture))
    if receipt is not None:
        return _final(folder, receipt)
    receipt = _read(folder, capture, names.live_receipt_file(capture))
    if receipt is None:
        return _without_receipt(folder, capture)
    return _unfinished(folder, receipt, place)


def _read(folder: Folder, capture: str, name: str) -> Receipt | None:
    fd = open_file(folder.fd, name)
    if fd is None:
        return None
    try:
        data = _read_bounded(fd)
    finally:
        os.close(fd)
    return decode(data, tool=folder.tool, capture=capture)


def _read_bounded(fd: int) -> bytes:
    parts: list[bytes] = []
    room = RECEIPT_READ_BYTES + 1
    while room and (part := os.read(fd, min(room, 64 * 1024))):
        parts.append(part)
        room -= len(part)
    if not room:
        raise ReceiptError(f"its receipt is larger than {RECEIPT_READ_BYTES} bytes")
    return b"".join(parts)


def _final(folder: Folder, receipt: Receipt) -> Entry:
    statuses = tuple(_final_status(folder, receipt, name, facts) for name, facts in receipt.streams.items())
    return _entry(folder, receipt, Liveness.FINAL, statuses)


def _final_status(folder: Folder, receipt: Receipt, name: str, facts: StreamFacts) -> StreamStatus:
    for file_name in stream_names(receipt, name):
        if (status := regular(folder.fd, file_name)) is not None:
            committed = derive.readable_end(facts, status.st_size, Liveness.FINAL)
            return StreamStatus(name=name, committed=committed, modified=status.st_mtime)
    return StreamStatus(name=name, committed=None, modified=None)


def _unfinished(folder: Folder, receipt: Receipt, place: Host) -> Entry:
    with ExitStack() as stack:
        opened = {name: _kept(stack, open_stream(folder.fd, receipt, name)) for name in receipt.streams}
        fds = [fd for fd in opened.values() if fd is not None] or _open_lock(folder, receipt, stack)
        lock = _ask_all(fds)
        if lock is not Lock.HELD:
            _expect_unmoved(folder, receipt, fds)
        liveness = _judge(receipt, lock, place, fds or [folder.fd])
        statuses = tuple(
            StreamStatus(name=name, committed=None, modified=None)
            if fd is None
            else StreamStatus(
                name=name,
                committed=committed_end(fd, receipt, name, liveness),
                modified=os.fstat(fd).st_mtime,
            )
            for name, fd in opened.items()
        )
    return _entry(folder, receipt, liveness, statuses)


def _open_lock(folder: Folder, receipt: Receipt, stack: ExitStack) -> list[int]:
    fd = _kept(stack, open_file(folder.fd, f"{receipt.capture_id}.lock"))
    return [] if fd is None else [fd]


def _kept(stack: ExitStack, fd: int | None) -> int | None:
    if fd is not None:
        stack.callback(os.close, fd)
    return fd


def _ask_all(fds: list[int]) -> Lock:
    answers = {ask(fd) for fd in fds}
    if Lock.HELD in answers:
        return Lock.HELD
    return Lock.FREE if answers == {Lock.FREE} else Lock.UNTOLD


def _expect_unmoved(folder: Folder, receipt: Receipt, fds: list[int]) -> None:
    """Raise when the owner went on between our reading its receipt and our asking for its lock."""
    if regular(folder.fd, names.final_receipt_file(receipt.capture_id)) is not None:
        raise _Moved
    if any(os.fstat(fd).st_nlink == 0 for fd in fds):
        raise _Moved
    if regular(folder.fd, names.live_receipt_file(receipt.capture_id)) is None:
        raise _Moved


def _judge(receipt: Receipt, lock: Lock, place: Host, fds: list[int]) -> Liveness:
    return judge(receipt, lock, place, is_local=lambda: all(is_local(fd) for fd in fds))


def _without_receipt(folder: Folder, capture: str) -> Unreadable | None:
    for stream in StreamName:
        finals = (names.final_stream_file(capture, stream, binary=binary) for binary in (False, True))
        for name in (names.live_stream_file(capture, stream), *finals):
            fd = open_file(folder.fd, name)
            if fd is None:
                continue
            try:
                # Held: it was made a moment ago and its receipt is on its way, or `rm` is half done.
                return None if ask(fd) is Lock.HELD else _orphan(folder, capture, name)
            finally:
                os.close(fd)
    return None


def _orphan(folder: Folder, capture: str, name: str) -> Unreadable:
    for receipt in (names.live_receipt_file(capture), names.final_receipt_file(capture)):
        if regular(folder.fd, receipt) is not None:
            raise _Moved
    return Unreadable(address=folder.address(capture), words=f"{name} has no receipt")


def _entry(folder: Folder, receipt: Receipt, liveness: Liveness, streams: tuple[StreamStatus, ...]) -> Entry:
    return Entry(
        address=folder.address(receipt.capture_id),
        receipt=receipt,
        liveness=liveness,
        process=derive.process(receipt, liveness),
        capture=derive.capture(receipt, liveness, streams),
        streams=streams,
    )
