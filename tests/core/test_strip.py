"""Terminal control goes, however it is cut; what is left is the text that a terminal would have shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.decode import weight
from capture_core.limits.sanitising import CONTROL_STRING_BYTES
from capture_core.strip import Stripper
from tests.cuts import pieces, places, three_ways

# Whole characters: that is what the decoder hands on.
characters = st.lists(
    st.sampled_from([*"\x1b\x1b[]P_^Xk0;3m(B#\\\x07\x18\x1a\x00\x7f\b\b__aa\r\n\t\x9b\x9d\x9c\x90\x98\x85éÃâ€漢�"]),
    max_size=30,
).map("".join)


def strip(parts: list[str]) -> str:
    stripper, fed, text = Stripper(), 0, b""
    for part in parts:
        text += stripper.feed(part.encode())
        fed += weight(part.encode())
        assert fed == stripper.accepted + stripper.held + weight(text)
    text += stripper.finish() + stripper.release()
    assert stripper.held == 0
    assert fed == stripper.accepted + weight(text)
    return text.decode()


@given(characters, places)
def test_any_cuts_give_one_text(text: str, at: list[int]) -> None:
    assert len({strip(parts) for parts in three_ways(text, at)}) == 1


@given(characters)
def test_no_control_is_left(text: str) -> None:
    assert not [character for character in strip([text]) if not (character.isprintable() or character in "\t\n\r")]


@given(characters)
def test_stripped_text_has_nothing_to_strip(text: str) -> None:
    stripped = strip([text])
    assert strip([stripped]) == stripped


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\x1b[31mred\x1b[0m \x1b[1;38;2;1;2;3mtrue\x1b[m", "red true"),
        ("\x1b[38:2::1:2:3mcolons\x1b[?25l\x1b[>4;1m\x1b[!p\x1b[0 q\x1b[2$}", "colons"),
        ("\x1b[3\x001mNUL and BEL inside\x1b[4\x07m", "NUL and BEL inside"),
        ("given up\x1b[31\nby newline", "given up\nby newline"),
        ("given up\x1b[31é by a letter", "given upé by a letter"),
        ("cancelled\x1b[31\x18mby CAN", "cancelledmby CAN"),
        ("restarted\x1b[3\x1b[1mby ESC", "restartedby ESC"),
        ("\x1b]0;title\x07BEL \x1b]8;;http://x\x1b\\ST\x1b]8;;\x1b\\ \x1b]2;é\x9cC1", "BEL ST C1"),
        ("\x1b]52;c;bmV2ZXIgZW5kcw==", ""),
        ("\x1bPq#0;2;0;0;0\x1b\\DCS \x1bXsos\x1b\\SOS \x1b^pm\x1b\\PM \x1b_Gf=100;AAAA\x1b\\APC", "DCS SOS PM APC"),
        ("\x1bPBEL is data\x07in a DCS\x1b\\.", "."),
        ("\x1bPtmux;\x1b\x1b]0;title\x07\x1b\\passed through", "passed through"),
        ("\x1b]0;two\nlines\x07kept together", "kept together"),
        ("\x1bPdcs\x1aSUB \x1bPdcs\x18CAN \x1b]0;title\x1aSUB \x1b]0;title\x18CAN", "SUB CAN SUB CAN"),
        ("\x1bktitle of screen\x1b\\$ \x1bknever ended\n$ ", "$ \n$ "),
        ("\x1b(B\x1b)0\x1b%G\x1b#8\x1b F\x1bc\x1b7\x1b8\x1b=\x1bMescapes", "escapes"),
        ("\x9b31m8 bit\x9d0;title\x9c\x90q\x9c\x84\x85\x8d", "8 bit"),
        ("nul\x00bel\x07del\x7fvt\vff\fso\x0esi\x0f", "nulbeldelvtffsosi"),
        ("50%\r100%\r\n\tkept", "50%\r100%\r\n\tkept"),
        ("b\bbo\bol\bld\bd", "bold"),
        ("_\bu_\bn_\bd_\be_\br", "under"),
        ("_\bb\bb_\b_", "b_"),
        ("é\bé漢\b漢", "é漢"),
        ("|\b/\b-\b\\", "|/-\\"),
        ("a\b\ba", "aa"),
        ("a\x1b[1m\ba", "a"),
        ("gh\x1b[1mp\x00_\b_ab", "ghp_ab"),
    ],
)
def test_what_a_terminal_would_show(raw: str, text: str) -> None:
    assert strip([raw]) == strip(list(raw)) == text


def test_doubly_encoded_text_keeps_all_but_its_controls() -> None:
    text = "error: unknown type name ‘foo’, not “Û”; ÀÐÝ\n"
    twice = text.encode().decode("latin-1")
    kept = "".join(character for character in twice if not 0x80 <= ord(character) < 0xA0)
    assert strip([twice]) == strip(list(twice)) == kept


@pytest.mark.parametrize("letter", ["é", "ß", "Ã", "â\x80", "â€", "ð\x80\x80", "漢"])
@pytest.mark.parametrize(
    "control",
    [
        *("\x9b1m", "\x9bT", "\x9b1;2 q", "\x9d0;title\x07", "\x9d0;two words\x9c", "\x9d0;t\x1b\\", "\x9d0;ß\x9c"),
        *("\x90q#0\x9c", "\x98s\x9c", "\x9ep\x1b\\", "\x9fGf=100;AA\x07A\x9c", "\x9f\x18", "\x90q\x1a", "\x98s\x85"),
    ],
)
def test_an_8_bit_control_behind_a_letter_is_none_of_its_bytes(letter: str, control: str) -> None:
    """A password with a styled letter in it was not masked."""
    shown = "".join(character for character in letter if not 0x80 <= ord(character) < 0xA0)
    raw = f"a{letter}{control}b\n"
    assert {strip(parts) for parts in three_ways(raw, [3, 5])} == {f"a{shown}b\n"}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Ã\x9bT, Ã\x9b.", "Ã, Ã"),
        ("â\x80\x9d and on\n", "â and on\n"),
        ("â€\x9d is not â€œbâ€\x9d\n", "â€ is not â€œbâ€\n"),
        ("â\x80\x9d is not \x1b[1mso\x1b[m\n", "â is not so\n"),
        ("Ð\x9eÐµ\x07Ñ\x82\n", "ÐÐµÑ\n"),
        ("ð\x9f\xa0\x98 and ð\x9f\x98\x9d on\n", "ð\xa0 and ð on\n"),
        ("the end: â\x80\x98foo", "the end: âfoo"),
        ("the end: â\x80\x98f\x1b", "the end: âf"),
        ("the end_â\x80\x98foo_", "the end_âfoo_"),
    ],
)
def test_of_doubly_encoded_text_little_is_lost_that_could_be_control(raw: str, text: str) -> None:
    assert {strip(parts) for parts in three_ways(raw, [7, 9])} == {text}


def test_text_that_might_be_a_string_passes_when_its_line_ends() -> None:
    stripper = Stripper()
    assert stripper.feed("a Ã\x9dlong".encode()) == "a Ã".encode()
    assert stripper.feed(b" line") == b""
    assert stripper.held == len(b"long line")
    assert stripper.feed(b"\n") == b"long line\n"


@pytest.mark.parametrize(("more", "text"), [(0, "Ã\n."), (-1, "Ã" + "x" * (CONTROL_STRING_BYTES - 1) + "\n.")])
def test_what_might_be_a_string_is_one_when_it_is_longer_than_any_text(more: int, text: str) -> None:
    raw = "Ã\x9d" + "x" * (CONTROL_STRING_BYTES + more) + "\n."
    assert {strip(pieces(raw, at)) for at in ([], [9], [2, 70, 65530, 65537, 65538])} == {text}
    assert strip(list(raw)) == text


def test_an_8_bit_string_ends_with_the_line() -> None:
    assert strip(["a\x9d0;never ended\nnext line\n"]) == "a\nnext line\n"


@pytest.mark.parametrize("introducer", ["\x1b]0;", "\x1bP"])
def test_a_string_that_never_ends_swallows_no_more_than_its_limit_and_a_line(introducer: str) -> None:
    line = "x" * 99 + "\n"
    lost = CONTROL_STRING_BYTES // len(line) + 1
    text = introducer + line * (lost + 10)
    end = strip([text])
    assert end.count("\n") in {10, 11}
    assert end == strip(pieces(text, [7, CONTROL_STRING_BYTES, CONTROL_STRING_BYTES + 50])) == strip(list(text))


@pytest.mark.parametrize("start", ["\x1b]", "\x1bP", "\x1b[", "\x1b("])
def test_a_sequence_that_never_ends_is_not_kept(start: str) -> None:
    stripper = Stripper()
    block = b"!" * 65_536 if start == "\x1b(" else b"1" * 65_536
    assert stripper.feed(start.encode()) == b""
    for _ in range(20):
        assert stripper.feed(block) == b""
        assert stripper.held == 0
    assert stripper.accepted == len(start) + 20 * len(block)


def test_an_underscore_waits_for_what_may_strike_over_it() -> None:
    stripper = Stripper()
    assert stripper.feed(b"name_") == b"name"
    assert stripper.held == 1
    assert stripper.feed(b"\b") == b""
    assert stripper.feed(b"x") == b"x"
    assert stripper.feed(b"_") + stripper.finish() == b"_"
