"""The digest of what a stream's writer wrote: taken from that, never from the file, which others may have changed."""

from __future__ import annotations

import threading
from queue import Queue
from typing import TYPE_CHECKING

from capture_core.limits.capturing import (
    COUNT_LINES_UP_TO_BYTES,
    SEAL_BLOCK_BYTES,
    SEAL_BLOCKS_BEHIND,
    SEAL_FOLLOW_FROM_BYTES,
)

if TYPE_CHECKING:
    from hashlib import _Hash

_EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Digest:
    """SHA-256 and newlines of a stream.  Used by one thread; what is large is hashed by another meanwhile."""

    def __init__(self) -> None:
        self._length = 0
        self._newlines = 0
        self._hash: _Hash | None = None
        self._gathered = bytearray()
        """Small blocks are hashed together."""
        self._blocks: Queue[bytes | None] | None = None
        self._thread: threading.Thread | None = None
        self._may_follow = True
        self._failure: BaseException | None = None

    def feed(self, block: bytes) -> None:
        """Take what was written; waits when the thread is too far behind."""
        self._length += len(block)
        if self._blocks is not None:
            self._blocks.put(block)
            return
        self._gathered += block
        if len(self._gathered) >= SEAL_BLOCK_BYTES:
            self._take_gathered()
        if self._length >= SEAL_FOLLOW_FROM_BYTES and self._may_follow:
            self._follow()

    def finish(self) -> None:
        """Hash the rest.  Raises what failed, here or in the thread; also ``ImportError``, ``MemoryError``."""
        if self._blocks is not None and self._thread is not None:
            self._blocks.put(None)
            self._thread.join()
            self._blocks = None
        self._take_gathered()
        if self._failure is not None:
            raise self._failure

    def hexdigest(self) -> str:
        """After :meth:`finish`."""
        return _EMPTY_SHA256 if self._hash is None else self._hash.hexdigest()

    def lines(self) -> int | None:
        """How many newlines; ``None`` (unknown) where counting would cost more than it is worth."""
        return None if self._length > COUNT_LINES_UP_TO_BYTES else self._newlines

    def _follow(self) -> None:
        self._take_gathered()
        blocks: Queue[bytes | None] = Queue(SEAL_BLOCKS_BEHIND)
        thread = threading.Thread(target=self._run, args=(blocks,), name="digest", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # No thread to be had (a limit on processes): it is done between the writes, and takes longer.
            self._may_follow = False
        else:
            self._blocks, self._thread = blocks, thread

    def _run(self, blocks: Queue[bytes | None]) -> None:
        while (block := blocks.get()) is not None:
            self._take(block)

    def _take_gathered(self) -> None:
        if self._gathered:
            block, self._gathered = bytes(self._gathered), bytearray()
            self._take(block)

    def _take(self, block: bytes) -> None:
        # What fails is told at the end: until then blocks must be taken, or whoever writes would wait for ever.
        try:
            if self._hash is None:
                from hashlib import sha256  # loads OpenSSL; an empty stream needs none

                self._hash = sha256()
            self._hash.update(block)
            if self._length <= COUNT_LINES_UP_TO_BYTES:
                self._newlines += block.count(b"\n")
        except BaseException as error:  # noqa: BLE001 — raised in finish()
            self._failure = error
