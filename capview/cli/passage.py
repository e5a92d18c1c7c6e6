"""A passage of a stream on stdout: as it is, made safe where a terminal would obey it, labelled beside another."""

from __future__ import annotations

import sys
from base64 import b64encode
from typing import TYPE_CHECKING

from capview.cli.words import put
from capview.escaping import safe_body

if TYPE_CHECKING:
    from collections.abc import Iterable


def put_passage(stream: str, pieces: Iterable[bytes], *, labelled: bool) -> None:
    """Print it, piece by piece, none of them ending within a character; with a label, it ends at the end of a line."""
    if labelled:
        put(f"==> {stream} <==\n".encode(), sys.stdout)
    last = b""
    for piece in pieces:
        put(for_terminals(piece) if sys.stdout.isatty() else piece, sys.stdout)
        last = piece or last
    if last and not last.endswith(b"\n") and (labelled or sys.stdout.isatty()):
        put(b"\n", sys.stdout)


def for_terminals(data: bytes) -> bytes:
    """Text of a capture as a terminal may get it: what lies in a file may have been put there by anybody."""
    return safe_body(data.decode("utf-8", "surrogateescape")).encode("utf-8", "backslashreplace")


def content(data: bytes, *, is_binary: bool) -> dict[str, str]:
    """The same as a field for scripts."""
    return {"base64": b64encode(data).decode()} if is_binary else {"text": data.decode("utf-8", "replace")}
