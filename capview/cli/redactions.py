"""``capview show REF --redactions``: where something was masked or left out, by which rule, and never what."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from capture_core.errors import BadInput
from capture_core.facts import Liveness, RepresentationKind
from capture_core.ledger import marks
from capture_core.reader import StreamReader
from capview.cli.words import put_json, say
from capview.escaping import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capture_core.ledger import Mark
    from capture_core.source import Entry
    from capview.cli.pick import Picked

_OMITTED = "omitted"
_NONE = 1


def print_ledger(picked: Picked, *, as_json: bool) -> int:
    """Print each mark, stream by stream; 1 when there is none.  Numbers that differ from the receipt's are told."""
    entry = picked.entry
    if entry.receipt.representation.kind is RepresentationKind.BINARY:
        raise BadInput(f"{entry.receipt.ref} holds exact bytes, in which nothing was masked")
    found: Counter[str] = Counter()
    for stream in entry.receipt.streams:
        for mark in _marks(picked, stream):
            found[mark.rule or _OMITTED] += 1
            if as_json:
                put_json(_plain(entry.receipt.ref, stream, mark))
            else:
                print(f"{stream:<7} {mark.offset:>12} {f'line {mark.line}':>12}  {_words(mark)}")
    if entry.liveness is Liveness.FINAL:
        for words in _differences(_counted(entry), found):
            say(words)
    return 0 if found else _NONE


def _marks(picked: Picked, stream: str) -> Iterator[Mark]:
    with StreamReader(picked.catalogue.path, picked.entry, stream) as reader:
        yield from marks(reader.read, reader.committed)


def _plain(ref: str, stream: str, mark: Mark) -> dict[str, str | int]:
    kind = {"omitted": mark.omitted or ""} if mark.rule is None else {"rule": mark.rule}
    return {"ref": ref, "stream": stream, "offset": mark.offset, "line": mark.line, **kind}


def _words(mark: Mark) -> str:
    return f"omitted: {safe(mark.omitted or '')}" if mark.rule is None else safe(mark.rule)


def _counted(entry: Entry) -> Mapping[str, int]:
    done = entry.receipt.representation
    return {**done.redactions, _OMITTED: done.omitted_fragments or 0}


def _differences(counted: Mapping[str, int], found: Mapping[str, int]) -> Iterator[str]:
    for name in sorted(counted.keys() | found.keys()):
        text, receipt = found.get(name, 0), counted.get(name, 0)
        if text > receipt:
            yield f"{name}: {text} in the text, {receipt} by the receipt: perhaps the command prints such marks itself"
        elif text < receipt:
            yield f"{name}: {text} in the text, {receipt} by the receipt: what came behind a cut is counted, not kept"
