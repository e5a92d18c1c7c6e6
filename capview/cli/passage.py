"""A passage of a stream on stdout: as it is, made safe where a terminal would obey it, labelled beside another."""

from __future__ import annotations

import sys
from base64 import b64encode

from capview.cli.words import put
from capview.escaping import safe_body


def put_passage(stream: str, data: bytes, *, labelled: bool) -> None:
    """Print it; with a label, it ends at the end of a line."""
    label = f"==> {stream} <==\n".encode() if labelled else b""
    if sys.stdout.isatty():
        # What lies in a file may have been put there by anybody; a terminal obeys it.
        data = safe_body(data.decode("utf-8", "surrogateescape")).encode("utf-8", "backslashreplace")
    is_open = data and not data.endswith(b"\n") and (labelled or sys.stdout.isatty())
    put(label + data + (b"\n" if is_open else b""), sys.stdout)


def content(data: bytes, *, is_binary: bool) -> dict[str, str]:
    """The same as a field for scripts."""
    return {"base64": b64encode(data).decode()} if is_binary else {"text": data.decode("utf-8", "replace")}
