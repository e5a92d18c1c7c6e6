"""Ends of lines as the command wrote them, whatever the cuts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.newlines import Newlines


def undone(pieces: list[bytes]) -> bytes:
    newlines = Newlines()
    return b"".join(map(newlines.feed, pieces)) + newlines.finish()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", b""),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"10%\r20%\r\n", b"10%\r20%\n"),
        # What was written as CR LF comes as CR CR LF: the naive strip of every CR before a LF loses one.
        (b"a\r\r\n", b"a\r\n"),
        (b"end\r", b"end\r"),
        (b"\n\r", b"\n\r"),
    ],
)
def test_what_the_terminal_put_before_a_line_feed_is_gone(raw: bytes, text: bytes) -> None:
    assert undone([raw]) == text
    assert undone([raw[at : at + 1] for at in range(len(raw))]) == text


@given(st.text("ab\r\n").map(str.encode), st.lists(st.integers(0, 40), max_size=6))
def test_it_is_the_inverse_of_what_a_terminal_does(written: bytes, at: list[int]) -> None:
    """A stage that looks at each piece alone fails at a cut between CR and LF."""
    shown = written.replace(b"\n", b"\r\n")
    cuts = sorted({0, len(shown), *(cut for cut in at if cut < len(shown))})
    assert undone([shown[a:b] for a, b in pairwise(cuts)]) == written
