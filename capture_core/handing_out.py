"""The text that a model is given of a command that a host has run, and the note of it beside the capture."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from capture_core import inline, shown, shown_file
from capture_core.clock import utc
from capture_core.errors import PlaceRefused, system_words
from capture_core.inline_reader import render_files
from capture_core.news import Watched
from capture_core.preview import Excerpt
from capture_core.reader import StreamReader
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.facts import Receipt


def whole_text(conversation: str, receipt: Receipt, stream: str) -> bytes:
    """All committed bytes of a stream; raises ``StreamGone`` and ``UnknownRef``."""
    with StreamReader(conversation, Watched(conversation, receipt.ref).entry(), stream) as reader:
        return reader.read(0, reader.committed)


def of_texts(receipt: Receipt, texts: Mapping[str, bytes], budget: int) -> str:
    """The text of what is in no file."""
    whole = {name: Excerpt(head=text, tail=b"", length=len(text)) for name, text in texts.items()}
    return inline.render(receipt, whole, budget, is_kept=False).text


class Handed(NamedTuple):
    """What was handed out; ``unnoted``: why it cannot be shown again, if so."""

    text: str
    unnoted: str | None = None


def of_capture(conversation: str, ref: str, budget: int) -> Handed:
    """The text of a capture as it stands now, in the conversation at this path; noted, where it can be.

    Raises ``UnknownRef`` when it is not there, or not any more.
    """
    entry = Watched(conversation, ref).entry()
    said = render_files(conversation, entry, budget, option=conversation)
    try:
        shown_file.note(conversation, entry.receipt.capture_id, shown.encode(said, utc(time.time())))
    except (OSError, PlaceRefused) as error:
        # Whoever gets it needs it more than the note of it.
        return Handed(said.text, system_words(error) if isinstance(error, OSError) else str(error))
    return Handed(said.text)
