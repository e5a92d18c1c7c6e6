"""Every fuzz target holds for its seeds, and for a few hundred streams made of them; `make fuzz` goes on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capture_core.limits import KIB
from capture_core.redact.redactor import Redactor
from tests.fuzz.measured import MeasuredEngine
from tests.fuzz.targets import HEADER_BYTES, TARGETS, seeds

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = list(seeds())
pieces = st.sampled_from([seed[HEADER_BYTES:] for seed in SEEDS]) | st.binary(max_size=8)
streams = st.builds(
    lambda header, parts: header + b"".join(parts), st.binary(min_size=5, max_size=5), st.lists(pieces, max_size=5)
)


@pytest.mark.parametrize("check", TARGETS.values(), ids=TARGETS)
def test_seeds(check: Callable[[bytes], None]) -> None:
    for seed in SEEDS[::4]:
        check(seed)


@pytest.mark.parametrize("check", TARGETS.values(), ids=TARGETS)
@settings(max_examples=25)
@example(b"")
@given(data=streams)
def test_streams(check: Callable[[bytes], None], data: bytes) -> None:
    check(data)


def looked_at(text: bytes) -> int:
    """Return how many bytes were looked at for a block of so many."""
    engine = MeasuredEngine()
    stage = Redactor(engine.exact, engine, pending_bytes=64 * KIB)
    stage.feed(text)
    stage.finish(eof=True)
    return engine.looked_at


LINES = (
    *(b"ok ", b"TOKEN=", b"password = 1 ", b"sk-ant-", b"-----BEGIN ", b"ghp_"),
    *(b"Authorization: ", b"https://a:", b"<password>", b"Cookie: ", b"x-api-key: "),
)


@pytest.mark.parametrize("line", LINES, ids=bytes.decode)
def test_four_times_as_much_text_is_four_times_as_much_work(line: bytes) -> None:
    """Each candidate looked for the end of its value on all of the line."""
    assert looked_at(line * 400 + b"\n") <= 5 * looked_at(line * 100 + b"\n")
