"""Known values in a stream: all hidden in place, whatever breaks are in them, whatever the cuts, and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.decode import REPLACEMENT, weight
from capture_core.limits import KIB
from capture_core.limits.sanitising import KNOWN_BREAK_BYTES, KNOWN_PIECE_BYTES, VEIL_BYTES_AT_MOST
from capture_core.redact.heads import CompiledScanners, Heads, PlainScanners
from capture_core.redact.known import Literal
from capture_core.redact.literals import LiteralFinder
from capture_core.redact.veil import SHORTEST_VEIL, VEIL_BYTES, veiled
from capture_core.redact.veils import Veils
from tests.cuts import places, three_ways

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAMES = ("env", "mask-file")
HARMLESS = 5
LONG = b"".join(b"%05d" % number for number in range(40))

values = [
    *(b"abcdef", b"abcdefgh", b"defghijkl", b"aaaaaa", b"aaaaaaaaaaaaaaaaaaaaaaab", b"abababababababababababab", LONG),
    *(b"bcdefg", b"fghabcdefabc", "é漢字é".encode(), b"x" + REPLACEMENT * 2, b"ab" * 20 + b"c", LONG[:30] + b"abcdef"),
]
literal_sets = st.lists(
    st.builds(Literal, st.sampled_from(values), st.integers(0, 1)), min_size=1, max_size=5, unique_by=lambda one: one[0]
)
breaks = [b"\n", b"\r\n", b"\r", b"\n\n", b"\n" * KNOWN_BREAK_BYTES, b"\r\n" * KNOWN_BREAK_BYTES]
parts = st.one_of(
    st.sampled_from(values),
    st.sampled_from(breaks),
    st.sampled_from([b"a", b"ab", b"abc", b"abcde", b"aaaaa", b"f", b"g", b" ", b"zz", LONG[:50], LONG[50:], LONG[3:]]),
    st.builds(
        lambda value, end: value[:end].decode(errors="ignore").encode(), st.sampled_from(values), st.integers(1, 250)
    ),
)
texts = st.lists(parts, max_size=14).map(b"".join)


def broken(value: bytes, at: Sequence[int], by: Sequence[bytes]) -> bytes:
    """Put breaks into a value, between its characters."""
    text = [value.decode()[index : index + 1].encode() for index in range(len(value.decode()))]
    for place, each in zip(at, by, strict=False):
        text.insert(place % len(text), each)
    return b"".join(text)


broken_values = st.builds(
    broken,
    st.sampled_from(values),
    st.lists(st.integers(1, 10_000), max_size=4),
    st.lists(st.sampled_from(breaks[:4]), min_size=4, max_size=4),
)
broken_texts = st.lists(broken_values | parts, max_size=8).map(b"".join)


def veils(literals: Sequence[Literal], *, compiled: bool = False) -> Veils:
    heads = Heads(literals)
    scanners = CompiledScanners(heads.texts) if compiled else PlainScanners(heads.texts)
    return Veils([LiteralFinder(heads, scanners.scanner())], NAMES)


def cuts(text: bytes, at: list[int]) -> Iterator[list[bytes]]:
    """Cut between characters only: the decoder before this stage sees to that."""
    return ([part.encode() for part in pieces] for pieces in three_ways(text.decode(), at))


def run(stage: Veils, pieces: Sequence[bytes], *, eof: bool = True) -> bytes:
    fed, text, given_out = 0, b"", 0
    for piece in pieces:
        out = stage.feed(piece)
        text += out
        given_out += weight(out)
        fed += weight(piece)
        assert fed == stage.accepted + stage.held + stage.discarded + given_out
    out = stage.finish(eof=eof)
    assert stage.held == 0
    assert fed == stage.accepted + stage.discarded + given_out + weight(out)
    return text + out


def expected(literals: Sequence[Literal], text: bytes) -> bytes:
    """What the stage's rules say of a whole text, by trying every place; without what the end cuts."""
    where = [index for index, byte in enumerate(text) if byte not in b"\r\n"]
    joined = bytes(text[index] for index in where)
    found = sorted(
        (start, start + len(value), name)
        for value, name in literals
        for start in range(len(joined))
        if joined.startswith(value, start)
    )
    runs: list[tuple[int, int, int, int]] = []
    for start, end, name in found:
        begin = max(b for b in range(start, start + HARMLESS + 1) if b == start or where[b] > where[b - 1] + 1)
        if re.search(rb"[\r\n]{%d}" % (KNOWN_BREAK_BYTES + 1), text[where[begin] : where[end - 1]]):
            continue
        if runs and begin < runs[-1][3]:
            if end > runs[-1][3]:
                runs[-1] = (*runs[-1][:2], where[end - 1] + 1, end)
        else:
            runs.append((name, where[begin], where[end - 1] + 1, end))
    out = bytearray(text)
    for name, first, last, _ in runs:
        while last - first >= VEIL_BYTES_AT_MOST + SHORTEST_VEIL:
            out[first : first + VEIL_BYTES_AT_MOST] = veiled(name, VEIL_BYTES_AT_MOST)
            first += VEIL_BYTES_AT_MOST  # noqa: PLW2901
        length = last - first
        out[first:last] = veiled(name, length) if length >= SHORTEST_VEIL else b"*" * length
    return bytes(out)


@given(literals=literal_sets, text=texts | broken_texts, at=places)
def test_all_values_are_hidden_in_place_and_nothing_else_whatever_the_cuts(
    literals: list[Literal], text: bytes, at: list[int]
) -> None:
    text += b"|"  # which no value holds: nothing is unfinished
    wanted = expected(literals, text)
    for pieces in cuts(text, at):
        assert run(veils(literals), pieces) == wanted


