"""A receipt as a page: the four facts in words, then counters, times and where everything is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from capture_core.activity import NOTHING_SAID, is_active, judge
from capture_core.facts import Liveness, SidecarKind, SidecarState
from capview import doing, present
from capview.present import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.facts import StreamFacts
    from capture_core.source import Entry, StreamStatus

_LIVENESS = {
    Liveness.FINAL: "final: nothing of it changes any more",
    Liveness.LIVE: "live: what it says is not yet fixed",
    Liveness.OWNER_DIED: "leftover: its owner died before the end",
    Liveness.UNKNOWN: "unknown: nobody here can tell whether its owner lives",
}
_NAME_CELLS = 14
_SIDECARS = {SidecarKind.SGR: "colours", SidecarKind.TIMES: "times"}


def page(entry: Entry, now: float) -> Content:
    """The whole page."""
    rows = [_row(name, value) for name, value in facts(entry, now)]
    return Content("\n").join(rows)


def facts(entry: Entry, now: float) -> Iterator[tuple[str, str]]:
    """Names and values, safe to draw; an empty name begins another paragraph."""
    receipt = entry.receipt
    yield "state", present.summary(entry)
    yield "process", present.process_words(entry.process)
    yield "log", present.log(entry).words
    if silence := _silence(entry, now):
        yield "now", silence
    yield "receipt", _LIVENESS[entry.liveness]
    yield "text", ", ".join((receipt.representation.kind, *map(safe, receipt.representation.transforms)))
    yield "", ""
    for status in entry.streams:
        yield from _stream(receipt.streams[status.name], status)
        yield "", ""
    yield from _losses(entry)
    yield "took", present.duration(present.elapsed(entry, now))
    yield "started", safe(receipt.times.started)
    yield "ended", safe(receipt.times.ended or present.UNKNOWN)
    yield from _origin(entry)


def _silence(entry: Entry, now: float) -> str:
    """What the files' own times tell of a running job; what its output says is told in the list of jobs."""
    return doing.words(judge(entry, NOTHING_SAID, doing.silent_seconds(entry, now))) if is_active(entry) else ""


def _stream(facts: StreamFacts, status: StreamStatus) -> Iterator[tuple[str, str]]:
    raw = (facts.accepted, facts.pending, facts.discarded)
    accepted, pending, discarded = map(_count, raw)
    yield status.name, f"{present.size(status.committed)} readable now, in {safe(facts.file)}"
    yield "  observed", f"{_count(facts.observed)} = {accepted} accepted + {pending} pending + {discarded} discarded"
    yield "  retained", f"{_count(facts.retained)} bytes of text, {_count(facts.uncommitted)} made and not written"
    yield "  ended", "all of it was read" if facts.eof else "its end was not seen"
    for kind, name in _SIDECARS.items():
        sidecar = facts.sidecars.get(kind)
        if sidecar is not None and sidecar.state is not SidecarState.WHOLE:
            why = "no more room within the limit" if sidecar.state is SidecarState.FULL else "they could not be written"
            yield f"  {name}", f"unknown from byte {_count(sidecar.end)} on: {why}"


def _losses(entry: Entry) -> Iterator[tuple[str, str]]:
    representation = entry.receipt.representation
    if representation.redactions:
        counts = representation.redactions.items()
        yield "redacted", ", ".join(f"{safe(rule)} ×{count}" for rule, count in counts)
    for name, count in (("replaced", representation.replaced_bytes), ("stripped", representation.stripped_bytes)):
        if count:
            yield name, f"{count:,} bytes"
    if representation.omitted_fragments:
        yield "omitted", f"{representation.omitted_fragments:,} fragments, each with a mark in the text"


def _origin(entry: Entry) -> Iterator[tuple[str, str]]:
    receipt = entry.receipt
    if receipt.resources is not None:
        used = receipt.resources
        cpu = f"{present.duration(used.user_seconds)} user, {present.duration(used.system_seconds)} system"
        yield "used", f"{cpu}, peak memory {present.size(used.peak_rss_bytes)}"
    yield "", ""
    yield "ref", receipt.ref
    yield "conversation", safe(entry.address.conversation)
    yield "label", safe(receipt.label) if receipt.label is not None else "(none kept)"
    producer = receipt.producer
    yield "producer", safe(f"{producer.adapter} {producer.version}, {producer.source}")
    yield "host", safe(receipt.host)
    for name, value in (("call id", receipt.call_id), ("job id", receipt.job_id)):
        if value is not None:
            yield name, safe(value)


def _count(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


def _row(name: str, value: str) -> Content:
    return Content.assemble((name.ljust(_NAME_CELLS), "$foreground 60%"), " ", value)
