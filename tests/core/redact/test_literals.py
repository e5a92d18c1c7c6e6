"""Known values in a text without breaks: every one is found, and what is unfinished is as long as can be, no longer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.sanitising import KNOWN_HEAD_BYTES
from capture_core.redact.heads import CompiledScanners, Heads, PlainScanners
from capture_core.redact.known import Literal
from capture_core.redact.literals import LiteralFinder
from capture_core.redact.veils import Match
from tests.cuts import places, three_ways

values = st.sampled_from(
    [
        *(b"abcdef", b"abcabc", b"bcdefa", b"aaaaaaaa", b"a" * KNOWN_HEAD_BYTES, b"a" * (KNOWN_HEAD_BYTES + 1)),
        *(b"ab" * 12, b"ab" * 20 + b"c", b"abcdefabcdefabcdefg", b"abcdefabcdefabcdefabcdefh"),
    ]
)
literal_sets = st.lists(st.builds(Literal, values, st.integers(0, 1)), min_size=1, unique_by=lambda literal: literal[0])
texts = st.lists(values | st.text("abcdefgh", max_size=9).map(str.encode), max_size=8).map(b"".join)


def finder(literals: list[Literal]) -> LiteralFinder:
    heads = Heads(literals)
    return LiteralFinder(heads, PlainScanners(heads.texts).scanner())


def whole(literals: list[Literal], text: bytes) -> list[Match]:
    return sorted(
        Match(start, start + len(value), name)
        for value, name in literals
        for start in range(len(text))
        if text.startswith(value, start)
    )


def unfinished(literals: list[Literal], text: bytes) -> int:
    return max(length for value, _ in literals for length in range(len(value)) if text.endswith(value[:length]))


@given(literals=literal_sets, text=texts, at=places)
def test_every_value_is_found_once_it_is_whole_and_nothing_before_it_is_open(
    literals: list[Literal], text: bytes, at: list[int]
) -> None:
    for pieces in three_ways(text, at):
        one, found, fed, length = finder(literals), [], b"", 0
        for piece in pieces:
            found += one.feed(piece)
            fed += piece
            length = unfinished(literals, fed)
            assert one.unfinished() == length
            assert [match for match in whole(literals, fed) if match.start < len(fed) - length] == sorted(
                match for match in found if match.start < len(fed) - length
            )
        ends = one.finish()
        assert [(match.start, match.end) for match in ends] == ([(len(fed) - length, len(fed))] if length >= 6 else [])
        assert sorted(set(found) | set(one.cut(0))) == whole(literals, fed)


@given(literals=literal_sets, text=texts, kept=st.integers(0, 40), more=texts)
def test_what_is_cut_off_goes_on_no_more(literals: list[Literal], text: bytes, kept: int, more: bytes) -> None:
    one = finder(literals)
    found = [*one.feed(text), *one.cut(kept)]
    assert one.unfinished() <= kept
    found += one.feed(more)
    limit = len(text) - kept
    assert {match for match in found if match.start >= limit} <= set(whole(literals, text + more))
    assert not [match for match in found if match.start < limit < len(text) < match.end]


def test_a_beginning_that_two_origins_share_is_the_first_ones() -> None:
    one = finder([Literal(b"abcdefgh", 1), Literal(b"abcdefxy", 0)])
    one.feed(b"abcdef")
    assert one.finish() == [Match(0, 6, 0)]


@given(literals=literal_sets, text=texts, at=places)
def test_all_scanners_find_the_same_heads(literals: list[Literal], text: bytes, at: list[int]) -> None:
    texts_of = Heads(literals).texts
    plain, compiled = PlainScanners(texts_of).scanner(), CompiledScanners(texts_of).scanner()
    before = b""
    for piece in next(iter([*three_ways(text, at)][2:])):
        assert sorted(plain(before, piece)) == sorted(compiled(before, piece))
        before = (before + piece)[-KNOWN_HEAD_BYTES:]


@pytest.mark.parametrize("scanners", [PlainScanners, CompiledScanners])
def test_heads_are_bytes_and_no_patterns(scanners: type[PlainScanners | CompiledScanners]) -> None:
    assert list(scanners([b".*+\\x00", b"(a|b)$\xff"]).scanner()(b"", b"aaaaaaa .*+\\x00")) == [(0, 15)]
