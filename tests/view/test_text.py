"""Text that is safe to draw, its cells, and the way back to bytes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes

from capview.tui.text import crop, show, wrap

LONG = "x" * 90
CONTROLS = ["\t", "\x1b[31m", "\x00", "\x7f", "\x85", "\u202e", "\u200b"]
ODD = [*CONTROLS, "é", "e\u0301", "漢字", "👩‍🔧", "❤️", "[red]", "[/", LONG]
TEXTS = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=5)), max_size=12).map("".join)
BYTES = st.one_of(TEXTS.map(lambda t: t.encode("utf-8", "ignore")), st.binary(max_size=40))


@given(BYTES)
def test_what_is_drawn_holds_no_control_character_and_no_override(data: bytes) -> None:
    text = show(data).text
    text.encode()
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0x202A <= ord(c) <= 0x202E for c in text)


@given(BYTES)
@example(b"\t\xc3\xa9\t\xff")
def test_a_character_leads_back_to_its_byte(data: bytes) -> None:
    shown = show(data)
    bytes_of = [shown.byte_of(index) for index in range(len(shown.text) + 1)]
    assert bytes_of == sorted(bytes_of)
    assert bytes_of[-1] == len(data)
    for index, byte in enumerate(bytes_of[:-1]):
        assert shown.byte_of(shown.index_of(byte)) == byte
        assert shown.index_of(byte) <= index


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\tb", "a       b"),
        ("漢\tb".encode(), "漢      b"),
        (b"\x1b[31mred", "␛[31mred"),
        (b"\xff\xfe", "\\xff\\xfe"),
        ("\u202eabc".encode(), "\\u202eabc"),
        (b"", ""),
    ],
)
def test_pictures(data: bytes, text: str) -> None:
    assert show(data).text == text


@given(BYTES, st.integers(2, 30))
def test_wrapped_lines_add_up_and_fit(data: bytes, width: int) -> None:
    text = show(data).text
    starts = wrap(text, width)
    lines = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert "".join(lines) == text
    assert all(cell_len(line) <= width for line in lines)


def drawn(text: str) -> str:
    """Without what has no cells of its own; a crop may keep or leave it."""
    return "".join(c for c in text if cell_len(c))


@given(BYTES, st.integers(0, 60), st.integers(1, 30))
def test_a_crop_is_the_graphemes_that_lie_within(data: bytes, left: int, width: int) -> None:
    text = show(data).text
    cell, expected = 0, ""
    for start, end, cells in split_graphemes(text)[0]:
        if cells and cell >= left and cell + cells <= left + width:
            expected += text[start:end]
        cell += cells
    first, last, at = crop(text, left, width)
    assert drawn(text[first:last]) == drawn(expected)
    assert left <= at <= left + 1
