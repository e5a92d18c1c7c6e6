"""What a match is: by definition, against rg, and for any cuts of a stream."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

import hyperscan
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capture_core.errors import Refused
from capture_core.find import engines, second
from capture_core.find.expression import forms, render
from capture_core.find.matcher import Case, Matcher, Wanted, compile_wanted
from capture_core.find.places import placed
from capture_core.find.syntax import parse
from capture_core.find.tree import Byte, Chars, Either, LineEnd, LineStart, Repeat, Sequence, Tree, WordEdge
from tests import ripgrep
from tests.cuts import pieces, places, three_ways

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# ---- Patterns and texts -----------------------------------------------------------------------------------------

_ATOMS = [
    "a",
    "b",
    "é",
    "-",
    "_",
    " ",
    ".",
    r"\w",
    r"\W",
    r"\d",
    r"\s",
    r"\S",
    "[ab]",
    "[^a]",
    "[^é-]",
    "(?:^)",
    "(?:$)",
    r"(?:\b)",
]
_ATOMS += [r"(?:\B)", "(?:)", "世", r"\x61", "[[:alpha:]]"]
_REPEATS = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "{2,}", "*?"]
patterns = st.recursive(
    st.tuples(st.sampled_from(_ATOMS), st.sampled_from(_REPEATS)).map("".join),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.tuples(st.lists(inner, min_size=1, max_size=3), st.sampled_from(_REPEATS)).map(
            lambda group: f"(?:{'|'.join(group[0])}){group[1]}"
        ),
    ),
    max_leaves=5,
)
lines = st.text(alphabet="ab-_é世 1\r", max_size=7)
texts = st.lists(lines, max_size=6).flatmap(lambda some: st.sampled_from(["\n".join(some), "\n".join([*some, ""])]))


def compiled(pattern: str, *, word: bool = False, case: Case = Case.SENSITIVE) -> Matcher:
    return compile_wanted(Wanted(pattern, case=case, word=word))


# ---- By definition ----------------------------------------------------------------------------------------------


def by_definition(pattern: str, line: str, *, word: bool = False) -> list[tuple[int, int]]:
    """Every match tried at every place: the first to begin, the longest of these, and so on; by characters."""
    tree = parse(pattern)
    ends = [ends_of(tree, line, frozenset({at})) for at in range(len(line) + 1)]
    found, at = [], 0
    for start in range(len(line)):
        allowed = [end for end in ends[start] if end > start and (not word or stands_apart(line, start, end))]
        if start >= at and allowed:
            at = max(allowed)
            found.append((start, at))
    if not found and not word and any(at in ends[at] for at in range(len(line) + 1)):
        return [(0, 0)]
    return found


def is_word(line: str, at: int) -> bool:
    return 0 <= at < len(line) and line[at].isascii() and (line[at].isalnum() or line[at] == "_")


def stands_apart(line: str, start: int, end: int) -> bool:
    return not is_word(line, start - 1) and not is_word(line, end)


def is_there(place: LineStart | LineEnd | WordEdge, line: str, at: int) -> bool:
    match place:
        case LineStart():
            return at == 0
        case LineEnd():
            return at == len(line)
        case WordEdge(is_wanted):
            return (is_word(line, at - 1) != is_word(line, at)) is is_wanted
    assert_never(place)


def ends_of(tree: Tree, line: str, starts: frozenset[int]) -> frozenset[int]:
    """Where it ends that begins at any of these places."""
    match tree:
        case Chars(ranges):
            inside = {at for at in starts if at < len(line) and any(a <= ord(line[at]) <= b for a, b in ranges)}
            return frozenset(at + 1 for at in inside)
        case LineStart() | LineEnd() | WordEdge():
            return frozenset(at for at in starts if is_there(tree, line, at))
        case Sequence(parts):
            for part in parts:
                starts = ends_of(part, line, starts)
            return starts
        case Either(options):
            return frozenset().union(*[ends_of(option, line, starts) for option in options])
        case Repeat(part, least, most):
            # No more rounds than characters find anything new.
            more = len(line) + 1 if most is None else most - least
            starts = ends_of(Sequence((part,) * least), line, starts)
            return reduce(lambda reached, _: reached | ends_of(part, line, reached), range(more), starts)
        case Byte():
            return frozenset()
    assert_never(tree)


def in_bytes(line: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(len(line[:start].encode()), len(line[:end].encode())) for start, end in spans]


@given(patterns, lines, st.booleans())
@example(pattern="a|ab|b-", line="ab-", word=False)
@example(pattern="-", line="a - --", word=True)
@example(pattern="(?:^|a){2}", line="aab", word=False)
@settings(max_examples=100)
def test_matches_are_those_of_the_definition(pattern: str, line: str, word: bool) -> None:  # noqa: FBT001 — drawn
    matcher = compiled(pattern, word=word)
    assert list(matcher.spans(line.encode())) == in_bytes(line, by_definition(pattern, line, word=word))


@given(patterns, lines, st.booleans())
@example(pattern="(?:ab|ba)", line="ababa", word=False)
@example(pattern="a[ab]", line="aaaaa", word=False)
@settings(max_examples=100)
def test_matches_are_the_same_without_re2(pattern: str, line: str, word: bool) -> None:  # noqa: FBT001 — drawn
    before = second._compiled
    with_it = list(compiled(pattern, word=word).spans(line.encode()))
    try:
        second._compiled = lambda _expression: None  # type: ignore[assignment]
        without = list(compiled(pattern, word=word).spans(line.encode()))
    finally:
        second._compiled = before
    assert without == with_it


# ---- Streams ----------------------------------------------------------------------------------------------------


def matching(matcher: Matcher, blocks: Iterable[bytes], text: bytes, *, once_a_line: bool = False) -> list[int]:
    """The numbers of the lines with a match, from 0."""
    last = text.count(b"\n") if text[-1:] not in (b"", b"\n") else text.count(b"\n") - 1
    if matcher.every_line:
        return list(range(last + 1))
    ends: list[int] = []
    stream = matcher.stream(ends.append, once_a_line=once_a_line)
    assert all(stream.feed(block) for block in blocks)
    assert stream.finish()
    assert ends == sorted(ends)
    if once_a_line:
        assert len(ends) == len(set(ends))
    numbers = {text.count(b"\n", 0, end) for end in ends}
    return sorted(number for number in numbers if number <= last)


def split(text: str) -> list[str]:
    every = text.split("\n")
    return every[:-1] if every[-1] == "" else every


@given(patterns, texts, places, st.booleans(), st.booleans())
@settings(max_examples=100)
def test_lines_with_a_match_are_found_for_any_cuts(
    pattern: str,
    text: str,
    cuts: list[int],
    word: bool,  # noqa: FBT001 — drawn
    once_a_line: bool,  # noqa: FBT001 — drawn
) -> None:
    matcher = compiled(pattern, word=word)
    expected = [n for n, line in enumerate(split(text)) if by_definition(pattern, line, word=word)]
    for blocks in three_ways(text.encode(), cuts):
        assert matching(matcher, blocks, text.encode(), once_a_line=once_a_line) == expected
    assert not matcher.every_line or expected == list(range(len(split(text))))


@given(patterns, texts, places)
@settings(max_examples=40)
def test_re2_finds_the_same_lines(pattern: str, text: str, cuts: list[int]) -> None:
    matcher = compiled(pattern)
    if isinstance(matcher, engines.Expression) and not matcher.every_line:
        expected = matching(matcher, [text.encode()], text.encode())
        # As where hyperscan takes too little.
        matcher._streams = second.streams(forms(placed(parse(pattern))).lines(word=False))
        for blocks in three_ways(text.encode(), cuts):
            assert matching(matcher, blocks, text.encode()) == expected


def to_rg(pattern: str) -> str:
    r"""The same meaning for rg, whose ``\w`` and ``\b`` are Unicode's."""
    for ours, theirs in ((r"\w", "[0-9A-Za-z_]"), (r"\W", "[^0-9A-Za-z_]"), (r"\d", "[0-9]")):
        pattern = pattern.replace(ours, theirs)
    for ours, theirs in ((r"\s", "[\\t-\\r ]"), (r"\S", "[^\\t-\\r ]"), (r"\b", r"(?-u:\b)"), (r"\B", r"(?-u:\B)")):
        pattern = pattern.replace(ours, theirs)
    return pattern


