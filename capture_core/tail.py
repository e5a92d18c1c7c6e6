"""The last bytes of a text, kept in bounded memory and given out as whole code points."""

from __future__ import annotations


class TailKeeper:
    """Keeps the newest ``size`` bytes of what it is fed; a block larger than that costs one slice."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept = b""

    def feed(self, text: bytes) -> None:
        """Take a block of whole code points."""
        self._kept = (self._kept + text[-self._size :])[-self._size :]

    def text(self) -> str:
        """The newest whole code points, at most ``size`` bytes of them."""
        return self._kept.decode("utf-8", "ignore")
