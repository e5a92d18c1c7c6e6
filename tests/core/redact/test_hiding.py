"""Known values through the whole sanitiser: masked by name, with the rules, whatever interrupts them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.redact.heads import PlainScanners
from capture_core.redact.hiding import Hiding
from capture_core.redact.known import KnownValues, from_environment, from_file, together
from capture_core.redact.redactor import OMITTED
from capture_core.sanitise import Sanitiser, sanitised
from tests.cuts import places, three_ways

PENDING_BYTES = 65536
VALUE = "x9!Kq/é漢-0rW+z\N{REPLACEMENT CHARACTER}Lm"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
KNOWN = together(
    from_environment({b"A_TOKEN": VALUE.encode(), b"B_TOKEN": TOKEN.encode()}),
    from_file("f", b"first-line-of\nsecond-line-of"),
)
interruptions = [b"", b"\n", b"\r\n", b"\r", b"\x1b[31m", b"\x1b]0;t\x07", b"\x00", b"\b", b"\xc2\x9b1m"]


def sanitiser(hiding: Hiding | None = None) -> Sanitiser:
    return Sanitiser(pending_bytes=PENDING_BYTES, veils=(hiding or Hiding(KNOWN)).veils)


@given(
    value=st.sampled_from([VALUE, TOKEN, "first-line-of", "second-line-of", base64.b64encode(VALUE.encode()).decode()]),
    at=st.lists(st.tuples(st.integers(1, 50), st.sampled_from(interruptions)), max_size=4),
    cuts=places,
    eof=st.booleans(),
)
def test_no_run_of_a_value_passes_whatever_interrupts_it(
    value: str, at: list[tuple[int, bytes]], cuts: list[int], *, eof: bool
) -> None:
    characters = [character.encode() for character in value]
    for place, interruption in at:
        # Between two that are one, a backspace strikes the first over.
        if interruption == b"\b" and characters[place - 1 : place] == characters[place : place + 1]:
            continue
        characters.insert(min(place, len(characters) - 1), interruption)
    raw = b"> " + b"".join(characters) + b" <\n"
    texts = set()
    for parts in three_ways(raw, cuts):
        one, text, fed = sanitiser(), b"", 0
        for part in parts:
            text += one.feed(part)
            fed += len(part)
            assert fed == one.accepted + one.held + one.discarded
        text += one.finish(eof=eof)
        assert fed == one.accepted + one.discarded
        assert sum(one.counts().redactions.values()) == 1
        texts.add(text)
    [text] = texts
    shown = text.decode().translate(dict.fromkeys(map(ord, "\r\n")))
    assert not any(value[start : start + 6] in shown for start in range(len(value) - 5))


fragments = st.sampled_from(
    [
        *(VALUE.encode(), VALUE.encode()[:9], TOKEN.encode(), TOKEN.encode()[:20], b"first-line-of", b"second-line-of"),
        *(b"PASSWORD=", b'token = "', b"\n", b"\r\n", b" ", b'"', b"\x1b[0m", b"\xff", b"ghp_", b"x9!", b"_\b_"),
    ]
)


@given(raw=st.lists(fragments, max_size=10).map(b"".join), cuts=places, eof=st.booleans())
def test_values_and_rules_together_give_one_text_for_any_cuts(raw: bytes, cuts: list[int], *, eof: bool) -> None:
    results = set()
    for parts in three_ways(raw, cuts):
        one = sanitiser()
        text = b"".join(map(one.feed, parts)) + one.finish(eof=eof)
        assert len(raw) == one.accepted + one.discarded
        results.add((text.decode(), one.accepted, repr(sorted(one.counts().redactions.items()))))
    assert len(results) == 1


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (f"a {VALUE} b", "a [redacted:env] b"),
        (f"PASSWORD={VALUE}.", "PASSWORD=[redacted:assignment]"),
        (f"a {TOKEN} b", "a [redacted:env] b"),
        ("> first-line-of\n> second-line-of\n", "> [redacted:mask-file]\n> [redacted:mask-file]\n"),
        ("first-line-of second-line-of", "[redacted:mask-file]"),
        (VALUE + VALUE, "[redacted:env][redacted:env]"),
    ],
)
def test_a_value_is_masked_by_its_origin(raw: str, text: str) -> None:
    assert sanitised(raw.encode(), pending_bytes=PENDING_BYTES, veils=Hiding(KNOWN).veils).decode() == text


@pytest.mark.parametrize("eof", [True, False])
def test_a_token_within_a_token_that_goes_on_over_a_break_is_one_text_for_any_cuts(*, eof: bool) -> None:
    """Of two that may break at one place only the first was known: whether the second was hung on a later CR."""
    raw = f"{TOKEN[:20] * 2}\n{VALUE * 2}\r\n".encode()
    for parts in three_ways(raw, [40, 41, 63]):
        one = sanitiser()
        text = b"".join(map(one.feed, parts)) + one.finish(eof=eof)
        assert text == b"[redacted:gh-token]\n[redacted:env][redacted:env]\r\n"
        assert one.counts().redactions == {"gh-token": 1, "env": 2}


def test_a_value_within_a_broken_token_keeps_its_name_and_both_pieces_around_it_are_masked() -> None:
    raw = f"{TOKEN[:20]}\n{TOKEN[20:]} .\n".encode()
    hiding = Hiding(from_file("f", TOKEN[20:26].encode()))
    for parts in three_ways(raw, [21, 27]):
        one = sanitiser(hiding)
        text = b"".join(map(one.feed, parts)) + one.finish(eof=True)
        assert text == b"[redacted:gh-token]\n[redacted:mask-file][redacted:gh-token] .\n"


def test_a_beginning_is_omitted_with_a_mark_when_more_was_to_come() -> None:
    one = sanitiser()
    assert one.feed(b"> x9!K") + one.finish(eof=False) == b"> " + OMITTED
    assert one.counts().omitted_fragments == 1


def test_text_goes_on_after_an_interruption() -> None:
    one = sanitiser()
    text = one.feed(f"a {VALUE[:9]}".encode()) + one.interrupt(b"[mark]") + one.feed(f" {VALUE}\n".encode())
    assert text + one.finish(eof=True) == b"a [redacted:env][mark] [redacted:env]\n"


def test_no_known_values_cost_no_stage() -> None:
    nothing = Hiding(KnownValues((), ("A_TOKEN",)))
    assert nothing.veils().names == ()
    assert nothing.skipped == ("A_TOKEN",)


@pytest.mark.parametrize(("text", "may"), [(b"x9!Kq", False), (b"aB3dE5", False), (b"a pass-12", True)])
def test_a_short_text_is_judged_without_an_engine(text: bytes, *, may: bool) -> None:
    assert Hiding(from_file("f", b"pass-12")).may_be_in(text) is may


def test_another_engine_can_stand_in() -> None:
    hiding = Hiding(KNOWN, PlainScanners)
    assert sanitised(f"a {VALUE}".encode(), pending_bytes=PENDING_BYTES, veils=hiding.veils) == b"a [redacted:env]"
