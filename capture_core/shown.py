"""What was handed out of a capture, kept reproducible: which lines of ours and which ranges made each text.

A record has no output in it.  It is a line of ``.capview/shown/<capture-id>.jsonl``; committed bytes never change, so
the text can be made again, also when the capture has gone on since.  :mod:`capture_core.shown_file` writes them.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from capture_core import names
from capture_core.descend import conversation as opened
from capture_core.descend import open_file, step
from capture_core.errors import StreamGone
from capture_core.facts import StreamName
from capture_core.inline import VERSION, assemble, digest_of
from capture_core.inline_body import Piece
from capture_core.limits import INLINE_MOST_BYTES
from capture_core.limits.reading import SHOWN_FILE_BYTES
from capture_core.reader import StreamReader
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.inline import Part, Rendered
    from capture_core.source import Entry


class Shown(NamedTuple):
    """A text that was handed out: by which version of the renderer, when, within which budget, and made of what."""

    version: int
    at: str
    budget: int
    digest: str
    parts: tuple[Part, ...]


class Again(NamedTuple):
    """The text once more; ``None`` where it cannot be had, and why."""

    text: str | None
    why_not: str = ""


_GONE: Final = Again(None, "the capture was removed")
_UNLIKE: Final = Again(None, "what its capture holds gives another text")
_NO_RECORD: Final = Again(None, "its record names more than a text can have")


def encode(rendered: Rendered, at: str) -> bytes:
    """The record of a text that is handed out at this moment: one line of JSON."""
    said = {
        "renderer": VERSION,
        "at": at,
        "budget": rendered.budget,
        "sha256": rendered.digest,
        "parts": [part if isinstance(part, str) else part._asdict() for part in rendered.parts],
    }
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def decode(line: bytes) -> Shown | None:
    """A record read back; ``None`` where the line is none, such as one that a crash has cut."""
    try:
        said = json.loads(line)
        return Shown(
            version=_number(said["renderer"]),
            at=str(said["at"]),
            budget=_number(said["budget"]),
            digest=str(said["sha256"]),
            parts=tuple(_part(part) for part in said["parts"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def handed_out(conversation: str, capture: str) -> tuple[Shown, ...]:
    """The records of one capture, oldest first; none where nothing was handed out.

    Raises :class:`PlaceRefused` where the conversation cannot be opened or something foreign stands in the way.
    """
    with opened(conversation) as place, step(place, names.PRIVATE) as private:
        if private is None:
            return ()
        with step(private, names.SHOWN) as folder:
            fd = None if folder is None else open_file(folder, names.shown_file(capture))
            if fd is None:
                return ()
            with os.fdopen(fd, "rb") as file:
                lines = file.read(SHOWN_FILE_BYTES).splitlines()
    return tuple(shown for line in lines if (shown := decode(line)) is not None)


def reproduce(conversation: str, entry: Entry | None, shown: Shown) -> Again:
    """The exact text again, out of the capture's files, checked against its digest; or why not.

    ``entry``: the capture now, with its ``tail_text``; ``None`` when it was removed.
    """
    if entry is None:
        return _GONE
    if shown.version != VERSION:
        return Again(None, f"version {shown.version} of the renderer made it, this capview has version {VERSION}")
    if sum(part.end - part.start for part in shown.parts if isinstance(part, Piece)) > INLINE_MOST_BYTES:
        return _NO_RECORD
    with ExitStack() as stack:
        fetching = _Fetching(conversation, entry, stack)
        try:
            text = assemble(shown.parts, fetching.fetch)
        except StreamGone as error:
            return Again(None, str(error))
    return Again(text) if digest_of(text) == shown.digest else _UNLIKE


class _Fetching:
    """Gives the pieces of one capture, each stream opened once."""

    def __init__(self, conversation: str, entry: Entry, stack: ExitStack) -> None:
        self._conversation = conversation
        self._entry = entry
        self._stack = stack
        self._readers: dict[str, StreamReader] = {}

    def fetch(self, piece: Piece) -> bytes:
        if piece.is_after_cut:
            preview = self._entry.receipt.preview.get(piece.stream)
            text = "" if preview is None else preview.tail_text or ""
            return text.encode("utf-8", "replace")[piece.start : piece.end]
        if piece.stream not in self._readers:
            reader = StreamReader(self._conversation, self._entry, piece.stream)
            self._readers[piece.stream] = self._stack.enter_context(reader)
        return self._readers[piece.stream].read(piece.start, piece.end)


def _part(said: Any) -> Part:  # noqa: ANN401 — JSON is untyped by nature
    if isinstance(said, str):
        return said.encode("utf-8", "replace").decode()
    piece = Piece(StreamName(said["stream"]), _number(said["start"]), _number(said["end"]), bool(said["is_after_cut"]))
    if piece.end < piece.start:
        raise ValueError("a range that ends before it begins")
    return piece


def _number(said: object) -> int:
    if not isinstance(said, int) or said < 0:
        raise ValueError("no offset")
    return said
