"""Appends to one file, and writes a large block in a thread of its own, while the next one is made."""

from __future__ import annotations

import errno
import os
import stat
import threading
from contextlib import nullcontext, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING

from capture_core.durable import ShortWrite, write_all
from capture_core.limits.capturing import WRITE_BEHIND_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from capture_core.marks import Marks


class Block(NamedTuple):
    """Text under way to a file, the styles in it, and when it arrived."""

    text: bytes
    styles: Marks
    arrived: int | None


class FileChanged(ShortWrite):
    """Nothing was written: the file is not as long as what was, so somebody else has changed it."""

    def __init__(self) -> None:
        super().__init__(OSError(errno.ESTALE, os.strerror(errno.ESTALE)), 0)


class Appender:
    """Appends one block at a time; used by one thread.

    The outcome of each block must be asked for before the next one is begun.
    """

    def __init__(self, fd: int, at_disk: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        """``at_disk``: within it all is written."""
        self._fd = fd
        self._at_disk = at_disk
        self._thread: threading.Thread | None = None
        self._may_have_thread = True
        self._blocks: SimpleQueue[bytes | None] = SimpleQueue()
        self._outcomes: SimpleQueue[BaseException | None] = SimpleQueue()
        self._begun: BaseException | None = None
        self._length = 0
        """How long the file is when only we have written to it."""
        self.is_behind = False
        """Whether a block may still be under way."""

    def begin(self, block: bytes) -> None:
        """Write a block: a small one now, a large one behind the caller's back."""
        self.is_behind = len(block) >= WRITE_BEHIND_BYTES and self._has_thread()
        if self.is_behind:
            self._blocks.put(block)
        else:
            self._begun = self._written(block)

    def outcome(self) -> ShortWrite | None:
        """Wait until the block is written; what kept a part of it out of the file, if anything did."""
        failure = self._outcomes.get() if self.is_behind else self._begun
        self.is_behind = False
        if failure is not None and not isinstance(failure, ShortWrite):
            raise failure
        return failure

    def cut_back(self, length: int) -> None:
        """Take from the file what a write that failed left beyond ``length``: half a code point, half a marker.

        Where that fails too, the receipt's word for the end of the text stands alone.
        """
        with suppress(OSError), self._at_disk():
            os.ftruncate(self._fd, length)

    def close(self) -> None:
        """End the thread, if there was one."""
        if self._thread is not None:
            self._blocks.put(None)
            self._thread.join()
            self._thread = None

    def _has_thread(self) -> bool:
        if self._thread is None and self._may_have_thread:
            thread = threading.Thread(target=self._run, name="append", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # No thread to be had (a limit on processes): every block is written at once, and takes longer.
                self._may_have_thread = False
            else:
                self._thread = thread
        return self._thread is not None

    def _run(self) -> None:
        while (block := self._blocks.get()) is not None:
            self._outcomes.put(self._written(block))

    def _look_at_length(self) -> None:
        try:
            status = os.fstat(self._fd)
        except OSError:
            return  # a file that is gone, on a disk far away: to write to it will tell
        if stat.S_ISREG(status.st_mode) and status.st_size != self._length:
            raise FileChanged

    def _written(self, block: bytes) -> BaseException | None:
        try:
            with self._at_disk():
                self._look_at_length()
                write_all(self._fd, block)
                self._length += len(block)
        except BaseException as error:  # noqa: BLE001 — raised again in outcome()
            return error
        return None
