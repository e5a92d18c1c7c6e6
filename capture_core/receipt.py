"""Receipts as JSON: encoding for the writing limb, by the standard library alone.

Reading is :mod:`capture_core.catalog`'s, with msgspec: typed and fast, but its import costs more than a short
command takes, and the writer has to be there before the child's first byte.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capture_core.facts import Receipt


def encode(receipt: Receipt) -> bytes:
    """One JSON object and a newline, UTF-8; lone surrogates cannot occur, all text in it was sanitised."""
    return json.dumps(_plain(receipt), ensure_ascii=False, indent=1).encode() + b"\n"


def _plain(value: object) -> Any:  # noqa: ANN401 — JSON is untyped by nature
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
