"""A user's own rules: run by the engine alone, the same for any cuts, held while a match may come, refused in words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.errors import BadInput
from capture_core.limits import USER_RULE_BYTES
from capture_core.redact.hiding import Hiding
from capture_core.redact.known import from_environment
from capture_core.redact.user_rules import CompiledRules, RuleVeils
from capture_core.redact.veil import VEIL_BYTES, VEIL_PART, index_of
from capture_core.sanitise import Sanitiser
from capture_core.user_rule import UserRule
from tests.cuts import places, three_ways

RULES = [
    UserRule("acme-token", "acme_[a-z0-9]{6,}"),
    UserRule("badge", "[A-Z]{2}-[0-9]{4}"),
    UserRule("phrase", "open (?:sesame|barley) .{1,4}!", ignore_case=True),
    UserRule("overlap", "ab34acme"),
]
COMPILED = CompiledRules(RULES)
PENDING_BYTES = 600
FIRST_NAME = 2

words = [
    "acme_",
    "acme_12ab34",
    "acm",
    "AB",
    "AB-12",
    "34",
    "AB-1234",
    "Open Sesame ",
    "éé!",
    "!",
    " ",
    "\n",
    "\r\n",
    "é",
    "x" * 70,
]
texts = st.lists(st.sampled_from(words), max_size=10).map("".join)


def stage(compiled: CompiledRules = COMPILED) -> RuleVeils:
    return compiled.stage(first_name=FIRST_NAME, pending_bytes=PENDING_BYTES)


def seen(text: bytes) -> str:
    """What a reader sees in the end; a veil that goes on from a block before is a part of that."""
    text = re.sub(
        rb"(\xfe..\xff*)", lambda found: b"<" + RULES[index_of(found[1]) - FIRST_NAME].name.encode() + b">", text
    )
    assert not VEIL_PART.search(text)
    return text.decode()


def hide(parts: list[bytes], *, eof: bool = True, compiled: CompiledRules = COMPILED) -> str:
    veils, out = stage(compiled), []
    for part in parts:
        out.append(veils.feed(part))
        assert veils.held <= PENDING_BYTES
        assert sum(map(len, out)) + veils.held <= sum(map(len, parts))
    out.append(veils.finish(eof=eof))
    assert sum(map(len, out)) + veils.discarded == sum(map(len, parts))
    return seen(b"".join(out))


def ways(text: str, at: list[int]) -> list[list[bytes]]:
    return [[part.encode() for part in parts] for parts in three_ways(text, at)]


@given(text=texts, at=places, eof=st.booleans())
def test_any_cuts_hide_the_same(text: str, at: list[int], *, eof: bool) -> None:
    assert len({hide(parts, eof=eof) for parts in ways(text, at)}) == 1


@given(text=texts.map(lambda text: text.replace("é", "e") + "\n."), at=places)
def test_every_byte_of_every_match_is_hidden_and_no_other(text: str, at: list[int]) -> None:
    expressions = [re.compile(("(?i)" if rule.ignore_case else "") + rule.pattern) for rule in RULES]
    secret = [False] * len(text)
    for expression in expressions:
        for start in range(len(text)):
            ends = [end for end in range(start, len(text) + 1) if expression.fullmatch(text, start, end)]
            for place in range(start, max(ends, default=start)):
                secret[place] = True
    for parts in ways(text, at):
        veils = stage()
        hidden = b"".join(map(veils.feed, parts)) + veils.finish(eof=True)
        assert [byte in VEIL_BYTES for byte in hidden] == secret


@pytest.mark.parametrize(
    ("text", "given_out"),
    [
        ("see acme_12", "see "),
        ("see acme_12ab34", "see "),
        ("see acme_12ab34 ", "see <acme-token> "),
        ("name? ", "name? "),
        ("badge A", "badge "),
        ("badge A ", "badge A "),
        ("AB-1234", ""),
        ("AB-1234\n", "<badge>\n"),
    ],
)
def test_only_what_may_become_a_match_is_held(text: str, given_out: str) -> None:
    assert seen(stage().feed(text.encode())) == given_out


@pytest.mark.parametrize(
    ("text", "at_eof", "cut_off"),
    [
        ("acme_12ab34", "<acme-token>", "<acme-token>"),
        ("acme_1", "<acme-token>", "<acme-token>"),
        ("acme_", "acme_", ""),
        ("AB-12", "AB-12", ""),
        ("ends here\n", "ends here\n", "ends here\n"),
    ],
)
def test_the_end_hides_what_is_past_its_introducer(text: str, at_eof: str, cut_off: str) -> None:
    assert hide([text.encode()]) == at_eof
    assert hide([text.encode()], eof=False) == cut_off


def test_a_match_that_does_not_end_hides_its_line_and_no_more() -> None:
    text = "acme_" + "a" * 900 + " and more\nnext line\n"
    assert hide([text.encode()]) == "<acme-token> and more\nnext line\n"  # whole at once, it has an end
    assert hide([text[index : index + 1].encode() for index in range(len(text))]) == "<acme-token>\nnext line\n"


def test_a_match_that_begins_or_ends_within_what_is_hidden_takes_in_all_of_it() -> None:
    """A rule that matched a part of a veil left bytes that are no text, and the capture was lost."""
    hiding = Hiding(
        from_environment({b"MY_TOKEN": b"hunter"}),
        rules=CompiledRules([UserRule("z", r"\S{4}Z"), UserRule("y", r"Y\S{4}")]),
    )
    for raw, text in ((b"x hunterZ.\n", "x [redacted:z].\n"), (b"x Yhunter.\n", "x [redacted:y].\n")):
        for parts in three_ways(raw, [3, 6]):
            sanitiser = Sanitiser(pending_bytes=65536, veils=hiding.veils)
            assert (b"".join(map(sanitiser.feed, parts)) + sanitiser.finish(eof=True)).decode() == text


def test_a_match_of_many_lines_is_given_up_in_one_go() -> None:
    """Each of its lines was looked at by a call within the call for the one before."""
    compiled = CompiledRules([UserRule("block", r"[a-z\s]+END")])
    text = b"abc\n" * 5000
    hidden = hide([text, b"X rest\n"], compiled=compiled)
    assert "abc" not in hidden.replace("<acme-token>", "")[:-600]
    assert hidden.endswith("X rest\n")


@pytest.mark.parametrize("rules", [[UserRule("A b", "acme_")], [UserRule(f"r{n}", f"acme{n:03}") for n in range(90)]])
def test_names_that_cannot_stand_in_a_mark_are_refused(rules: list[UserRule]) -> None:
    with pytest.raises(BadInput):
        CompiledRules(rules)


@pytest.mark.parametrize("pattern", ["x" * USER_RULE_BYTES, "漢" * (USER_RULE_BYTES // 3)])
def test_a_pattern_may_be_as_long_as_is_said(pattern: str) -> None:
    assert hide([f"a {pattern} b".encode()], compiled=CompiledRules([UserRule("long", pattern)])) == "a <acme-token> b"


def test_whole_characters_are_hidden() -> None:
    compiled = CompiledRules([UserRule("two", "x.{2}")])
    assert hide(["axéb→".encode()], compiled=compiled) == "a<acme-token>b→"
    assert hide(["ax→b".encode()], compiled=compiled) == "a<acme-token>b"


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("acme_[a-z", "a class that is not closed at position 5"),
        (r"acme\b", r"unknown escape '\\\\b' at position 4"),
        ("(?=x)acme", "position 0"),
        ("a?b?c?", "less than 3 bytes"),
        ("ab", "less than 3 bytes"),
        ("x" * (USER_RULE_BYTES + 1), "longer than"),
        ("漢" * (USER_RULE_BYTES // 2), "longer than"),
        ("(?:a{900}b){900}c{900}", "nothing shorter than"),
        ("((((a{9}){9}){9}){9}){9}x", "nothing shorter than"),
        ("(((a{5}){5}){5}){5}x", "hyperscan does not take it"),
    ],
)
def test_what_cannot_be_run_in_linear_time_is_refused_by_name_and_place(pattern: str, why: str) -> None:
    with pytest.raises(BadInput, match=f"redaction rule 'mine': .*{why}"):
        CompiledRules([UserRule("fine", "acme_[a-z]{4}"), UserRule("mine", pattern)])
