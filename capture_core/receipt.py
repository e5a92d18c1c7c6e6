"""Receipts and requests as JSON: for the writing limb, by the standard library alone.

Reading is :mod:`capture_core.catalog`'s, with msgspec: typed and fast, but its import costs more than a short
command takes, and the writer has to be there before the child's first byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from capture_core.facts import RequestKind
from capture_core.record import NamedTuple, Record

if TYPE_CHECKING:
    from capture_core.facts import Receipt


def encode(receipt: Receipt) -> bytes:
    """One JSON object and a newline, UTF-8; lone surrogates cannot occur, all text in it was sanitised."""
    return json.dumps(_plain(receipt), ensure_ascii=False, indent=1).encode() + b"\n"


class Request(NamedTuple):
    """What somebody asks of an owner, with their words as they came."""

    kind: RequestKind
    words: str


BARE_REQUEST_MODE: Final = 0o400
"""The mode of an empty request, which is a cancel: a full disk takes no other.  One that is being written differs."""


def parse_request(data: bytes, mode: int) -> Request | None:
    """What a request file says; ``None`` when it is not one."""
    if not data and mode == BARE_REQUEST_MODE:
        return Request(RequestKind.CANCEL, "")
    try:
        said = json.loads(data)
        return Request(RequestKind(said["kind"]), str(said["reason"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _plain(value: object) -> Any:  # noqa: ANN401 — JSON is untyped by nature
    if isinstance(value, Record):
        return {name: _plain(getattr(value, name)) for name in value.__annotations__}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
