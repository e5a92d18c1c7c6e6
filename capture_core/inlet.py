"""One pipe of a job: what can be read from it, which of that is its stream's, and where it goes on to."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from capture_core.level import is_hung_up, own_bytes_in

if TYPE_CHECKING:
    from capture_core.newlines import Newlines
    from capture_core.outlet import Outlet


class Inlet:
    """One pipe, and whether its stream has been told to be over.  Its reader closes it."""

    __slots__ = ("_read_bytes", "ended", "fd", "left", "newlines", "outlet", "stream")

    def __init__(self, stream: str, fd: int, outlet: Outlet | None, read_bytes: int) -> None:
        """``read_bytes`` is the most that one read takes."""
        self.stream = stream
        self.fd = fd
        self.outlet = outlet
        self._read_bytes = read_bytes
        self.newlines: Newlines | None = None
        self.ended = False
        self.left: int | None = None
        """After the drain window: how many bytes were in the pipe then and still belong to the stream."""

    @property
    def over(self) -> bool:
        """Whether the stream is told and all of it passed on: as with ``tee``, the job ends after its output."""
        return self.ended and not (self.outlet is not None and self.outlet.waiting)

    def undo_newlines(self) -> None:
        """Take back from now on what a terminal makes of a newline."""
        from capture_core.newlines import Newlines

        self.newlines = Newlines()

    def read(self) -> bytes | None:
        """Read what is there; nothing: it has ended; ``None``: there was nothing after all.  Raises ``OSError``."""
        try:
            return os.read(self.fd, self._read_bytes)
        except BlockingIOError:
            # A pipe that we were given, which does not block, and of which another reader was faster.
            return None
        except OSError as error:
            # Linux says so of a terminal that nobody has open any more; other systems say EOF.
            if error.errno != errno.EIO:
                raise
            return b""

    def close_window(self) -> int:
        """Have only what lies in the pipe now belong to the stream; how many bytes that is."""
        self.left = own_bytes_in(self.fd)
        return self.left

    def part(self, data: bytes) -> tuple[bytes, bytes]:
        """Part what was read after the window was closed: what is still the stream's, and what came too late."""
        assert self.left is not None  # noqa: S101 — the window is closed
        own, late = data[: self.left], data[self.left :]
        self.left -= len(own)
        return own, late

    def is_hung_up(self) -> bool:
        """Whether nobody can write to it any more, and nothing lies in it."""
        return is_hung_up(self.fd)
