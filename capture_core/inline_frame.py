"""The lines of an inline text that are ours: the state, where a stream begins, what is left out, and how to read on.

Pure.  Each begins with ``[capview``, and nothing else in the text has these characters without a backslash before
them (:func:`shown`): output cannot pass for one of these lines.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from capture_core import phrases
from capture_core.escaping import safe
from capture_core.facts import CaptureFacts, CaptureState, EndedBy, OtherProcess, ProcessState, RepresentationKind
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capture_core.facts import ProcessFacts, Receipt

# Soft hyphens, joiners, marks of direction and variation: what nobody sees, in UTF-8.
_UNSEEN: Final = rb"(?:\xc2\xad|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf)*"
_OURS: Final = re.compile(
    rb"(?i)\[" + b"".join(_UNSEEN + letter for letter in (b"c", b"a", b"p", b"v", b"i", b"e", b"w"))
)
_CONTROL: Final = bytes.maketrans(bytes({*range(0x20), 0x7F} - {*b"\t\n\r"}), b"?" * 30)
_NOT_UTF8: Final = "[\udc80-\udcff]"

UNTOLD: Final = "?"
"""Stands for the state where there is no room for its words: half of a number would be another one."""


def shown(data: bytes) -> bytes:
    """Output as it stands in an inline text: UTF-8 in which nothing is taken for a line of ours.

    Committed text passes as it is, but for a backslash before ``[capview``, in whichever case and with whatever nobody
    sees in it.  What a file holds that we did not write there, control characters and bytes that are not UTF-8, becomes
    ``?``, byte for byte.
    """
    plain = data.translate(_CONTROL)
    try:
        plain.decode()
    except UnicodeDecodeError:
        plain = re.sub(_NOT_UTF8, "?", plain.decode(errors="surrogateescape")).encode()
    return _OURS.sub(rb"\\\g<0>", plain)


class Way(NamedTuple):
    """How to come to the whole text again: ``option`` is what a command must say to mean the conversation."""

    ref: str
    option: str | None = None
    is_kept: bool = True
    """Whether there are files; of a small result there may be none."""

    def read(self, stream: str, start: int, end: int | None) -> str:
        """The command that prints these bytes."""
        words = ["capview", "read", self.ref, "--stream", stream, "--bytes", f"{start}:{'' if end is None else end}"]
        if self.option is not None:
            words += ["--conversation", self.option]
        return safe(shlex.join(words))


def line(words: str) -> str:
    """One line of ours."""
    return f"[capview: {words}]\n"


def label(stream: str) -> str:
    """The line above a stream that is not the first."""
    return f"[capview {stream}]\n"


def gap(way: Way, stream: str, start: int, end: int) -> str:
    """The line in place of ``start:end`` of a stream."""
    where = way.read(stream, start, end) if way.is_kept else "kept in no file"
    return line(f"{end - start} bytes left out; {where}")


def pointer(way: Way, stream: str, end: int) -> str:
    """The line in place of all of a stream."""
    return line(f"{stream}, {end} bytes; {way.read(stream, 0, end) if way.is_kept else 'kept in no file'}")


def so_far(way: Way, stream: str, end: int) -> str:
    """The line below a stream that still grows."""
    return line(f"so far; goes on with {way.read(stream, end, None)}")


def loss(receipt: Receipt, stream: str) -> str | None:
    """What a stream lacks, in words; ``None`` when all of it was kept, or it still grows."""
    facts = receipt.streams.get(stream)
    if facts is None or facts.state not in (CaptureState.PARTIAL, CaptureState.FAILED):
        return None
    words = phrases.shortfall(CaptureFacts(state=facts.state, reason=facts.reason), receipt)
    dropped = facts.discarded or facts.uncommitted
    return f"{stream} {words}; {counted(dropped, 'byte', 'bytes')} not kept" if dropped else f"{stream} {words}"


class Told(NamedTuple):
    """What the first line says, the most important first."""

    state: str
    log: str
    notes: tuple[str, ...]
    ref: str = ""
    """Where the output is that is not shown, where it is anywhere."""

    def __str__(self) -> str:
        return line("; ".join((f"{self.state}, {self.log}", *self.notes)))

    def shortened(self) -> Iterator[str]:
        """First lines that say ever less, and nothing else, down to none: who has the ref can have the rest."""
        for count in range(len(self.notes), 0, -1):
            yield str(self._replace(notes=self.notes[:count]))
        if self.ref:
            yield line(f"{self.state}, {self.log}; {self.ref}")
            yield line(f"{self.state}; {self.ref}")
        yield str(self._replace(notes=()))
        yield line(self.state)
        yield self.state
        yield UNTOLD
        yield ""


def told(receipt: Receipt, notes: Sequence[str]) -> Told:
    """The facts of a receipt, and what else there is to say, for the first line."""
    return Told(
        state=phrases.outcome(receipt.process),
        log=phrases.log(receipt.capture, receipt),
        notes=(*_notes(receipt), *map(_cleared, notes), *_changes(receipt)),
    )


def quoted(receipt: Receipt) -> Receipt:
    """The receipt with what other processes call themselves in quotes: whoever chose that does not speak for us."""
    streams = receipt.streams
    if not receipt.process.survivors and not any(facts.held_by for facts in streams.values()):
        return receipt
    from dataclasses import replace

    process = replace(receipt.process, survivors=_in_quotes(receipt.process.survivors))
    held = {name: replace(facts, held_by=_in_quotes(facts.held_by)) for name, facts in streams.items()}
    return replace(receipt, process=process, streams=held)


def _in_quotes(found: tuple[OtherProcess, ...] | None) -> tuple[OtherProcess, ...] | None:
    return None if found is None else tuple(OtherProcess(pid=one.pid, name=_quote(one.name)) for one in found)


def _quote(words: str) -> str:
    return '"' + _cleared(words).replace('"', "'") + '"'


def untold(process: ProcessFacts, words: str) -> Told:
    """What there is to say where not even a receipt can be had."""
    return Told(state=phrases.outcome(process), log=_cleared(words), notes=())


def _notes(receipt: Receipt) -> Iterator[str]:
    if receipt.process.reason is not None:
        yield _ended_by(receipt.process.reason)
    if words := phrases.survivors(receipt.process):
        yield words
    if receipt.process.state is ProcessState.RUNNING:
        yield f"goes on as {receipt.ref}"
    if receipt.upstream is not None:
        yield phrases.upstream(receipt.upstream)
    if receipt.representation.kind is RepresentationKind.BINARY:
        yield "exact bytes, nothing masked"


def _ended_by(reason: EndedBy) -> str:
    kind = phrases.ended_by(EndedBy(kind=reason.kind))
    return f"{kind}: {_quote(reason.words)}" if reason.words else kind


def _changes(receipt: Receipt) -> Iterator[str]:
    """What was done to the text, which anybody can print the marks of."""
    made = receipt.representation
    if masked := sum(made.redactions.values()):
        yield counted(masked, "value masked", "values masked")
    if made.omitted_fragments:
        yield counted(made.omitted_fragments, "part omitted", "parts omitted")
    if made.replaced_bytes:
        yield counted(made.replaced_bytes, "byte was not UTF-8", "bytes were not UTF-8")


def _cleared(words: str) -> str:
    """Words from outside on a line of ours."""
    return safe(shown(words.encode("utf-8", "replace")).decode())


def counted(number: int, one: str, many: str) -> str:
    """``1 part``, ``2 parts``."""
    return f"{number} {one if number == 1 else many}"
