"""The beginning and the end of a text that streams by, in memory bounded by what is shown."""

from __future__ import annotations

from capture_core.record import NamedTuple

_CHARACTER_BYTES = 4
_CONTINUATION = bytes(range(0x80, 0xC0))


class Excerpt(NamedTuple):
    """Both ends of a text of ``length`` bytes; ``tail`` is empty when the head is all of it."""

    head: bytes
    tail: bytes
    length: int

    @property
    def omitted(self) -> int:
        """Bytes between head and tail."""
        return self.length - len(self.head) - len(self.tail)


class Preview:
    """Keeps the first ``head_chars`` and the last ``tail_chars`` characters; feed it whole code points, as UTF-8."""

    def __init__(self, *, head_chars: int, tail_chars: int) -> None:
        self._head = bytearray()
        self._head_chars = head_chars
        self._tail = Tail(tail_chars * _CHARACTER_BYTES)
        self._tail_chars = tail_chars
        self._length = 0

    def feed(self, text: bytes) -> None:
        """Take the next block of the text."""
        self._length += len(text)
        if self._head_chars:
            first = text[: self._head_chars * _CHARACTER_BYTES].decode(errors="ignore")[: self._head_chars]
            self._head_chars -= len(first)
            self._head += first.encode()
        self._tail.feed(text)

    def finish(self) -> Excerpt:
        """Return both ends as they are now; more may be fed, and this asked again."""
        tail = self._tail.finish().decode()[-self._tail_chars :].encode() if self._tail_chars else b""
        overlap = max(0, len(self._head) + len(tail) - self._length)
        return Excerpt(head=bytes(self._head), tail=tail[overlap:], length=self._length)


class Tail:
    """Keeps the last ``size`` bytes of a text, in whole characters."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept = bytearray()

    def feed(self, text: bytes) -> None:
        """Take the next block: one slice when it is large, amortised appending when it is small."""
        if len(text) >= self._size:
            self._kept[:] = text[len(text) - self._size :]
            return
        self._kept += text
        if len(self._kept) > 2 * self._size:
            del self._kept[: -self._size]

    def finish(self) -> bytes:
        """Return the last whole characters as they are now, at most ``size`` bytes of them."""
        kept = bytes(self._kept[max(0, len(self._kept) - self._size) :])
        return kept.lstrip(_CONTINUATION)
