"""The digest is of what was written, however that came in blocks, and of nothing that others did to the file."""

from __future__ import annotations

import hashlib
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.digest import Digest
from capture_core.limits.capturing import COUNT_LINES_UP_TO_BYTES, SEAL_BLOCK_BYTES, SEAL_FOLLOW_FROM_BYTES

sizes = st.lists(
    st.sampled_from([0, 1, 7, 1000, SEAL_BLOCK_BYTES - 1, SEAL_BLOCK_BYTES, SEAL_FOLLOW_FROM_BYTES]), max_size=6
)


def digest_of(blocks: list[bytes]) -> Digest:
    digest = Digest()
    for block in blocks:
        digest.feed(block)
    digest.finish()
    return digest


@given(sizes)
def test_any_blocks_give_one_digest(sizes: list[int]) -> None:
    blocks = [(b"line %d\n" % size * (size // 7 + 1))[:size] for size in sizes]
    digest, whole = digest_of(blocks), b"".join(blocks)
    assert (digest.hexdigest(), digest.lines()) == (hashlib.sha256(whole).hexdigest(), whole.count(b"\n"))
    assert not any(thread.name == "digest" for thread in threading.enumerate())


def test_lines_of_what_is_very_large_are_not_counted() -> None:
    block = b"\n" * (COUNT_LINES_UP_TO_BYTES // 64)
    assert digest_of([block] * 64).lines() == COUNT_LINES_UP_TO_BYTES
    assert digest_of([block] * 65).lines() is None


@pytest.mark.parametrize("size", [10, 3 * SEAL_FOLLOW_FROM_BYTES])
def test_what_fails_is_raised_at_the_end_and_holds_nobody_up(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setitem(sys.modules, "hashlib", None)
    digest = Digest()
    for _ in range(20):
        digest.feed(b"x" * size)
    with pytest.raises(ImportError):
        digest.finish()
