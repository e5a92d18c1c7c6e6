r"""The forms in which programs print a value: as it is, and escaped for what carries it.

Every form is a text as the stages before give it out: UTF-8, without terminal control, without ``\r`` and ``\n``.
"""

from __future__ import annotations

import binascii
import functools
import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from capture_core.decode import Decoder
from capture_core.limits.sanitising import SHORTEST_KNOWN_BYTES
from capture_core.strip import Stripper

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LINE_BREAK: Final = re.compile(rb"\r\n|\r|\n")

_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")
# Characters of a value's base64 that its neighbours change too: in front by its alignment, at the end by what is left.
_ALIGNMENTS: Final = ((0, 0), (1, 2), (2, 3))
_LEFT_OVER: Final = (0, 3, 2)

_PRINTABLE: Final = frozenset(range(0x20, 0x7F))
_BEYOND_ASCII: Final = frozenset(range(0x80, 0x100))
# What stays as it is in a URL: always (RFC 3986, 2.3), in paths, for JavaScript's encodeURIComponent, in queries.
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_KEPT_IN_URLS: Final = (b"", b"/", b"!'()*", b"!$&'()*+,;=:@/?")
_CONTROLS_IN_ANSI_C: Final = {
    byte: b"\\%c" % name for byte, name in zip(b"\a\b\t\n\v\f\r\x1b'\\", b"abtnvfrE'\\", strict=True)
}
_HTML_IN_JSON: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def _table(escape: str, kept: frozenset[int], special: Mapping[int, bytes] = MappingProxyType({})) -> tuple[bytes, ...]:
    """Return what each byte becomes: itself where it is kept, else the printf format ``escape`` of it."""
    return tuple(
        special.get(byte) or (bytes([byte]) if byte in kept else (escape % byte).encode("latin-1"))
        for byte in range(0x100)
    )


# Made when a value is first looked for, in 3 ms: often none is.
@functools.cache
def _tables_for_urls() -> tuple[tuple[bytes, ...], ...]:
    return tuple(_table(escape, _UNRESERVED.union(kept)) for escape in ("%%%02X", "%%%02x") for kept in _KEPT_IN_URLS)


@functools.cache
def _tables_for_shells() -> tuple[tuple[bytes, ...], ...]:
    return (
        # $'…', where the locale knows the characters and where it does not.
        _table("\\%03o", _PRINTABLE | _BEYOND_ASCII, _CONTROLS_IN_ANSI_C),
        _table("\\%03o", _PRINTABLE, _CONTROLS_IN_ANSI_C),
        # Backslashes, as bash's printf %q puts them, since and before it did so to commas; and double quotes.
        *(
            _table("\\%c", frozenset(range(0x100)).difference(b"\t \"'\\|&;()<>!{}*[?]^$`" + comma))
            for comma in (b",", b"")
        ),
        _table("\\%c", frozenset(range(0x100)).difference(b'"$`\\')),
    )


def forms(value: bytes) -> frozenset[bytes]:
    """Return every form of ``value`` that is long enough to tell anything."""
    printed = {_as_printed(form) for form in set(_escaped(value))}
    return frozenset(form for form in printed if len(form) >= SHORTEST_KNOWN_BYTES)


def _escaped(value: bytes) -> Iterator[bytes]:
    yield value
    yield LINE_BREAK.sub(b" ", value)
    for each in {value, LINE_BREAK.sub(b"\r\n", value)}:
        yield from _base64(each)
        yield from _in_url(each)
        yield from _in_json(each)
    yield from _in_shell(value)


def _base64(value: bytes) -> Iterator[bytes]:
    """Base64 (RFC 4648) in its three alignments, as far as it is the value's alone, in both alphabets."""
    for before, dropped in _ALIGNMENTS:
        encoded = binascii.b2a_base64(bytes(before) + value, newline=False)
        encoded = encoded[dropped : len(encoded) - _LEFT_OVER[(before + len(value)) % 3]]
        yield encoded
        yield encoded.translate(_URL_SAFE)


def _in_url(value: bytes) -> Iterator[bytes]:
    for table in _tables_for_urls():
        escaped = _by(table, value)
        yield escaped
        yield escaped.replace(b"%20", b"+")


def _in_json(value: bytes) -> Iterator[bytes]:
    """The inside of a JSON string: ASCII only or not, with the escapes that PHP and Go add; and one in another."""
    text = value.decode(errors="replace")
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        for form in (once, once.replace("/", "\\/"), once.translate(_HTML_IN_JSON)):
            yield form.encode(errors="replace")
            yield json.dumps(form, ensure_ascii=ascii_only)[1:-1].encode(errors="replace")


def _in_shell(value: bytes) -> Iterator[bytes]:
    """The inside of what shells quote, by whichever way."""
    yield value.replace(b"'", b"'\"'\"'")
    yield value.replace(b"'", b"'\\''")
    for table in _tables_for_shells():
        yield _by(table, value)


def _by(table: Sequence[bytes], value: bytes) -> bytes:
    return b"".join(map(table.__getitem__, value))


def _as_printed(form: bytes) -> bytes:
    if form.isascii() and form.decode().isprintable():
        return form
    decoder, stripper = Decoder(), Stripper()
    text = stripper.feed(decoder.feed(form) + decoder.finish(eof=True)) + stripper.finish()
    return text.translate(None, b"\r\n")
