"""The inline text of a capture that lies in files: of each stream only its two ends are read, however long it is."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from capture_core.errors import StreamGone
from capture_core.facts import Liveness, ProcessState, RepresentationKind
from capture_core.inline import render
from capture_core.preview import Excerpt
from capture_core.reader import StreamReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.facts import Receipt
    from capture_core.inline import Rendered
    from capture_core.source import Entry


def derived(entry: Entry) -> Receipt:
    """The receipt with the states that a reader sees: of a dead owner's capture nobody observed the end."""
    return replace(entry.receipt, process=entry.process, capture=entry.capture)


def render_files(
    conversation: str, entry: Entry, budget: int, *, option: str | None = None, notes: Sequence[str] = ()
) -> Rendered:
    """What a model sees of a capture now, in at most ``budget`` bytes; see :func:`capture_core.inline.render`.

    ``conversation``: its path.  ``option``: how the commands in the text are to name it, where they have to.  A stream
    whose file is missing is left out; the first line says that something is.  ``entry`` with its ``tail_text``.
    """
    receipt = derived(entry)
    texts = {}
    for stream in receipt.streams:
        with suppress(StreamGone), StreamReader(conversation, entry, stream) as reader:
            is_binary = receipt.representation.kind is RepresentationKind.BINARY
            texts[stream] = _ends(reader, 0 if is_binary else budget)
    return render(receipt, texts, budget, option=option, notes=(*notes, *_doubts(entry)))


def _ends(reader: StreamReader, size: int) -> Excerpt:
    length = reader.committed
    head = reader.read(0, min(size, length))
    return Excerpt(head=head, tail=reader.read(max(len(head), length - size), length), length=length)


def _doubts(entry: Entry) -> tuple[str, ...]:
    is_doubtful = entry.liveness is Liveness.UNKNOWN and entry.process.state is ProcessState.RUNNING
    return ("nobody here can tell whether its owner lives",) if is_doubtful else ()
