"""What SGR does to a style, and where in a text each style begins: as a terminal read character by character says."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capture_core.limits.sanitising import REMEMBERED_EFFECTS, SGR_BYTES
from capture_core.strip import Stripper
from capture_core.styles import EFFECTS, PLAIN, Attribute, Colour, ColourKind, Look, Underline, after, pack, unpack
from tests.core.terminal_reading import selected, shown
from tests.cuts import places, three_ways

numbers = st.sampled_from(
    ["", "0", "1", "01", "2", "4", "5", "21", "22", "24", "31", "38", "48", "58", "39", "97", "103"]
)
codes = numbers | st.sampled_from(
    ["38;5;200", "48;2;1;2;3", "4:3", "38:2::9:8:7", "48:2:9:8:7", "38:5:1", "999", "256"]
)
parameters = st.lists(codes | st.integers(0, 120).map(str), max_size=6).flatmap(
    lambda parts: st.sampled_from([";".join(parts), ":".join(parts)])
)
sequences = st.builds("\x1b[{}m".format, parameters)
colours = st.builds(Colour, st.sampled_from([*ColourKind][1:]), st.integers(0, 2**24 - 1)) | st.just(Colour())
looks = st.builds(
    Look,
    attributes=st.integers(0, 511).map(Attribute),
    underline=st.sampled_from(Underline),
    foreground=colours,
    background=colours,
)
characters = st.sampled_from([*"\x1b[]PXk31;:mmc!p\x07\x18\x00\b\b__aa\n\r\x9b\x9d\x9c漢"])
texts = st.lists(
    characters | sequences | st.sampled_from(["\x1bc", "\x1b[!p", "\x1b[K", "\x9b1m", "\x1b]0;t\x07", "a\ba", "_\ba"]),
    max_size=25,
).map("".join)


@given(looks)
def test_a_style_is_64_bits_and_comes_back(look: Look) -> None:
    assert 0 <= pack(look) < 2**64
    assert unpack(pack(look)) == look


def test_the_plain_style_is_0() -> None:
    assert pack(Look()) == PLAIN == 0


@given(st.integers(0, 2**64 - 1))
def test_any_64_bits_can_be_unpacked(style: int) -> None:
    unpack(style)


@given(looks, parameters)
def test_parameters_do_what_they_are_said_to_do(look: Look, given_parameters: str) -> None:
    assert unpack(after(pack(look), f"[{given_parameters}m".encode())) == selected(look, given_parameters)


@pytest.mark.parametrize(
    ("sequence", "look"),
    [
        ("[1;31m", Look(Attribute.BOLD, foreground=Colour(ColourKind.SIXTEEN, 1))),
        ("[38:2::1:2:3m", Look(foreground=Colour(ColourKind.RGB, 0x010203))),
        ("[38:2:1:2:3m", Look(foreground=Colour(ColourKind.RGB, 0x010203))),
        ("[48;2;1;2;3;2m", Look(Attribute.FAINT, background=Colour(ColourKind.RGB, 0x010203))),
        ("[38;5;200;4:3m", Look(underline=Underline.CURLY, foreground=Colour(ColourKind.PALETTE, 200))),
        ("[97;107m", Look(foreground=Colour(ColourKind.SIXTEEN, 15), background=Colour(ColourKind.SIXTEEN, 15))),
        ("[58;5;1;3m", Look(Attribute.ITALIC)),
        ("[58:2::1:1:1;3m", Look(Attribute.ITALIC)),
        ("[38;2;300;0;0;1m", Look(Attribute.BOLD)),
        ("[38;5m", Look()),
        ("[4:9m", Look()),
        ("[73;1m", Look(Attribute.BOLD)),
        ("[?1m", Look()),
        ("[>4;1m", Look()),
        ("[1 m", Look()),
        ("[1K", Look()),
        ("[1m\x1b[4m", Look(Attribute.BOLD, Underline.SINGLE)),
        ("[1m\x1bc", Look()),
        ("[1m\x1b[!p", Look()),
        ("[" + "1;" * SGR_BYTES + "m", Look()),
    ],
)
def test_what_sequences_select(sequence: str, look: Look) -> None:
    assert unpack(after(PLAIN, sequence.encode())) == look


def test_what_is_remembered_is_bounded() -> None:
    for number in range(3 * REMEMBERED_EFFECTS):
        assert unpack(after(PLAIN, b"[38;2;0;%d;%dm" % divmod(number, 256))).foreground.value == number
    assert len(EFFECTS) <= REMEMBERED_EFFECTS


def styled(parts: list[str]) -> tuple[str, list[Look]]:
    """The text that a stripper gives out, and the look of each of its bytes."""
    stripper, text, styles = Stripper(), b"", dict[int, int]()
    for part in parts:
        text += stripper.feed(part.encode())
        new = stripper.take_styles()
        assert not styles or all(at >= max(styles) for at, _ in new)
        styles |= dict(new)
    text += stripper.finish()
    styles |= dict(stripper.take_styles())
    assert list(styles) == sorted(styles)
    looks, style = [], PLAIN
    for at in range(len(text)):
        style = styles.get(at, style)
        looks.append(unpack(style))
    return text.decode(), looks


@given(texts, places)
@example("_\x1b[1m\b\x1b[2ma", [])
@example("_\x1b[1m\b_\x1b[2m\bx_\x1b[3m", [3])
@example("a\x1b[1m\ba\x1b[3\x001mb\x9b4\x07mc\x1b[0", [])
def test_every_character_has_the_style_that_a_terminal_gives_it(text: str, at: list[int]) -> None:
    expected = shown(text)
    for parts in three_ways(text, at):
        got, looks = styled(parts)
        assert got == "".join(one.character for one in expected)
        assert looks == [one.look for one in expected for _ in one.character.encode()]


def test_overlong_parameters_change_nothing_however_they_are_cut() -> None:
    text = f"a\x1b[{'0' * SGR_BYTES}1mb\x1b[{'0' * (SGR_BYTES - 1)}1mc"
    for parts in three_ways(text, [5, 100, 140, 300]):
        assert styled(parts) == ("abc", [Look(), Look(), Look(Attribute.BOLD)])
