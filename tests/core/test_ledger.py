"""Marks are found in a text of any length, at their offsets and lines, wherever the blocks are cut."""

from __future__ import annotations

import re
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from capture_core import ledger
from capture_core.ledger import Mark, marks
from capture_core.limits.reading import LINE_BLOCK_BYTES

MASKED = b"[redacted:gh-token]"
LEFT_OUT = b"[omitted: binary output, PNG image]"


def found(text: bytes) -> list[Mark]:
    longest = 0

    def read(start: int, end: int) -> bytes:
        nonlocal longest
        longest = max(longest, end - start)
        return text[start:end]

    answer = list(marks(read, len(text)))
    assert longest <= LINE_BLOCK_BYTES
    return answer


def test_each_mark_with_offset_line_and_rule() -> None:
    assert found(b"a\nTOKEN=" + MASKED + b"\n\n" + LEFT_OUT + MASKED) == [
        Mark(8, 2, "gh-token", None),
        Mark(29, 4, None, "binary output, PNG image"),
        Mark(29 + len(LEFT_OUT), 4, "gh-token", None),
    ]


def test_what_is_no_mark() -> None:
    assert found(b"[redacted] [redacted:] [redacted:a b] [omitted: \n] [redacted:x [omitted:y]") == []


def test_a_mark_across_every_edge_of_a_block() -> None:
    for before in range(LINE_BLOCK_BYTES - len(MASKED) - 1, LINE_BLOCK_BYTES + 1):
        text = (b"line\n" * LINE_BLOCK_BYTES)[:before] + MASKED + b"\n" + MASKED
        assert [mark.offset for mark in found(text)] == [before, before + len(MASKED) + 1]
        assert [mark.line for mark in found(text)] == [before // 5 + 1, before // 5 + 2]


texts = st.lists(st.sampled_from([b"\n", b"a", b"[", b"]", b"[redacted:", b"x]", MASKED, LEFT_OUT]), max_size=12).map(
    b"".join
)


@given(texts, st.integers(1, 9))
def test_blocks_of_any_size_give_what_one_search_gives(text: bytes, size: int) -> None:
    with patch.object(ledger, "LINE_BLOCK_BYTES", size):
        answer = [(mark.offset, mark.line) for mark in found(text)]
    expected = re.finditer(rb"\[(?:redacted:[^\[\]\s]+|omitted: [^\[\]\n]+)\]", text)
    assert answer == [(match.start(), text.count(b"\n", 0, match.start()) + 1) for match in expected]
