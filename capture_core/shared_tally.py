"""The tally of a conversation as its file ``.capview/allowance/tally``: read and written by one owner at a time.

The first byte's lock is the turn to do so, those of the next ones prove that the owners of the slots live.  The file
may be deleted, cut or written over by anybody at any time: whoever has the turn looks, and begins it anew.  It is
never mapped: a mapped file that shrinks ends its reader.
"""

from __future__ import annotations

import os
import stat
import threading
from contextlib import contextmanager, suppress
from time import monotonic, monotonic_ns, sleep
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from capture_core import byte_locks
from capture_core.clock import boot_id
from capture_core.durable import NewFile, is_at, reserve
from capture_core.errors import CaptureError, NameTaken, PlaceRefused
from capture_core.kept import kept_bytes
from capture_core.limits.allowance import (
    ALLOWANCE_ASKED_OWNERS,
    ALLOWANCE_FIRST_RETRY_SECONDS,
    ALLOWANCE_QUEUE_SECONDS,
    ALLOWANCE_RESERVED_BYTES,
    ALLOWANCE_RETRY_SECONDS,
)
from capture_core.limits.capturing import CLAIM_TRIES
from capture_core.record import NamedTuple
from capture_core.tally import BOOT_BYTES, FILE, FOLDER, RECORD_BYTES, TURNS, TURNS_AT, Stamp, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.directory import Directory
    from capture_core.tally import Tally

_OPEN: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_TURN: Final = 0
_FIRST_SLOT: Final = 1


class HeldUp(CaptureError):
    """Somebody has the turn and does not go on."""


class Place(NamedTuple):
    """The open folders of a conversation that the tally needs; the caller closes them."""

    private: Directory
    outputs: Directory
    scratch: Directory


_queues: WeakValueDictionary[tuple[int, int], threading.Lock] = WeakValueDictionary()
"""For each tally's device and inode: where threads of this process line up, so that one of them asks for the turn.

Gone with the last of them.  Two that come first at the same moment may get one each: then both ask.
"""

# In a fork nobody is left to leave the line.
os.register_at_fork(after_in_child=_queues.clear)


