"""What makes a finished stream evidence: its digest and its safety on disk, both done beside the writing.

One thread follows the committed length and hashes the file's own bytes, another has the kernel begin to write them
to the disk, so that the end of a large capture waits for little.  A sync for each stretch would be as safe, but each
waits for the file system's journal, and writers with it.  A small one is done at its end, by its writer.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from capture_core.durable import start_write_back
from capture_core.limits import (
    COUNT_LINES_UP_TO_BYTES,
    SEAL_BLOCK_BYTES,
    SEAL_FOLLOW_FROM_BYTES,
    SEAL_HASH_EVERY_BYTES,
    SEAL_WRITE_BACK_EVERY_BYTES,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash

_EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Sealer:
    """Digest and write-back of one file that only grows."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._length = 0
        self._hash: _Hash | None = None
        self._buffer = memoryview(b"")
        """One block, reused: a new one each time would be mapped and faulted anew."""
        self._hashed = 0
        self._followers: tuple[_Follower, ...] = ()
        self._may_follow = True

    def committed(self, length: int) -> None:
        """The file is final up to ``length`` now."""
        self._length = length
        if length >= SEAL_FOLLOW_FROM_BYTES and not self._followers and self._may_follow:
            self._start_followers()
        for follower in self._followers:
            follower.follow(length)

    def _start_followers(self) -> None:
        flusher = _Follower("write-back", SEAL_WRITE_BACK_EVERY_BYTES, self._write_back)
        hasher = _Follower("digest", SEAL_HASH_EVERY_BYTES, self._hash_range)
        try:
            flusher.start()
            hasher.start()
        except RuntimeError:
            # No thread to be had (a limit on processes): the end does it all, and takes longer.
            self._may_follow = False
            flusher.cancel()
        else:
            self._followers = (hasher, flusher)

    def close(self) -> None:
        """Hash the rest and make all of it durable.  Raises ``OSError`` when the disk did not take it."""
        for follower in self._followers:
            follower.finish()
        for follower in self._followers:
            follower.join()
        if not self._followers and self._length:
            self._hash_range(0, self._length)
        if self._length:
            os.fsync(self._fd)
        if self._hashed != self._length:
            raise OSError("the digest does not cover what was committed")

    def hexdigest(self) -> str:
        """SHA-256 of the committed bytes, after :meth:`close`."""
        return _EMPTY_SHA256 if self._hash is None else self._hash.hexdigest()

    def lines(self) -> int | None:
        """How many newlines; ``None`` (unknown) where counting would cost more than it is worth."""
        if self._length > COUNT_LINES_UP_TO_BYTES:
            return None
        starts = range(0, self._length, SEAL_BLOCK_BYTES)
        return sum(
            os.pread(self._fd, min(SEAL_BLOCK_BYTES, self._length - start), start).count(b"\n") for start in starts
        )

    def _hash_range(self, start: int, end: int) -> None:
        if self._hash is None:
            from hashlib import sha256  # loads OpenSSL; an empty stream needs none

            self._hash = sha256()
            self._buffer = memoryview(bytearray(SEAL_BLOCK_BYTES))
        while start < end:
            wanted = self._buffer[: end - start]
            read = os.preadv(self._fd, [wanted], start)
            if not read:
                raise OSError("the file is shorter than what was written to it")
            self._hash.update(wanted[:read])
            start += read
            self._hashed = start

    def _write_back(self, start: int, end: int) -> None:
        start_write_back(self._fd, start, end - start)


class _Follower:
    """A thread that does something with each further stretch of a growing file, and with the rest at its end."""

    def __init__(self, name: str, stretch: int, work: Callable[[int, int], None]) -> None:
        self._stretch = stretch
        self._work = work
        self._length = 0
        self._done = 0
        self._finishing = False
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to follow; ``RuntimeError`` where no thread is to be had."""
        self._thread.start()

    def cancel(self) -> None:
        """Do nothing more; wait for the thread if it was started."""
        self._work = _nothing
        self.finish()
        if self._thread.ident is not None:
            self._thread.join()

    def follow(self, length: int) -> None:
        """The file reaches to ``length`` now."""
        with self._changed:
            self._length = length
            if length - self._done >= self._stretch:
                self._changed.notify()

    def finish(self) -> None:
        """Do the rest, whatever its length."""
        with self._changed:
            self._finishing = True
            self._changed.notify()

    def join(self) -> None:
        """Wait until all is done; raises what failed."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not (self._finishing and self._done == self._length):
                with self._changed:
                    while self._length - self._done < self._stretch and not self._finishing:
                        self._changed.wait()
                    length = self._length
                if length > self._done:
                    self._work(self._done, length)
                    self._done = length
        except BaseException as error:  # noqa: BLE001 — raised again in join()
            self._failure = error


def _nothing(_start: int, _end: int) -> None:
    """Stand in for the work of a follower that is not to do any."""
