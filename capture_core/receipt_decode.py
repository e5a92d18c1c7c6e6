"""Receipts read back: JSON into facts, believed only where it speaks of its own capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from capture_core import names
from capture_core.errors import ReceiptError
from capture_core.facts import SCHEMA, Receipt, SidecarKind

if TYPE_CHECKING:
    from capture_core.facts import StreamFacts

_LIVE_AND_FINAL: Final = frozenset({"live", "txt", "bin"})


class _Major(msgspec.Struct):
    schema: int


_decode_major = msgspec.json.Decoder(_Major).decode
_decode = msgspec.json.Decoder(Receipt).decode


def decode(data: bytes, *, tool: str, capture: str) -> Receipt:
    """Decode the receipt of ``capture`` below ``tool``; unknown fields are ignored.

    Raises :class:`ReceiptError` when it is not JSON, of an unknown major schema, or names what is not its
    own.
    """
    try:
        receipt = _decode(data)
    except msgspec.ValidationError as error:
        raise ReceiptError(_why_invalid(data, error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReceiptError(f"its receipt is not JSON ({error})") from error
    _check(receipt, tool, capture)
    return receipt


def _why_invalid(data: bytes, error: msgspec.ValidationError) -> str:
    # A later major schema may have lost a field that this one needs: that it is later is the thing to say.
    try:
        schema = _decode_major(data).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"its receipt is not one ({error})"
    return _unknown_schema(schema) if schema != SCHEMA else f"its receipt is not one ({error})"


def _unknown_schema(schema: int) -> str:
    return f"its receipt is of schema {schema}, this capview reads {SCHEMA}; a newer capview may read it"


def _check(receipt: Receipt, tool: str, capture: str) -> None:
    if receipt.schema != SCHEMA:
        raise ReceiptError(_unknown_schema(receipt.schema))
    expected = names.ref(tool, capture)
    for field, said, is_so in (
        ("capture_id", receipt.capture_id, capture),
        ("tool", receipt.tool, tool),
        ("ref", receipt.ref, expected),
    ):
        if said != is_so:
            raise ReceiptError(f"its receipt says {field} {_short(said)}, but it stands at {expected!r}")
    for stream, facts in receipt.streams.items():
        _check_stream(stream, facts, capture)


def _check_stream(stream: str, facts: StreamFacts, capture: str) -> None:
    name = names.parse_file_name(facts.file)
    if (
        name is None
        or (name.capture_id, name.stream, name.generation) != (capture, stream, facts.generation)
        or name.form not in _LIVE_AND_FINAL
    ):
        raise ReceiptError(f"its receipt names {_short(facts.file)} as its stream {_short(stream)}")
    for kind in SidecarKind:
        file = facts.sidecars[kind].file if kind in facts.sidecars else None
        if file is not None and file != names.sidecar_file(capture, stream, kind, facts.generation):
            raise ReceiptError(f"its receipt names {_short(file)} as the {kind} of its stream {_short(stream)}")
    if facts.start < 0 or (facts.end is not None and facts.end < facts.start):
        raise ReceiptError(f"its receipt gives the impossible range {facts.start}:{facts.end}")


def _short(text: str) -> str:
    return ascii(text if len(text) <= 80 else text[:80] + "…")  # noqa: PLR2004 — a message is one line