class SharedTally:
    """One owner's open tally.  Not for two threads at once; two of them in one process exclude each other."""

    def __init__(self, place: Place) -> None:
        """Open it, or make it, empty.  Raises ``OSError`` or :class:`Refused` when that cannot be."""
        self._place = place
        self._fd = -1
        self.has_claim = False
        """Whether this one holds a slot."""
        self._open()

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Have the turn.

        Raises :class:`HeldUp` when nobody had it and gave it back for so long, and ``OSError`` without locks.
        """
        patience = _Patience(seconds, self._turns)
        queue = _queues.setdefault(self._identity, threading.Lock())
        if not queue.acquire(blocking=False):
            patience.check()
            while not queue.acquire(timeout=patience.left()):
                patience.check()
        try:
            self._wait(patience)
            try:
                yield
            finally:
                byte_locks.unlock(self._fd, _TURN)
        finally:
            queue.release()

    def read(self) -> Tally | None:
        """What stands there; ``None`` when it is no tally.  Within :meth:`turn`, as all below."""
        return decode(os.pread(self._fd, RECORD_BYTES, 0))

    def write(self, tally: Tally) -> None:
        """Put this there.  Unsynced: after a crash of the machine it is counted anew."""
        data = tally.encode()
        if os.pwrite(self._fd, data, 0) != len(data):
            raise OSError("the tally was not written whole")

    def claim(self, slot: int) -> bool:
        """Hold a slot, if no living owner has it."""
        self.has_claim = byte_locks.lock(self._fd, _FIRST_SLOT + slot)
        return self.has_claim

    def drop(self, slot: int) -> None:
        """Hold a slot no longer."""
        byte_locks.unlock(self._fd, _FIRST_SLOT + slot)
        self.has_claim = False

    def is_claimed(self, slot: int) -> bool:
        """Whether another owner that holds a slot lives."""
        return byte_locks.is_held(self._fd, _FIRST_SLOT + slot)

    def has_dead(self, tally: Tally) -> bool:
        """Whether any owner has died; of very many, other ones are asked each time."""
        taken = [slot for slot, _ in tally.slots()]
        start = monotonic_ns() % max(1, len(taken) - ALLOWANCE_ASKED_OWNERS)
        return not all(map(self.is_claimed, taken[start : start + ALLOWANCE_ASKED_OWNERS]))

    def count_anew(self, tally: Tally, own_slot: int | None = None) -> None:
        """Begin a tally anew from the files, and from what living owners took: nothing else is known to be true."""
        stamp = self.stamp()
        live = {slot: owner.key for slot, owner in tally.slots() if slot == own_slot or self.is_claimed(slot)}
        kept = kept_bytes(self._place.outputs.fd, frozenset(live.values()))
        tally.recount(kept, live, stamp, monotonic_ns())

    def stamp(self) -> Stamp:
        """What must be as it was when the files were counted."""
        status = os.fstat(self._place.outputs.fd)
        boot = bytes.fromhex((boot_id() or "").replace("-", ""))[:BOOT_BYTES].ljust(BOOT_BYTES, b"\0")
        return Stamp(boot, status.st_dev, status.st_ino, status.st_mtime_ns)

    def close(self) -> None:
        """Close it; with it go the claims.  Once more does nothing: the numbers may be another's by then."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            byte_locks.close(fd)
            self._folder.close()

    def _wait(self, patience: _Patience) -> None:
        pause = ALLOWANCE_FIRST_RETRY_SECONDS
        while True:
            if byte_locks.lock(self._fd, _TURN):
                if is_at(self._folder, FILE, self._fd):
                    return
                self.close()
                self._open()
            else:
                patience.check()
                sleep(pause)
                pause = min(2 * pause, ALLOWANCE_RETRY_SECONDS)

    def _turns(self) -> bytes:
        return os.pread(self._fd, TURNS.size, TURNS_AT)

    def _open(self) -> None:
        self.has_claim = False
        self._folder = self._place.private.step(FOLDER)
        try:
            self._fd = self._open_file()
        except BaseException:
            self._folder.close()
            raise

    def _open_file(self) -> int:
        for _ in range(CLAIM_TRIES):
            try:
                fd = os.open(FILE, _OPEN, dir_fd=self._folder.fd)
            except FileNotFoundError:
                self._make()
            else:
                byte_locks.keep_from_forks(fd)
                self._judge(fd)
                return fd
        raise PlaceRefused(f"{self._path!r}: it is removed again and again")

    def _make(self) -> None:
        name = f".{os.getpid()}-{os.urandom(10).hex()}"
        file = NewFile(self._folder, self._place.scratch, name)
        try:
            with suppress(OSError):
                reserve(file.fd, ALLOWANCE_RESERVED_BYTES)
            with suppress(NameTaken):
                file.publish(self._folder, FILE)
        finally:
            file.discard()

    def _judge(self, fd: int) -> None:
        status = os.fstat(fd)
        self._identity = (status.st_dev, status.st_ino)
        is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1
        if not is_ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            byte_locks.close(fd)
            raise PlaceRefused(f"{self._path!r}: not a private file of our own; move it away, it is made anew")

    @property
    def _path(self) -> str:
        return os.path.join(self._folder.path, FILE)


class _Patience:
    """How long to wait for a turn while others have theirs, and for one who does not go on."""

    def __init__(self, seconds: float, turns: Callable[[], bytes]) -> None:
        self._seconds = seconds
        self._turns = turns
        self._seen = b""
        self._end = monotonic() + seconds
        self._last = monotonic() + max(seconds, ALLOWANCE_QUEUE_SECONDS)

    def left(self) -> float:
        return max(0.0, min(self._end, self._last) - monotonic())

    def check(self) -> None:
        """Raise when there is none left; that somebody had a turn since is a reason to wait on."""
        if self.left() > 0:
            self._seen = self._seen or self._turns()
            return
        turns = self._turns()
        if turns == self._seen or monotonic() >= self._last:
            raise HeldUp("somebody who counts what this conversation keeps was stopped")
        self._seen = turns
        self._end = monotonic() + self._seconds
