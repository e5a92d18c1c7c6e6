"""UTF-8 in any cuts is what Python's own decoder makes of it, and every raw byte is accounted for."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from capture_core.decode import REPLACEMENT, Decoder, weight
from tests.cuts import pieces, places, three_ways

# Pieces of characters more often than random bytes would have them.
raws = st.lists(
    st.one_of(
        st.sampled_from([b"a", b"\n", "é".encode(), "€".encode(), "😀".encode(), REPLACEMENT]),
        st.sampled_from([b"\xc2", b"\xe2\x82", b"\xe0", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xf4\x90", b"\xc0\x80"]),
        st.binary(max_size=3),
    ),
    max_size=12,
).map(b"".join)


def decode(parts: list[bytes], *, eof: bool = True) -> tuple[bytes, Decoder]:
    decoder, fed, text = Decoder(), 0, b""
    for part in parts:
        text += decoder.feed(part)
        fed += len(part)
        assert fed == decoder.accepted + decoder.held + weight(text)
    text += decoder.finish(eof=eof)
    assert decoder.held == 0
    assert fed == decoder.accepted + decoder.discarded + weight(text)
    return text, decoder


@given(raws, places)
def test_any_cuts_give_what_one_decode_gives(raw: bytes, at: list[int]) -> None:
    for parts in three_ways(raw, at):
        text, decoder = decode(parts)
        assert text == raw.decode(errors="replace").encode()
        assert decoder.discarded == 0


def may_become_a_character(cut: bytes) -> bool:
    for count in (1, 2, 3):
        for rest in product(b"\x80\x90\xa0", repeat=count):
            with suppress(UnicodeDecodeError):
                if len((cut + bytes(rest)).decode()) == 1:
                    return True
    return False


def test_held_is_exactly_the_unfinished_character() -> None:
    # Every border of the Unicode Standard's table 3-7, and what lies beyond each.
    borders = b"\x7f\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5"
    for ends in (bytes(end) for count in (1, 2, 3) for end in product(borders, repeat=count)):
        decoder = Decoder()
        decoder.feed(b"text " + ends)
        unfinished = [length for length in (1, 2, 3) if length <= len(ends) and may_become_a_character(ends[-length:])]
        assert unfinished == ([decoder.held] if decoder.held else [])


@given(raws, places)
def test_a_character_that_a_kill_cut_is_discarded(raw: bytes, at: list[int]) -> None:
    text, decoder = decode(pieces(raw, at), eof=False)
    whole = raw[: len(raw) - decoder.discarded]
    assert text == whole.decode(errors="replace").encode()
    assert decoder.discarded <= 3


@given(raws, places)
def test_replaced_counts_the_raw_bytes_that_were_not_utf8(raw: bytes, at: list[int]) -> None:
    valid = len(raw.decode(errors="ignore").encode())
    assert {decode(parts)[1].replaced for parts in three_ways(raw, at)} == {len(raw) - valid}


def test_plain_ascii_passes_as_the_same_object() -> None:
    block = b"[ 12%] Building C object\n" * 100
    assert Decoder().feed(block) is block


def test_a_character_cut_by_the_end_is_shown() -> None:
    decoder = Decoder()
    assert decoder.feed(b"caf\xc3") + decoder.finish(eof=True) == "caf�".encode()
    assert (decoder.accepted, decoder.replaced) == (1, 1)
