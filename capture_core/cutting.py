"""Where sanitised text may be cut: between code points, outside of what was put into it."""

from __future__ import annotations

_CONTINUATION = bytes(range(0x80, 0xC0))
_MARKER_BYTES = 96
"""No marker in the text is longer; a cut is never made inside one."""


def cut_before(text: bytes, size: int) -> int:
    """The largest boundary ≤ ``size`` that lies between code points and outside a ``[redacted:…]`` marker."""
    size = max(0, min(size, len(text)))
    while 0 < size < len(text) and text[size] & 0xC0 == 0x80:  # noqa: PLR2004 — UTF-8 continuation bytes
        size -= 1
    if size == len(text):
        return size
    near = max(0, size - _MARKER_BYTES)
    opened = max(text.rfind(b"[redacted:", near, size + 10), text.rfind(b"[omitted:", near, size + 9))
    if near <= opened < size and b"]" not in text[opened:size] and b"]" in text[size : size + _MARKER_BYTES]:
        return opened
    return size


def whole_chars(block: bytes, chars: int) -> int:
    """How many bytes the first ``chars`` code points of ``block`` take; ``block`` starts on a boundary."""
    if block.isascii():
        return min(chars, len(block))
    return len(block.decode("utf-8", "ignore")[:chars].encode())


def whole_chars_back(block: bytes, chars: int) -> int:
    """How many bytes the last ``chars`` code points of ``block`` take; ``block`` ends on a boundary."""
    if block.isascii():
        return min(chars, len(block))
    return len(block.decode("utf-8", "ignore")[-chars:].encode()) if chars else 0


def chars_in(text: bytes) -> int:
    """How many code points begin in ``text``."""
    return len(text) if text.isascii() else len(text.translate(None, _CONTINUATION))
