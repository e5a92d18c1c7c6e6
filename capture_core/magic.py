"""The first bytes by which kinds of binary files are known, and what people call those kinds."""

from __future__ import annotations

from typing import Final

UNKNOWN_KIND: Final = "unknown kind"

_MAGICS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x7fELF", "ELF file"),
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "zip archive"),
    (b"PK\x05\x06", "zip archive"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\xfd7zXZ\0", "xz data"),
    *((b"BZh%d1AY&SY" % level, "bzip2 data") for level in range(1, 10)),
    (b"\x04\x22\x4d\x18", "lz4 data"),
    (b"!<arch>\n", "ar archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\xfe\xed\xfa\xce", "Mach-O file"),
    (b"\xfe\xed\xfa\xcf", "Mach-O file"),
    (b"\xce\xfa\xed\xfe", "Mach-O file"),
    (b"\xcf\xfa\xed\xfe", "Mach-O file"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O file"),
    (b"\0asm", "WebAssembly module"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"OggS\0", "Ogg media"),
    (b"RIFF", "RIFF media"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE document"),
)

_MARKS_OF_ORDER: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\xff\xfe\0\0", "UTF-32 text"),
    (b"\0\0\xfe\xff", "UTF-32 text"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)

_TAR: Final = b"ustar"
_TAR_AT: Final = 257
"""POSIX.1, ustar interchange format: where the magic stands in the first header."""


def may_begin(data: bytes) -> bool:
    """Tell whether ``data``, all that came yet, is the beginning of a magic and not yet all of it."""
    return any(len(data) < len(magic) and magic.startswith(data) for magic, _ in _MAGICS)


def known(data: bytes) -> str | None:
    """Return the kind that the first bytes of a stream name; ``None``: they name none."""
    return next((kind for magic, kind in _MAGICS if data.startswith(magic)), None)


def described(window: bytes, offset: int) -> str:
    """Return the kind of what is binary by its looks; ``offset``: where in the stream the window begins."""
    if offset == 0:
        if window[4:8] == b"ftyp":
            return "MP4 media"
        for mark, kind in _MARKS_OF_ORDER:
            if window.startswith(mark):
                return kind
    return UNKNOWN_KIND


def is_tar(window: bytes, offset: int) -> bool:
    """Tell whether the stream begins with a tar header; ``offset``: where in it the window begins."""
    at = _TAR_AT - offset
    return at >= 0 and window.startswith(_TAR, at)
