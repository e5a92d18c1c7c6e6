"""Expressions taken apart: what is derived from one matches what it says it does, as another engine reads it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.redact import pattern
from capture_core.redact.pattern import PatternRefused, parse, render

EXPRESSIONS = [
    "abc",
    "a|bc|",
    "gh[pousr]_[A-C0-9]{3}",
    "(?:ab|cd)+e{0,2}",
    r"a\.b\x2fc?(d|e{2,})f*",
    r"[^\]x~]{2}-\d\w",
    "x(?:a(?:b|c)?){1,3}y",
    "é[a-c]",
    "x.{2}",
]
each = pytest.mark.parametrize("expression", EXPRESSIONS)
texts = st.lists(st.sampled_from("abcdefgxyp_-0129./ éA\n"), max_size=9).map("".join).map(str.encode)


def matched(expression: str, text: bytes) -> bool:
    return re.fullmatch(expression.encode(), text) is not None


def matches(expression: str) -> st.SearchStrategy[bytes]:
    """What the expression matches, as another library makes it of the same source."""
    return st.from_regex(re.compile(render(parse(expression)).encode()), fullmatch=True).filter(
        lambda text: len(text) < 40
    )


@each
@given(data=st.data(), text=texts)
def test_what_was_taken_apart_means_the_same(expression: str, data: st.DataObject, text: bytes) -> None:
    given_text = data.draw(st.sampled_from([text, data.draw(matches(expression))]))
    assert matched(render(parse(expression)), given_text) == matched(expression, given_text)


@each
@given(data=st.data())
def test_every_beginning_of_a_match_is_one_and_nothing_else_is(expression: str, data: st.DataObject) -> None:
    whole = data.draw(matches(expression))
    begun = render(pattern.beginnings(parse(expression)))
    for length in range(1, len(whole) + 1):
        assert matched(begun, whole[:length])
    assert not matched(begun, b"~" + whole)


@each
@given(data=st.data())
def test_a_match_may_be_broken_anywhere_but_at_its_ends(expression: str, data: st.DataObject) -> None:
    whole = data.draw(matches(expression))
    broken = pattern.broken(parse(expression), r"\n?")
    assert matched(broken, whole)
    assert matched(broken, b"\n".join(whole[index : index + 1] for index in range(len(whole))))


@each
@given(data=st.data())
def test_the_shortest_form_begins_every_match(expression: str, data: st.DataObject) -> None:
    whole = data.draw(matches(expression))
    shortest = render(pattern.shortest(parse(expression)))
    assert re.match(shortest.encode(), whole)
    assert pattern.fewest(parse(expression)) <= len(whole)
    longest = pattern.longest(parse(expression))
    assert longest is None or len(whole) <= longest


def test_a_short_form_has_no_open_end() -> None:
    assert render(pattern.shortest(parse("ab{2,}c*"))) == "ab{2}"
    assert render(pattern.shortest(parse("a?"))) == ""
    assert render(pattern.shortest(parse("a(?:b|c+)"))) == "a(?:b|c{1})"


def test_a_pattern_can_be_spelt_out() -> None:
    assert ["".join(units) for units in pattern.spelt(parse("x(?:a|bc)[de]{1,2}"))] == [
        "xa[de]",
        "xa[de][de]",
        "xbc[de]",
        "xbc[de][de]",
    ]


def test_long_repeats_can_be_let_loose() -> None:
    assert render(pattern.loosened(parse("a{3}(?:b{1,90}|c{90,})"), 64)) == "a{3}(?:b{1,}|c{90,})"


def test_classes_can_be_widened_and_literals_not() -> None:
    assert render(pattern.widened(parse("a[b-d]{2}[^x]"), "!")) == "a[!b-d]{2}[^x]"


@pytest.mark.parametrize(
    ("expression", "position", "why"),
    [
        ("ab(c", 2, "a group that is not closed"),
        ("ab)c", 2, "unexpected"),
        ("a[bc", 1, "a class that is not closed"),
        ("a{3,2}", 1, "out of order"),
        ("a{9999}", 1, "beyond"),
        ("^a", 0, "no meaning here"),
        ("a$", 1, "no meaning here"),
        ("*a", 0, "no meaning here"),
        ("a+?", 2, "lazy"),
        (r"a\b", 1, "unknown escape"),
        (r"(a)\1", 3, "unknown escape"),
        ("a(?=b)", 1, "a group of a kind"),
        ("(?i)a", 0, "a group of a kind"),
        ("(?:a?)*", 0, "what may be nothing"),
        ("[é]", 0, "beyond ASCII"),
    ],
)
def test_what_is_of_another_kind_is_refused_where_it_stands(expression: str, position: int, why: str) -> None:
    with pytest.raises(PatternRefused, match=why) as refused:
        parse(expression)
    assert refused.value.position == position
    assert f"at position {position}" in str(refused.value)
