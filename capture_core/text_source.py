"""A text that is given to be saved, whole or in parts, as pieces of bytes: read as they are wanted, never gathered."""

from __future__ import annotations

import io
import os
import re
import select
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

from capture_core.errors import BadInput
from capture_core.limits.capturing import GATHER_BYTES, GATHER_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Text: TypeAlias = str | bytes | bytearray | memoryview


class Readable(Protocol):
    """An open file of text or of bytes, or what reads like one."""

    def read(self, size: int, /) -> Text | None:
        """At most so many characters or bytes; empty at the end; ``None`` when there is nothing yet."""


Given: TypeAlias = Text | Readable | Iterable[Text]
"""What can be saved."""

_SURROGATES: Final = "([\ud800-\udfff])"
_LONE: Final = b"\xff"
"""Stands for a lone surrogate: never UTF-8, so that it is replaced and counted as bytes that are not."""


def pieces(given: Given, size: int) -> Iterator[bytes]:
    """``given`` in pieces of about ``size`` bytes, or as its parts come.

    Raises ``BadInput`` at once for what is neither text nor gives any: ``None``, a number, a path, a mapping, a set,
    any other object.  A part that is no text, and whatever reading raises, is raised when it is reached.
    """
    if isinstance(given, Text):
        return _cut(given, size)
    if callable(getattr(given, "read", None)):
        return _read(cast("Readable", given), size)
    if isinstance(given, Iterable) and not isinstance(given, Mapping | AbstractSet):
        return _gathered(_parts(given, size))
    raise BadInput(f"{_type(given)} is no text; give a str, bytes, an open file, or an iterable of str or bytes")


def encoded(text: str) -> bytes:
    """``text`` in UTF-8, character by character, whatever stands beside it.

    Surrogates that stand for bytes which are not UTF-8 are those bytes again; any other lone one is one byte that is
    not UTF-8, so that U+FFFD takes its place as it does theirs.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"".join(map(_surrogate, re.split(_SURROGATES, text)))


def _surrogate(part: str) -> bytes:
    try:
        return part.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _LONE


def _cut(text: Text, size: int) -> Iterator[bytes]:
    whole = text if isinstance(text, str) else _octets(text)
    for start in range(0, len(whole), size):
        part = whole[start : start + size]
        yield encoded(part) if isinstance(part, str) else bytes(part)


def _octets(data: bytes | bytearray | memoryview) -> memoryview:
    view = memoryview(data)
    return view if view.contiguous and view.format == "B" and view.ndim == 1 else memoryview(view.tobytes())


def _parts(given: Iterable[Text], size: int) -> Iterator[bytes]:
    for number, part in enumerate(given, 1):
        if not isinstance(part, Text):
            raise TypeError(f"part {number} is {_type(part)}, not text")
        yield from _cut(part, size)


def _gathered(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Small parts that come fast, together: the work on each piece costs more than that on its bytes."""
    gathered, given_at = bytearray(), 0.0
    try:
        for part in parts:
            gathered += part
            if len(gathered) >= GATHER_BYTES or monotonic() - given_at >= GATHER_SECONDS:
                piece, given_at = bytes(gathered), monotonic()
                gathered.clear()
                yield piece
    except BaseException:
        if gathered:
            yield bytes(gathered)
        raise
    if gathered:
        yield bytes(gathered)


def _read(file: Readable, size: int) -> Iterator[bytes]:
    read = _reader(file)
    while True:
        text = read(size)
        if text is None:
            _wait_for(file)
        elif not isinstance(text, Text):
            raise TypeError(f"reading gave {_type(text)}, not text")
        elif not text:
            return
        else:
            yield from _cut(text, size)


def _reader(file: Readable) -> Callable[[int], Text | None]:
    """What gives what there is, instead of waiting for a full block, where that can be had."""
    descriptor = _descriptor(file)
    if isinstance(file, io.BufferedReader) and descriptor is not None and os.get_blocking(descriptor):
        # Of a non-blocking file read1() gives nothing where there is nothing yet: as at its end.
        return file.read1
    return file.read


def _wait_for(file: Readable) -> None:
    descriptor = _descriptor(file)
    if descriptor is None:
        raise BlockingIOError("it has nothing to read yet, and no descriptor to wait for")
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll()


def _descriptor(file: object) -> int | None:
    try:
        return int(cast("io.IOBase", file).fileno())
    except (AttributeError, OSError, TypeError, ValueError):
        return None


def _type(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {ascii(name[:80])[1:-1]}"