@given(literals=literal_sets, text=texts | broken_texts, at=places, eof=st.booleans())
def test_any_cuts_give_one_text_and_one_account_at_every_end(
    literals: list[Literal], text: bytes, at: list[int], *, eof: bool
) -> None:
    results = set()
    for pieces in cuts(text, at):
        stage = veils(literals)
        out = run(stage, pieces, eof=eof)
        assert len(out) == len(text) or (not eof and stage.omitted == 1)
        results.add((out, stage.accepted, stage.discarded, stage.omitted, repr(stage.redactions)))
    assert len(results) == 1


@given(literals=literal_sets, text=broken_texts, at=places)
def test_both_scanners_find_the_same(literals: list[Literal], text: bytes, at: list[int]) -> None:
    for pieces in cuts(text, at):
        assert run(veils(literals, compiled=True), pieces) == run(veils(literals), pieces)


@given(st.data())
def test_no_run_of_a_value_is_given_out_when_it_is_there_in_full_or_up_to_the_end(data: st.DataObject) -> None:
    literals = data.draw(literal_sets)
    fill = st.sampled_from([b"", b" ", b"|\n", b"--\r\n", b"|" * 9])
    pieces = [data.draw(fill)]
    for literal in data.draw(st.lists(st.sampled_from(literals), min_size=1, max_size=4)):
        at = data.draw(st.lists(st.integers(1, 10_000), max_size=4))
        by = data.draw(st.lists(st.sampled_from(breaks[:4]), min_size=4, max_size=4))
        pieces += [broken(literal.text, at, by), data.draw(fill)]
    last = data.draw(st.sampled_from(literals)).text
    pieces.append(last[: data.draw(st.integers(0, len(last)))].decode(errors="ignore").encode())
    text = b"".join(pieces)
    for cut in cuts(text, data.draw(places)):
        shown = run(veils(literals), cut).translate(None, b"\r\n")
        for value, _ in literals:
            assert not any(value[start : start + HARMLESS + 1] in shown for start in range(len(value) - HARMLESS))


@pytest.mark.parametrize(
    ("fed", "out"),
    [
        # What may be held: a beginning of a value, and nothing else.
        (b"abcd", b""),
        (b"abcd efg", b"abcd efg"),
        (b"abc\n", b"abc\n"),
        (b"abcde\r\n", b"abcde\r\n"),
        (b"abcde\nf", b"abcde\n"),
        (b"abc\ndefg\n", b"abc\n"),
        (b"xx abcdefg", b"xx "),
        (b"abcdefghi", veiled(0, 8) + b"i"),
    ],
)
def test_only_what_may_be_a_value_is_held(fed: bytes, out: bytes) -> None:
    stage = veils([Literal(b"abcdefgh", 0)])
    assert stage.feed(fed) == out
    assert stage.held == len(fed) - len(out)


@pytest.mark.parametrize(
    ("text", "eof", "out", "omitted"),
    [
        (b"> abcde", True, b"> abcde", 0),
        (b"> abcde", False, b"> ", 1),
        (b"> abcdef\n", True, b"> " + veiled(1, 6) + b"\n", 0),
        (b"> abcdef\n", False, b"> " + veiled(1, 6) + b"\n", 0),
        (b"> abcde\nf", True, b"> abcde\n*", 0),
        (b"> abcde\nfg", False, b"> abcde\n**", 0),
    ],
)
def test_at_the_end_what_tells_something_is_hidden(text: bytes, out: bytes, omitted: int, *, eof: bool) -> None:
    stage = veils([Literal(b"abcdefgh", 1)])
    assert run(stage, [text], eof=eof) == out
    assert stage.omitted == omitted
    assert sum(stage.redactions.values()) == out.count(b"*") // max(1, out.count(b"*"))


def test_a_stage_can_go_on_after_an_end() -> None:
    stage = veils([Literal(b"abcdefgh", 0)])
    assert run(stage, [b"abcd"]) == b"abcd"
    assert run(stage, [b"efgh abcdefgh"]) == b"efgh " + veiled(0, 8)


def test_values_that_overlap_are_hidden_as_one_by_the_first_name() -> None:
    stage = veils([Literal(b"abcdefgh", 1), Literal(b"ghijkl", 0)])
    assert run(stage, [b"abcdefghijkl."]) == veiled(1, 12) + b"."


@pytest.mark.parametrize("value", [b"a" * 8, b"a" * KNOWN_PIECE_BYTES, b"ab" * 500 + b"c", (b"x" * 20 + b"y") * 100])
def test_what_repeats_itself_stays_bounded_and_linear(value: bytes) -> None:
    stage = veils([Literal(value, 0)], compiled=True)
    text = (value[:-1] * (64 * KIB // len(value) + 1))[: 64 * KIB]
    for piece in (text, *(text[index : index + 7] for index in range(0, 8 * KIB, 7))):
        stage.feed(piece)
        assert stage.held <= len(value) + VEIL_BYTES_AT_MOST + SHORTEST_VEIL


def test_breaks_without_end_are_not_held() -> None:
    stage = veils([Literal(b"abcdefgh", 0)])
    stage.feed(b"abcdefg")
    for _ in range(100):
        stage.feed(b"\r\n" * 50)
    assert stage.held == 0
    assert run(stage, [b"h"]) == b"h"


def test_veils_are_given_out_whole() -> None:
    stage = veils([Literal(b"a" * 8, 0)])
    out = [stage.feed(b"a" * 100) for _ in range(200)]
    assert {len(each) % VEIL_BYTES_AT_MOST for each in out} == {0}
    assert not b"".join(out).strip(VEIL_BYTES)
