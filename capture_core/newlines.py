"""What a terminal does to the ends of lines, undone: a LF that it turned into CR LF is a LF again."""

from __future__ import annotations


class Newlines:
    """The inverse of a terminal's ONLCR (termios(3)), whatever the cuts; it holds one byte at most."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what of the bytes is decided: a CR at their end may belong to a LF that is still to come."""
        data = self._held + data if self._held else data
        self._held = b"\r" if data.endswith(b"\r") else b""
        return (data[:-1] if self._held else data).replace(b"\r\n", b"\n")

    def finish(self) -> bytes:
        """Return what was held."""
        held, self._held = self._held, b""
        return held
