"""What is fuzzed beside the streams: parsers of what lies on the disk or is typed, and the one error of each."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final, TypeVar

from capture_core import derive, names, refs
from capture_core.errors import AmbiguousRef, BadName, ReceiptError, RefError
from capture_core.facts import Liveness, Receipt
from capture_core.receipt import encode, parse_request
from capture_core.receipt_decode import decode
from capture_core.source import Address, Entry, StreamStatus
from capview import present
from capview.cli import quantities
from capview.record import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CAPTURE: Final = "20261130T120002Z-abcdqqqqqqqqqqqq"
REFS: Final = (
    f"tool-outputs/shell/{CAPTURE}",
    "tool-outputs/python/20261130T120001Z-abceqqqqqqqqqqqq",
    "tool-outputs/shell/20251130T120000Z-2222qqqqqqqqqqqq",
)
LABELS: Final = {REFS[0]: "make -j8 [red]", REFS[1]: "make", REFS[2]: None}
NOW: Final = 1_800_000_000.0
_T = TypeVar("_T")


def receipt(data: bytes) -> None:
    """A receipt: refused, or taken for what it says, whoever looks at it then."""
    try:
        found = decode(data, tool="shell", capture=CAPTURE)
    except ReceiptError as error:
        _assert_one_line(error)
        return
    assert found.ref == REFS[0]
    assert decode(encode(found), tool="shell", capture=CAPTURE) == found
    for liveness in Liveness:
        for size in (0, 10, None):
            _look(_entry(found, liveness, size))


def _entry(found: Receipt, liveness: Liveness, size: int | None) -> Entry:
    statuses = tuple(
        StreamStatus(
            name=name,
            committed=None if size is None else derive.readable_end(facts, size, liveness),
            modified=None,
        )
        for name, facts in found.streams.items()
    )
    return Entry(
        address=Address("conversation", found.ref),
        receipt=found,
        liveness=liveness,
        process=derive.process(found, liveness),
        capture=derive.capture(found, liveness, statuses),
        streams=statuses,
    )


def _look(entry: Entry) -> None:
    assert "\n" not in present.summary(entry)
    assert "\n" not in present.receipt_line(entry.receipt)
    assert record(entry, "/conversation")["ref"] == REFS[0]
    present.process_words(entry.process)
    present.exit_words(entry.process)
    present.duration(present.elapsed(entry, NOW))
    present.age(present.moment(entry.receipt.times.started), NOW)
    for facts in entry.receipt.streams.values():
        present.size(facts.observed)


def request(data: bytes) -> None:
    """What somebody asks of an owner."""
    found = parse_request(data, 0o600)
    assert found is None or isinstance(found.words, str)


def ref(data: bytes) -> None:
    """A REF, and every other name that reaches a path."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        assert refs.resolve(text, REFS, LABELS.get) in REFS
    except RefError as error:
        _assert_one_line(error)
    assert 0 <= refs.position(text) < 10**9
    for located in (refs.locate(text), refs.locate_file(text)):
        if located is not None:
            _assert_contained(located.ref)
    file = names.parse_file_name(text)
    assert file is None or names.capture_id(file.capture_id) == file.capture_id
    for check in (names.tool_name, names.new_tool_name, names.capture_id):
        try:
            assert "/" not in check(text)
        except BadName as error:
            _assert_one_line(error)


def _assert_contained(found: str) -> None:
    outputs, tool, capture = found.split("/")
    assert (outputs, names.tool_name(tool), names.capture_id(capture)) == (names.TOOL_OUTPUTS, tool, capture)


def quantity(data: bytes) -> None:
    """A range, a count, a size or a time span, as it is typed."""
    text = data.decode("utf-8", "surrogateescape")
    for parse in (quantities.byte_range, quantities.line_range):
        found = _typed(parse, text)
        assert found is None or (found[0] >= 0 and (found[1] is None or found[1] < 10**18))
    for number in (_typed(quantities.count, text), _typed(quantities.size, text), _typed(quantities.seconds, text)):
        assert number is None or (number >= 0 and math.isfinite(number))


def _typed(parse: Callable[[str], _T], text: str) -> _T | None:
    try:
        return parse(text)
    except ArgumentTypeError as error:
        _assert_one_line(error)
        return None


def _assert_one_line(error: Exception) -> None:
    assert str(error).isprintable()
    assert len(str(error)) < 800
    assert not isinstance(error, AmbiguousRef) or set(error.candidates) <= set(REFS)


PARSERS: Final = {"receipt": receipt, "request": request, "ref": ref, "quantity": quantity}


def seeds() -> Iterator[bytes]:
    """What each takes."""
    yield encode(example())
    yield b'{"kind": "cancel", "reason": "not needed"}'
    for text in (*REFS, "@last", "@-2", "@label:make", "abcd", "20261130T12", f"/a/{REFS[0]}.stdout.txt", "con.x"):
        yield text.encode()
    for text in ("1:20", ":7", "5:", "64KiB", "1.5g", "90", "5m", "500ms", "1w"):
        yield text.encode()


def example() -> Receipt:
    """A receipt with something in every field."""
    from capture_core.facts import (
        ByteRange,
        CaptureFacts,
        CaptureReason,
        CaptureState,
        EndedBy,
        EndReason,
        PreviewFacts,
        ProcessFacts,
        ProcessState,
        Producer,
        RepresentationFacts,
        ResourceFacts,
        SidecarFacts,
        SidecarState,
        StreamFacts,
        TimeFacts,
    )

    sidecar = SidecarFacts(file=f"{CAPTURE}.stdout.sgr", state=SidecarState.FULL, retained=16, records=1, end=7)
    stream = StreamFacts(
        file=f"{CAPTURE}.stdout.txt", observed=9, end=5, reason=CaptureReason.QUOTA, sidecars={"sgr": sidecar}
    )
    preview = PreviewFacts(head=ByteRange(start=0, end=5), returned_bytes=5, omitted_bytes=0, tail_text="end")
    return Receipt(
        capture_id=CAPTURE,
        tool="shell",
        ref=REFS[0],
        conversation="c",
        producer=Producer(adapter="test", version="0", source="pipe"),
        host="h",
        boot_id=None,
        process=ProcessFacts(
            state=ProcessState.CANCELLED, pid=1, signal=15, reason=EndedBy(kind=EndReason.USER, words="w")
        ),
        capture=CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.QUOTA),
        representation=RepresentationFacts(redactions={"jwt": 1}),
        streams={"stdout": stream},
        times=TimeFacts(started="2026-11-30T12:00:02.000000Z", ended="2026-11-30T12:00:03Z", duration_seconds=1.0),
        preview={"stdout": preview},
        resources=ResourceFacts(user_seconds=0.5, peak_rss_bytes=4096),
        limit_bytes=5,
        label="make -j8",
    )
