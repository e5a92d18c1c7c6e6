"""What makes a finished stream evidence: its digest and its safety on disk, both done beside the writing.

A thread has the kernel begin to write the bytes to the disk, so that the end of a large capture waits for little.  A
sync for each stretch would be as safe, but each waits for the file system's journal, and writers with it.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from capture_core.digest import Digest
from capture_core.durable import start_write_back
from capture_core.limits.capturing import SEAL_FOLLOW_FROM_BYTES, SEAL_WRITE_BACK_EVERY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable


class Sealer:
    """Digest and write-back of one file that only grows."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._length = 0
        self._digest = Digest()
        self._write_back: _Follower | None = None
        self._may_follow = True

    def committed(self, block: bytes) -> None:
        """Take what the file is longer by now."""
        self._length += len(block)
        self._digest.feed(block)
        if self._length >= SEAL_FOLLOW_FROM_BYTES and self._write_back is None and self._may_follow:
            self._follow()
        if self._write_back is not None:
            self._write_back.follow(self._length)

    def close(self, *, sync: bool = True) -> None:
        """Hash the rest and make all of it durable, where ``sync``; ``OSError`` when the disk did not take it."""
        if self._write_back is not None:
            self._write_back.finish()
        self._digest.finish()
        if self._write_back is not None:
            self._write_back.join()
        if self._length and sync:
            os.fsync(self._fd)

    def hexdigest(self) -> str:
        """SHA-256 of the committed bytes, after :meth:`close`."""
        return self._digest.hexdigest()

    def lines(self) -> int | None:
        """How many newlines; ``None`` (unknown) where counting would cost more than it is worth."""
        return self._digest.lines()

    def _follow(self) -> None:
        follower = _Follower("write-back", SEAL_WRITE_BACK_EVERY_BYTES, self._start_write_back)
        try:
            follower.start()
        except RuntimeError:
            # No thread to be had (a limit on processes): the end does it all, and takes longer.
            self._may_follow = False
        else:
            self._write_back = follower

    def _start_write_back(self, start: int, end: int) -> None:
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
