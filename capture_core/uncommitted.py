"""What of a stream's text was made and is not in its file: how much, and the last of it, which the receipt keeps."""

from __future__ import annotations

from capture_core.preview import Tail


class Uncommitted:
    """Of one stream.  Nothing of it is kept before :meth:`keep_last`."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes that were to be committed."""
        self._last_bytes = 0
        self._tail: Tail | None = None

    def keep_last(self, size: int) -> None:
        """Keep the last so many bytes of what is told from here on."""
        self._last_bytes, self._tail = size, Tail(size)

    def refuse(self, text: bytes) -> None:
        """Take what was to be committed and could not be."""
        self.size += len(text)
        self.go_on(text)

    def go_on(self, text: bytes) -> None:
        """Take what came after a cut: nobody meant to commit it."""
        if self._tail is not None:
            self._tail.feed(text)

    def refuse_before(self, text: bytes) -> None:
        """Take what stood before all that has been told."""
        self.size += len(text)
        if self._tail is not None:
            after, self._tail = self._tail.finish(), Tail(self._last_bytes)
            self._tail.feed(text)
            self._tail.feed(after)

    def last_text(self) -> str | None:
        """The last of it, in whole characters; ``None`` where nothing was kept."""
        return None if self._tail is None else self._tail.finish().decode() or None