@given(patterns, st.lists(st.one_of(lines.map(str.encode), st.binary(max_size=5)), max_size=30))
@settings(max_examples=40)
def test_rg_counts_the_same_lines(tmp_path_factory: pytest.TempPathFactory, pattern: str, some: list[bytes]) -> None:
    text = b"".join(line.replace(b"\n", b"") + b"\n" for line in some)
    if r"\B" in pattern:
        return  # rg 13 refuses it where it may match within a character.
    file = tmp_path_factory.mktemp("rg") / "text"
    file.write_bytes(text)
    found = len(matching(compiled(pattern), [text], text))
    assert found == ripgrep.count(file, to_rg(pattern))


@pytest.mark.parametrize(
    "pattern", ["É", "ß", "k", "S", "ſ", "Σ", "ς", "ǆ", "ı", "İ", "[à-ö]x", r"\x{e9}", "straße", "ꭰ"]
)
def test_case_is_ignored_as_rg_does(tmp_path: Path, pattern: str) -> None:
    file = tmp_path / "text"
    points = (point for point in range(0x21, 0x1E944) if not 0xD800 <= point < 0xE000)
    file.write_text("".join(f"{chr(point)}x\n" for point in points) + "STRASSE\nSTRAẞE\n", newline="")
    found = matching(compiled(pattern, case=Case.IGNORE), [file.read_bytes()], file.read_bytes())
    assert [line + 1 for line in found] == [match.line for match in ripgrep.lines(file, pattern, "-i")]


