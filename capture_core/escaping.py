"""Text from outside made safe to show: what a terminal would obey, or nobody would see, becomes a written escape."""

from __future__ import annotations

import re
from typing import Final

# Control (C0, DEL, C1), what breaks lines, what reorders or hides text, and bytes that were no UTF-8.  Not the joiners
# U+200C and U+200D: scripts and emoji are spelt with them.
_UNSAFE: Final = (
    "\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
)
_UNSAFE_IN_LINE: Final = f"[{_UNSAFE}]"
_UNSAFE_IN_BODY: Final = f"(?![\t\n\r])[{_UNSAFE}]"
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e", "\0": "\\0"}


def safe(text: str) -> str:
    """Outside text on one line, with everything that is not plain to see written as an escape."""
    # Most lines are plain, and compiling what looks for more takes a millisecond.
    return text if _is_plain(text) else re.sub(_UNSAFE_IN_LINE, _escape, text)


def safe_body(text: str) -> str:
    """Outside text of many lines: like :func:`safe`, but tab, newline and carriage return stay."""
    return text if _is_plain(text) else re.sub(_UNSAFE_IN_BODY, _escape, text)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 — a byte that was no UTF-8, PEP 383
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004
