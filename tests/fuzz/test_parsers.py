"""Parsers of what lies on the disk or is typed: any input gives a value or the one documented error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capture_core.receipt import encode
from tests.fuzz import parsers
from tests.fuzz.parsers import PARSERS, seeds

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = list(seeds())
RECEIPT = json.loads(encode(parsers.example()))

WORDS = ("complete", "pending", "stdout", "../x", "/etc/passwd", "\x1b[2J", "9999-99-99T99:99:99Z", "0001-01-01")
NUMBERS = (10**30, -(10**30), 10**400, 1e308, -1.0, 2**63, 2**64)

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
strange = st.recursive(
    plain | st.text(max_size=8) | st.sampled_from(WORDS) | st.sampled_from(NUMBERS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
grown = st.builds(
    lambda seed, at, more: seed[:at] + more + seed[at:],
    st.sampled_from(SEEDS),
    st.integers(0, 99),
    st.binary(max_size=4),
)


def places(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:  # noqa: ANN401
    """Every field of a receipt, however deep."""
    found = [path] if path else []
    for name, inner in value.items() if isinstance(value, dict) else ():
        found += places(inner, (*path, name))
    return found


@st.composite
def receipts(draw: st.DrawFn) -> bytes:
    """A receipt in which some fields are something else, or gone."""
    changed = json.loads(json.dumps(RECEIPT))
    for path in draw(st.lists(st.sampled_from(places(RECEIPT)), max_size=3)):
        inside = changed
        for name in path[:-1]:
            inside = inside.get(name) if isinstance(inside, dict) else None
        if isinstance(inside, dict) and draw(st.booleans()):
            inside.pop(path[-1], None)
        elif isinstance(inside, dict):
            inside[path[-1]] = draw(strange)
    return json.dumps(changed).encode("utf-8", "replace")


@pytest.mark.parametrize("check", PARSERS.values(), ids=PARSERS)
def test_seeds(check: Callable[[bytes], None]) -> None:
    for seed in SEEDS:
        check(seed)


@given(receipts())
def test_receipts(data: bytes) -> None:
    parsers.receipt(data)


@pytest.mark.parametrize("check", PARSERS.values(), ids=PARSERS)
@given(data=st.binary(max_size=64) | grown)
@example(data=b"")
@example(data=b"\0")
@example(data=b"[" * 100_000)
@example(data=b"9" * 5000)
def test_any_bytes(check: Callable[[bytes], None], data: bytes) -> None:
    check(data)


@given(
    st.from_regex(r"\A[0-9]{0,30}(\.[0-9]{0,30})? ?([kKmMgGtT]?i?[bB]?|ms|s|m|min|h|d|w)\Z")
    | st.from_regex(r"\A[0-9]{0,25}:[0-9]{0,25}\Z")
)
def test_quantities(text: str) -> None:
    parsers.quantity(text.encode())


NAMES = (
    r"@last|@-[0-9]{0,12}|@label:.{0,6}|[a-z2-7]{0,20}|"
    r"[0-9]{0,9}T?[0-9]{0,7}Z?-?[a-z2-7]{0,18}(\.[a-z.]{0,12})?"
)


@given(st.from_regex(NAMES, fullmatch=True))
def test_names(text: str) -> None:
    parsers.ref(text.encode())
    parsers.ref(f"../{text}".encode())
    parsers.ref(f"tool-outputs/shell/{text}".encode())
