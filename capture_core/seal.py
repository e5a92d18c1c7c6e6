"""What makes a finished stream evidence: its digest and its safety on disk, both done beside the writing.

A thread follows the committed length: it hashes the file's own bytes and has them written back as they come, so
that the end of a large capture does not wait for either.  A small one is done at the end, without a thread.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

from capture_core.limits import KIB, MIB

_FOLLOW_FROM = 4 * MIB
_BLOCK = 256 * KIB
_WRITE_BACK_EVERY = 64 * MIB
_COUNT_LINES_UP_TO = 64 * MIB
_EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Sealer:
    """Digest and write-back of one file that only grows."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._committed = 0
        self._hashed = 0
        self._synced = 0
        self._closing = False
        self._hash: _Hash | None = None
        self._buffer = memoryview(b"")
        """One block, reused: a new one each time would be mapped and faulted anew."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._failure: OSError | None = None

    def committed(self, length: int) -> None:
        """The file is final up to ``length`` now."""
        if self._thread is None:
            self._committed = length
            if length >= _FOLLOW_FROM:
                self._thread = threading.Thread(target=self._follow, name="sealer", daemon=True)
                self._thread.start()
            return
        with self._changed:
            self._committed = length
            if length - self._hashed >= _BLOCK:
                self._changed.notify()

    def close(self) -> None:
        """Hash the rest and make all of it durable.  Raises ``OSError`` when the disk did not take it."""
        if self._thread is not None:
            with self._changed:
                self._closing = True
                self._changed.notify()
            self._thread.join()
        if self._failure is not None:
            raise self._failure
        self._hash_to(self._committed)
        if self._committed:
            os.fsync(self._fd)

    def hexdigest(self) -> str:
        """SHA-256 of the committed bytes, after :meth:`close`."""
        return _EMPTY_SHA256 if self._hash is None else self._hash.hexdigest()

    def lines(self) -> int | None:
        """How many newlines; ``None`` (unknown) where counting would cost more than it is worth."""
        if self._committed > _COUNT_LINES_UP_TO:
            return None
        return sum(
            os.pread(self._fd, min(_BLOCK, self._committed - at), at).count(b"\n")
            for at in range(0, self._committed, _BLOCK)
        )

    def _follow(self) -> None:
        try:
            while not self._closing:
                with self._changed:
                    while self._committed - self._hashed < _BLOCK and not self._closing:
                        self._changed.wait()
                    target = self._committed
                self._hash_to(target)
                self._write_back()
        except OSError as error:
            self._failure = error

    def _hash_to(self, target: int) -> None:
        while self._hashed < target:
            if self._hash is None:
                from hashlib import sha256

                self._hash = sha256()
                self._buffer = memoryview(bytearray(_BLOCK))
            wanted = self._buffer[: target - self._hashed]
            read = os.preadv(self._fd, [wanted], self._hashed)
            if not read:
                msg = "the file is shorter than what was written to it"
                raise OSError(msg)
            self._hash.update(wanted[:read])
            self._hashed += read

    def _write_back(self) -> None:
        if self._hashed - self._synced >= _WRITE_BACK_EVERY:
            os.fdatasync(self._fd)
            self._synced = self._hashed
