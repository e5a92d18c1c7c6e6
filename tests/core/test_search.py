"""Hits are those that looking at each line gives, wherever the blocks are cut and however long a line is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core import search as module
from capture_core.errors import Refused
from capture_core.limits.reading import SEARCH_HIT_TEXT_BYTES, SEARCH_LINE_BYTES, SEARCH_PATTERN_BYTES
from capture_core.search import compile_pattern, search

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.search import Found


def reading(data: bytes) -> Callable[[int, int], bytes]:
    return lambda start, end: data[start:end]


def hits(data: bytes, pattern: str, *, fixed: bool = False) -> list[Found]:
    matcher = compile_pattern(pattern, fixed=fixed)
    return [found for block in search(reading(data), len(data), matcher) for found in block]


def by_lines(data: bytes, pattern: bytes) -> list[tuple[int, int, int, int]]:
    """Line number, line start, match start and end, one match a line."""
    found, offset = [], 0
    for number, line in enumerate(data.split(b"\n"), 1):
        if match := re.search(pattern, line):
            found.append((number, offset, offset + match.start(), offset + match.end()))
        offset += len(line) + 1
    return found


texts = st.text(alphabet="abé€\n", max_size=80).map(str.encode)


@given(texts, st.text(alphabet="abé", min_size=1, max_size=3), st.integers(min_value=1, max_value=90), st.booleans())
def test_literals_at_every_block_size(data: bytes, needle: str, block: int, fixed: bool) -> None:  # noqa: FBT001
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SEARCH_BLOCK_BYTES", block)
        found = hits(data, needle, fixed=fixed)
    expected = by_lines(data, re.escape(needle.encode()))
    assert [(hit.line, hit.line_start, hit.start, hit.end) for hit in found] == expected
    for hit in found:
        assert data[hit.line_start : hit.line_end] == hit.text
        assert b"\n" not in hit.text


@given(texts, st.sampled_from(["a+b", "^a", "b$", "[^b]a", "(ab|ba)é*", "a.b", r"\xc3"]), st.integers(1, 90))
def test_expressions_at_every_block_size(data: bytes, pattern: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SEARCH_BLOCK_BYTES", block)
        found = hits(data, pattern)
    lines = data.decode().split("\n")
    expected = [n for n, line in enumerate(lines, 1) if re.search(pattern, line)]
    assert [hit.line for hit in found] == expected


def test_a_match_never_spans_lines() -> None:
    assert hits(b"a\nb\na b\n", r"a\s+b") == hits(b"x\nx\na b\n", r"a\s+b")


def test_one_line_larger_than_the_largest_piece() -> None:
    needle, filler = b"needle", b"x" * (SEARCH_LINE_BYTES - 3)
    data = filler + needle + filler * 2 + needle + b"\nneedle\n"
    found = hits(data, "needle", fixed=True)
    assert [hit.start for hit in found] == [m.start() for m in re.finditer(needle, data)]
    assert [hit.line for hit in found] == [1, 1, 2]
    assert all(len(hit.text) <= SEARCH_HIT_TEXT_BYTES for hit in found)
    for hit in found:
        offset = hit.start - hit.text_start
        assert hit.text[offset : offset + 6] == needle
    assert [hit.start for hit in hits(data, "n[e]+dle")] == [hit.start for hit in found]


def test_hit_text_is_cut_between_code_points() -> None:
    data = "€".encode() * 5_000 + b"needle" + "€".encode() * 5_000
    (hit,) = hits(data, "needle")
    assert "needle" in hit.text.decode()


def test_bytes_that_are_no_text_are_searched_too() -> None:
    data = b"\xff\xfe\n\xc3needle\xc3\x28\n"
    assert [hit.line for hit in hits(data, "needle")] == [2]
    assert [hit.line for hit in hits(data, "n.*\\(")] == [2]


def test_time_is_linear_where_backtracking_is_not() -> None:
    assert hits(b"a" * 200_000 + b"!", "(a+)+b") == []


@pytest.mark.parametrize(
    ("pattern", "fixed", "words"),
    [
        ("", True, "empty"),
        ("a\nb", True, "line break"),
        ("x" * (SEARCH_PATTERN_BYTES + 1), True, "at most"),
        ("(a", False, "parenthesis"),
        ("a*", False, "empty"),
        (r"(a)\1", False, "cannot be searched for"),
        ("(?=a)b", False, "cannot be searched for"),
        ("a\udcff", False, "cannot be searched for"),
    ],
)
def test_what_cannot_be_searched_for_is_refused_in_one_line(
    pattern: str,
    fixed: bool,  # noqa: FBT001
    words: str,
) -> None:
    with pytest.raises(Refused, match=words) as caught:
        compile_pattern(pattern, fixed=fixed)
    assert str(caught.value).isprintable()


def test_a_pattern_of_odd_characters_is_text_when_it_is_fixed() -> None:
    assert [hit.line for hit in hits(b"[red]\n(a*\n", "(a*", fixed=True)] == [2]
