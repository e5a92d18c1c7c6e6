r"""Text struck over, as for paper, read as what it shows: ``c BS c`` and ``_ BS c`` are ``c``, whatever the cuts."""

from __future__ import annotations

import re

from capture_core.decode import weight

BACKSPACE = b"\b"
_UNDERSCORE = b"_"

_LAST_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*\Z")
_CHARACTER_BYTES = 4


class Overstrikes:
    """Reads ``c BS c`` and ``_ BS c``, bold and underlined on paper, as ``c``; drops every other BS."""

    def __init__(self) -> None:
        self.accepted = 0
        """Raw bytes dropped."""
        self._held = b""
        """The end of the text, when what follows decides about it: ``_``, BS, or both."""
        self._before = b""
        """The character that a BS coming now would strike over, and perhaps some before it; none after a BS."""
        self.struck = False
        """Whether the underscore that was held before the last block has been struck over."""

    @property
    def waits(self) -> bool:
        """Whether the held end begins with an underscore."""
        return self._held.startswith(_UNDERSCORE)

    @property
    def held(self) -> int:
        """Raw bytes held, at most 2."""
        return len(self._held)

    def feed(self, text: bytes, *, plain: bool) -> bytes:
        """Take a block, ``plain`` when it is known to hold no BS, and give back what cannot be struck over."""
        text, plain = self._held + text, plain and not self._held
        self._held, self.struck = b"", False
        if not plain and BACKSPACE in text:
            text = self._fold(text)
        elif text:
            self._before = text[-_CHARACTER_BYTES:]
        if text and self._before.endswith(_UNDERSCORE):
            text, self._held = text[:-1], _UNDERSCORE + self._held
        return text

    def finish(self) -> bytes:
        """Return the held underscore, if any."""
        rest, self._held, self.struck = self._held, b"", False
        self.accepted += rest.count(BACKSPACE)
        return rest.removesuffix(BACKSPACE)

    def _fold(self, text: bytes) -> bytes:
        """Strike over, and hold a BS at the end."""
        self._held = BACKSPACE if text.endswith(BACKSPACE) else b""
        text = text.removesuffix(BACKSPACE)
        first, *rest = text.split(BACKSPACE)
        kept = bytearray(first)
        before = _last_character(first or self._before)
        for part in rest:
            folded = part.removeprefix(before)
            if part and folded == part and before == _UNDERSCORE:
                del kept[-1:]
                self.struck = self.struck or not kept
            kept += folded
            before = _last_character(folded) or (before if part else b"")
        self._before = before
        self.accepted += weight(text) - weight(kept)
        return bytes(kept)


def _last_character(text: bytes) -> bytes:
    found = _LAST_CHARACTER.search(text, max(0, len(text) - _CHARACTER_BYTES))
    return found[0] if found else b""
