"""Bytes to UTF-8 text, whatever the cuts between reads: what is not UTF-8 becomes U+FFFD, and is counted."""

from __future__ import annotations

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()

# The Unicode Standard, table 3-7: each way in which a well-formed sequence can begin and not yet be whole.
UNFINISHED = re.compile(
    rb"(?:[\xc2-\xdf]"
    rb"|\xe0[\xa0-\xbf]?|\xed[\x80-\x9f]?|[\xe1-\xec\xee\xef][\x80-\xbf]?"
    rb"|\xf0(?:[\x90-\xbf][\x80-\xbf]?)?|[\xf1-\xf3](?:[\x80-\xbf][\x80-\xbf]?)?|\xf4(?:[\x80-\x8f][\x80-\xbf]?)?"
    rb")\Z"
)
_UNFINISHED_BYTES = 3


def weight(text: bytes | bytearray) -> int:
    """Return how many raw bytes ``text`` still accounts for after :class:`Decoder`.

    One a byte, and none for U+FFFD: nothing tells any more how many raw bytes one replaced, so the decoder
    accepts those itself.
    """
    if REPLACEMENT[0] not in text:
        return len(text)
    return len(text) - len(REPLACEMENT) * text.count(REPLACEMENT)


class Decoder:
    """Incremental UTF-8: whole code points out, a cut one held until its rest arrives.

    Ill-formed bytes are replaced by the practice of maximal subparts (WHATWG Encoding, Unicode chapter 3.9), as
    ``bytes.decode(errors="replace")`` does.  All counters are raw bytes.
    """

    def __init__(self) -> None:
        self.accepted = 0
        """Raw bytes that became U+FFFD, or were one already."""
        self.discarded = 0
        """Raw bytes of a character that the end cut."""
        self.replaced = 0
        """Raw bytes that were not UTF-8."""
        self._pending = b""

    @property
    def held(self) -> int:
        """Raw bytes of an unfinished code point, at most 3."""
        return len(self._pending)

    def feed(self, raw: bytes) -> bytes:
        """Return the whole code points so far, as UTF-8."""
        if not self._pending and raw.isascii():
            return raw
        raw = self._pending + raw
        cut = UNFINISHED.search(raw, max(0, len(raw) - _UNFINISHED_BYTES))
        self._pending = cut[0] if cut else b""
        return self._decode(raw[: cut.start()] if cut else raw)

    def finish(self, *, eof: bool) -> bytes:
        """Settle a cut character: U+FFFD when the stream truly ended, nothing when more was to come."""
        rest, self._pending = self._pending, b""
        if eof:
            return self._decode(rest)
        self.discarded += len(rest)
        return b""

    def _decode(self, raw: bytes) -> bytes:
        try:
            raw.decode()  # only to check it: what is well-formed passes as it is
        except UnicodeDecodeError:
            return self._replace(raw)
        self.accepted += len(raw) - weight(raw)
        return raw

    def _replace(self, raw: bytes) -> bytes:
        text = raw.decode(errors="replace").encode()
        became = len(raw) - weight(text)
        self.accepted += became
        # EF is never a continuation byte, so a U+FFFD in the input is always read as one.
        self.replaced += became - len(REPLACEMENT) * raw.count(REPLACEMENT)
        return text