@pytest.mark.parametrize("pattern", ["a", "é", "A", r"\S", r"\pL", r"\Sa", "É", "(?i)A"])
def test_smart_case_is_rgs(tmp_path: Path, pattern: str) -> None:
    file = tmp_path / "text"
    file.write_text("a\nA\né\nÉ\nxa\nxA\n")
    found = matching(compiled(pattern, case=Case.SMART), [file.read_bytes()], file.read_bytes())
    assert [line + 1 for line in found] == [match.line for match in ripgrep.lines(file, pattern, "-S")]


# ---- What a text may hold ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("once_a_line", [False, True])
def test_an_undecodable_byte_is_matched_by_itself_alone(once_a_line: bool) -> None:  # noqa: FBT001 — drawn
    text = b"a\xffb\na\xc3b\na\xc3\xa9b\n"
    for pattern, expected in (("a.b", [2]), ("a[^x]b", [2]), ("a\udcffb", [0]), ("a\udcc3b", [1])):
        for blocks in three_ways(text, [2, 7]):
            assert matching(compiled(pattern), blocks, text, once_a_line=once_a_line) == expected


def test_a_needle_is_found_across_the_edges_of_any_blocks() -> None:
    text = b"x" * 40 + "nädel".encode() + b"y" * 40
    for pattern in ("nädel", "n.del", "n[^a]{1,3}del", "NÄDEL"):
        matcher = compiled(pattern, case=Case.IGNORE)
        for at in range(len(text)):
            assert matching(matcher, pieces(text, [at]), text) == [0]


def test_stopped_it_says_so_and_tells_no_more() -> None:
    found: list[int] = []

    def stop(end: int) -> bool:
        found.append(end)
        return True

    for pattern in ("a", "[ab]", "a{900}x|a"):
        found.clear()
        stream = compiled(pattern).stream(stop)
        assert not stream.feed(b"ba\naa\n")
        assert not stream.feed(b"aa\n")
        assert not stream.finish()
        assert len(found) == 1


def test_a_pattern_that_grows_without_end_elsewhere_is_linear() -> None:
    line = b"a" * 300_000 + b"b"
    for pattern in ("(a+)+$", "(a|a)+$", "(a*)*c", "(.*)(.*)(.*)(.*)x"):
        assert matching(compiled(pattern), [line], line) == []
        assert list(compiled(pattern).spans(line)) == []


def test_what_hyperscan_finds_too_large_re2_takes() -> None:
    pattern = "(?:[a-f]x?){900}[^q]{900}y"
    with pytest.raises(hyperscan.error):
        engines._compiled({0: render(parse(pattern))})
    line = b"ab" * 500 + b"-" * 900 + b"y"
    assert matching(compiled(pattern), [line[:7], line[7:]], line) == [0]
    assert next(compiled(pattern).spans(line))[1] == len(line)


# ---- What is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "empty"),
        ("a\nb", "line break"),
        ("a" * 5_000, "5000 bytes"),
        ("(?=a)", "look-ahead, at character 1"),
        ("a(?<!b)", "look-behind, at character 2"),
        (r"(a)\1", "a back-reference, at character 4"),
        ("a++", "a possessive repeat, at character 3"),
        (r"a\Kb", r"\K, which moves a match's start, at character 2"),
        (r"\Qa.b\E", r"\Q, for which there is -F, at character 1"),
        ("(?>a)", "an atomic group, at character 1"),
        ("a)", "a ) without its (, at character 2"),
        ("(a", "a ( without its ), at character 1"),
        ("[a", "a [ without its ], at character 1"),
        ("[z-a]", "a range out of order, at character 2"),
        ("[a&&b]", r"&& in a class, which is read in several ways; write \&, at character 3"),
        ("*a", "a * with nothing to repeat, at character 1"),
        ("a{2000}", "a repeat out of order or beyond 1000, at character 2"),
        (r"\y", r"the escape \y, at character 1"),
        ("\\", "a \\ with nothing behind it, at character 1"),
        (r"\x{110000}", "a code point that is none, at character 1"),
        (r"\p{Greek}", "'Greek', which is no general category of Unicode, at character 1"),
        ("[[:foo:]]", "a named class that is not known, at character 2"),
        ("(?x)a", "the flag 'x', at character 1"),
        ("(" * 200 + ")" * 200, "groups in more than 100 groups"),
    ],
)
def test_what_has_no_linear_form_or_no_one_meaning_is_refused(pattern: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        compiled(pattern)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.text(max_size=12))
@settings(max_examples=100)
def test_any_text_is_a_pattern_or_refused(pattern: str) -> None:
    try:
        matcher = compiled(pattern)
    except Refused:
        return
    assert all(start <= end for start, end in matcher.spans(pattern.encode("utf-8", "surrogateescape")))


@given(st.text(alphabet="a.[(\\*\udcffé", min_size=1, max_size=6), lines)
@settings(max_examples=40)
def test_a_fixed_pattern_is_its_bytes(pattern: str, line: str) -> None:
    needle = pattern.encode("utf-8", "surrogateescape")
    text = line.encode() + needle + line.encode()
    spans = list(compile_wanted(Wanted(pattern, fixed=True)).spans(text))
    assert text[spans[0][0] : spans[0][1]] == needle
    assert len(spans) == text.count(needle)
