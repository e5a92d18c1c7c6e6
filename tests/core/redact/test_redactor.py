"""Masking in a stream: the same for any cuts, nothing held but what may be secret, bounded, all accounted for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.decode import REPLACEMENT, weight
from capture_core.limits.sanitising import ENDS_BYTES
from capture_core.redact.engine import shared_engine
from capture_core.redact.redactor import OMITTED, Redactor
from capture_core.redact.rules import RULES
from tests.cuts import pieces, places, three_ways

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.redact.rule import Rule

PENDING_BYTES = shared_engine().exact.reach + ENDS_BYTES
"""The least that a redactor holds."""
TOKEN = b"ghp_16C7e42F292c6912E7710c838347Ae178B4a"

examples = [text.replace("«", "").replace("»", "").encode() for rule in RULES for text in rule.masks + rule.passes]
fragments = [
    *(b"ghp_", b"gh", b"g", b"sk-", b"sk-ant-", b"xoxe.", b"xoxb-", b"AKIA", b"pypi-AgE", b"A1b2C3d4E5f6", b"a" * 40),
    *(b"token", b"TOKEN=", b"password = ", b"SECRET", b"_2", b"=", b" = ", b'"', b"'", b"\\", b" ", b"\n", b"\r\n"),
    *(
        b"compute(",
        b"x)",
        b"self.",
        b"$",
        b"{",
        b"}",
        b"12",
        b"None",
        b"[redacted:assignment]",
        b"-",
        b"_",
        b"z" * (PENDING_BYTES - 1),
    ),
    *("é".encode(), REPLACEMENT, TOKEN),
]
texts = st.lists(st.sampled_from(fragments) | st.sampled_from(examples), max_size=12).map(b"".join)


def cuts(text: bytes, at: list[int]) -> Iterator[list[bytes]]:
    """Cut between characters only: the decoder before this stage sees to that."""
    return ([part.encode() for part in parts] for parts in three_ways(text.decode(), at))


def redactor() -> Redactor:
    engine = shared_engine()
    return Redactor(engine.exact, engine.scanner(), pending_bytes=PENDING_BYTES)


def redact(parts: list[bytes], *, eof: bool = True) -> tuple[bytes, Redactor]:
    stage, fed, text = redactor(), 0, b""
    for part in parts:
        text += stage.feed(part)
        fed += weight(part)
        assert fed == stage.accepted + stage.held + stage.discarded
    text += stage.finish(eof=eof)
    assert stage.held == 0
    assert fed == stage.accepted + stage.discarded
    return text, stage


@given(text=texts, at=places, eof=st.booleans())
def test_any_cuts_give_one_text_and_one_account(text: bytes, at: list[int], *, eof: bool) -> None:
    results = {
        (masked, stage.accepted, stage.discarded, stage.omitted, tuple(sorted(stage.redactions.items())))
        for masked, stage in (redact(parts, eof=eof) for parts in cuts(text, at))
    }
    assert len(results) == 1


@given(texts)
def test_what_is_held_is_bounded(text: bytes) -> None:
    stage = redactor()
    for character in text.decode():
        stage.feed(character.encode())
        assert stage.held <= PENDING_BYTES


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (b"name? ", b""),
        (b"[y/N]", b""),
        (b"Compiling", b"g"),
        (b"Password: ", b""),
        (b"export GITHUB_TOKEN", b""),
        (b"export GITHUB_TOKEN=", b""),
        (b"export GITHUB_TOKEN=abc", b"abc"),
        (b"password = ", b""),
        (b'password = "a b', b"a b"),
        (b"see ghp_", b"ghp_"),
        (b"see ghp_16C7", b"ghp_16C7"),
        (b"see ghp_16C7.", b""),
        (b"see " + TOKEN, TOKEN),
        (b"a task-", b""),
        (b"a sk-", b"sk-"),
    ],
)
def test_only_what_may_be_secret_is_held(text: bytes, held: bytes) -> None:
    stage = redactor()
    assert stage.feed(text) == text[: len(text) - len(held)]
    assert stage.held == len(held)


@pytest.mark.parametrize(
    ("text", "at_eof", "cut_off"),
    [
        (b"PASSWORD=hunter2", b"PASSWORD=[redacted:assignment]", b"PASSWORD=[redacted:assignment]"),
        (b"PASSWORD=", b"PASSWORD=", b"PASSWORD="),
        (b"TOKEN=12", b"TOKEN=12", b"TOKEN=12"),
        (b"secret=f(token=abc12345", b"secret=[redacted:assignment]", b"secret=[redacted:assignment]"),
        (b"token=f(x=sk-a", b"token=[redacted:assignment]", b"token=[redacted:assignment]"),
        (b"ghp_16C7", b"[redacted:gh-token]", b"[redacted:gh-token]"),
        (TOKEN, b"[redacted:gh-token]", b"[redacted:gh-token]"),
        (b"see gh", b"see gh", b"see " + OMITTED),
        (b"see ghp_", b"see ghp_", b"see " + OMITTED),
        (b"task-12", b"task-12", b"task-12"),
        (b"done\n", b"done\n", b"done\n"),
    ],
)
def test_the_end_settles_what_is_held(text: bytes, at_eof: bytes, cut_off: bytes) -> None:
    assert redact([text])[0] == at_eof
    masked, stage = redact([text], eof=False)
    assert masked == cut_off
    assert stage.omitted == masked.count(OMITTED)
    assert (stage.discarded > 0) == (OMITTED in masked)


TOO_LONG = b"y" * (PENDING_BYTES + 1)
FITS_AND_TOO_LONG = (
    b"PASSWORD=" + b"x" * PENDING_BYTES + b" TOKEN=" + TOO_LONG + b" secret='" + TOO_LONG * 5 + b"' end\n"
)


def omits_what_is_too_long(parts: list[bytes]) -> None:
    masked, stage = redact(parts)
    assert masked == b"PASSWORD=[redacted:assignment] TOKEN=" + OMITTED + b" secret='" + OMITTED + b"' end\n"
    assert stage.redactions == {"assignment": 1}
    assert (stage.omitted, stage.discarded) == (2, 6 * len(TOO_LONG))


@given(places)
def test_a_value_that_is_too_long_is_omitted_and_what_follows_is_not(at: list[int]) -> None:
    omits_what_is_too_long(pieces(FITS_AND_TOO_LONG, at))


def test_a_value_that_is_too_long_is_omitted_whole_and_byte_by_byte() -> None:
    """The text is one, so these ways are tried once; byte by byte takes longer than all others."""
    for parts in three_ways(FITS_AND_TOO_LONG, []):
        omits_what_is_too_long(parts)


def test_an_endless_value_is_not_kept() -> None:
    stage = redactor()
    assert stage.feed(b'password="') == b'password="'
    text = b"".join(stage.feed(b"never closed " * 5000) for _ in range(20))
    assert (text, stage.held, stage.omitted) == (OMITTED, ENDS_BYTES, 1)
    assert stage.feed(b'" and on\n') == b'" and on\n'


def test_a_replaced_character_weighs_nothing() -> None:
    masked, stage = redact([b"TOKEN=a" + REPLACEMENT + b"b\n" + REPLACEMENT])
    assert masked == b"TOKEN=[redacted:assignment]\n" + REPLACEMENT
    assert stage.accepted == len(b"TOKEN=ab\n")


def test_values_within_what_is_spared_are_found() -> None:
    assert redact([b"secret=compute(x), " + TOKEN + b"\n"])[0] == b"secret=compute(x), [redacted:gh-token]\n"
    assert redact([b'token=f"' + TOKEN + b'"\n'])[0] == b'token=f"[redacted:assignment]"\n'
    assert redact([b"token=a.token,password=hunter2\n"])[0] == b"token=a.token,password=[redacted:assignment]\n"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # A whole token within what may yet be a longer one, and is; and is not.
        (b"AIza-sk-" + b"a" * 31 + b" \n", b"[redacted:google-api-key] \n"),
        # One that may go on in the next line.
        (b"AIza-sk-" + b"a" * 31 + b"\n", b"[redacted:openai-key]\n"),
        (b"AIza-sk-" + b"a" * 21 + b" \n", b"AIza-[redacted:openai-key] \n"),
        # What might begin a token, but a masked one has taken its beginning.
        (b"sk-" + b"a" * 20 + b"glpat-", b"[redacted:openai-key]-"),
    ],
)
def test_of_overlapping_tokens_the_leftmost_is_masked_in_any_cuts(text: bytes, masked: bytes) -> None:
    assert {redact(parts)[0] for parts in cuts(text, [5, 11, 28, 29])} == {masked}


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.token and rule.token.context and not rule.token.solid])
@pytest.mark.parametrize("line_break", ["\n", "\n\n", "\r\n"])
def test_a_line_may_break_between_a_context_and_its_token(rule: Rule, line_break: str) -> None:
    """A webhook's address that broke right before its secret part was given out as it was."""
    before, value, after = re.split("[«»]", rule.masks[0])
    text = f"{before}{line_break}{value}{after}".encode()
    masked = f"{before}{line_break}[redacted:{rule.name}]{after}".encode()
    assert [redact(parts)[0] for parts in cuts(text, [len(before), len(text) // 2])] == [masked] * 3


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # The first is part of a word, the second is not.
        (b"xATBB-ATBBaBcDeFgHiJkLm\nNoPqRsTuVwXyZ012345aaaaaa .", b"xATBB-[redacted:bitbucket-token] ."),
        # The first is whole at the break, the second goes on behind it.
        (TOKEN[:20] * 2 + b"\nE7710c838347Ae178B4aE7710c838347 .", b"[redacted:gh-token] ."),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_token_is_found_behind_another_that_may_break_at_the_same_place(
    text: bytes, masked: bytes, end: bytes
) -> None:
    """Of candidates that end together a scanner tells the first alone, and that did not open, or ended before."""
    assert [redact(parts)[0] for parts in cuts(text + end, [6, 24, 41])] == [masked + end] * 3


@pytest.mark.parametrize("place", range(1, len("hooks.slack.com/services/")))
@pytest.mark.parametrize("line_break", ["\n", "\n\n", "\r\n"])
def test_a_line_may_break_within_a_context_of_literals(place: int, line_break: str) -> None:
    """A webhook's address that broke before its last slash was given out as it was."""
    context = "hooks.slack.com/services/"
    before = f"at {context[:place]}{line_break}{context[place:]}"
    text = f"{before}T00000000/B00000000/aBcDeFgHiJkLmNoPqRsTuVwX ok\n".encode()
    masked = f"{before}[redacted:slack-webhook] ok\n".encode()
    assert [redact(parts)[0] for parts in cuts(text, [len(before), len(text) // 2])] == [masked] * 3
