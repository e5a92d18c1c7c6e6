"""``capview show``: one capture's receipt, for people or as JSON."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from capture_core import phrases
from capture_core.errors import BadInput
from capture_core.facts import Liveness, RepresentationKind
from capture_core.limits.capturing import OTHER_PROCESSES
from capview import present, room
from capview.cli.colour import is_coloured, painted
from capview.cli.pick import add_ref, pick
from capview.cli.quantities import budget
from capview.cli.redactions import print_ledger
from capview.cli.words import put_json
from capview.escaping import safe
from capview.record import record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from capture_core.facts import Receipt, StreamFacts
    from capture_core.source import Entry, StreamStatus

EXAMPLE = """\
examples:
  capview show @last
  capview show @last --json | jq .process.exit_code
  capview show @last --redactions
  capview show @last --inline --budget 4KiB

--redactions has a line for each mark in the text: stream, offset, line, and the rule, never the value.  The command
capview read REF --stream STREAM --around OFFSET shows the place.  Exit code 1: there is none.
--inline prints what a model is given of the capture, as capview run --inline does; --shown what was given out before.
"""

_LIVENESS = {
    Liveness.FINAL: "final",
    Liveness.LIVE: "live: its owner holds its lock, and what it says is not yet fixed",
    Liveness.OWNER_DIED: "leftover: its owner died before the end",
    Liveness.UNKNOWN: "unknown: nobody here can tell whether its owner lives",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``show``."""
    add_ref(parser)
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--redactions", action="store_true", help="where something was masked or left out")
    part.add_argument("--inline", action="store_true", help="what a model is given of it: how it ended, head and tail")
    part.add_argument("--shown", action="store_true", help="all that was given out of it so, exactly, with its time")
    parser.add_argument("--budget", type=budget, metavar="N", help="bytes that --inline may take in all (18KiB)")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the receipt, or what --inline gives, as one JSON object; a redaction or text a line",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the receipt."""
    if arguments.budget is not None and not arguments.inline:
        raise BadInput("--budget is that of --inline: add --inline")
    picked = pick(arguments.ref, arguments.conversation)
    if arguments.inline or arguments.shown:
        from capview.cli.inline import give_out, print_shown

        if arguments.shown:
            return print_shown(picked, as_json=arguments.json)
        return give_out(picked, arguments.budget, as_json=arguments.json)
    if arguments.redactions:
        return print_ledger(picked, as_json=arguments.json)
    if arguments.json:
        put_json(record(picked.entry, picked.catalogue.path), indent=1)
        return 0
    coloured = is_coloured(sys.stdout)
    for name, value in _facts(picked.entry):
        print(f"{painted(f'{name:<14}', present.Tone.QUIET, coloured=coloured)} {value}")
    return 0


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    receipt = entry.receipt
    yield "capture", receipt.ref
    yield "label", UNNAMED if receipt.label is None else safe(receipt.label)
    yield "state", present.summary(entry)
    yield "process", present.process_words(entry.process)
    yield "liveness", _LIVENESS[entry.liveness]
    yield "started", _moment(receipt.times.started)
    if receipt.times.ended is not None:
        yield "ended", _moment(receipt.times.ended)
    yield "took", present.duration(present.elapsed(entry, time.time()))
    for status in entry.streams:
        yield status.name, _stream(receipt.streams[status.name], status)
    yield from _rest(entry)


UNNAMED = "(none kept)"


def _moment(text: str) -> str:
    age = present.age(present.moment(text), time.time())
    return f"{safe(text)} ({age if age == 'now' else f'{age} ago'})"


def _stream(facts: StreamFacts, status: StreamStatus) -> str:
    words = [f"{present.size(status.committed)} readable", f"{present.size(facts.observed)} observed"]
    words += [
        f"{present.size(count)} {name}"
        for name, count in (("discarded", facts.discarded), ("uncommitted", facts.uncommitted))
        if count
    ]
    if facts.lines is not None:
        words.append(f"{facts.lines} lines")
    if facts.held_by is not None:
        words.append(f"held open by {phrases.others(facts.held_by, OTHER_PROCESSES) or 'nobody that could be seen'}")
    return f"{', '.join(words)}; {facts.file}"


def _rest(entry: Entry) -> Iterator[tuple[str, str]]:
    receipt = entry.receipt
    if receipt.representation.kind is RepresentationKind.BINARY:
        yield "binary", "exact bytes, in which nothing is masked"
    else:
        yield "text", ", ".join((receipt.representation.kind, *map(safe, receipt.representation.transforms)))
    if receipt.representation.redactions:
        counts = receipt.representation.redactions.items()
        yield "redacted", ", ".join(f"{safe(rule)} ×{count}" for rule, count in counts)
    if receipt.representation.omitted_fragments:
        yield "omitted", f"{receipt.representation.omitted_fragments} fragments, each with a mark in the text"
    if receipt.representation.unmasked_values:
        yield "not masked", f"the values of {', '.join(map(safe, receipt.representation.unmasked_values))}"
    if receipt.resources is not None:
        yield "used", _resources(entry)
    yield from _room(receipt)
    if receipt.upstream is not None:
        yield "given", present.upstream_words(receipt.upstream)
    producer = receipt.producer
    yield "producer", safe(f"{producer.adapter} {producer.version}, {producer.source}")
    yield "host", safe(receipt.host)
    for name, value in (("call id", receipt.call_id), ("job id", receipt.job_id)):
        if value is not None:
            yield name, safe(value)


def _room(receipt: Receipt) -> Iterator[tuple[str, str]]:
    if receipt.allowance is not None:
        yield "allowance", room.standing(receipt.allowance)
    if words := room.remedy(receipt):
        yield "to keep more", words


def _resources(entry: Entry) -> str:
    used = entry.receipt.resources
    if used is None:
        return present.UNKNOWN
    return (
        f"{present.duration(used.user_seconds)} user, {present.duration(used.system_seconds)} system, "
        f"peak memory {present.size(used.peak_rss_bytes)}"
    )
