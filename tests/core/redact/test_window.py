"""Places in a text with breaks and without: the same wherever the mark is, and whatever is given out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.sanitising import HARMLESS_BYTES
from capture_core.redact.window import Place, Window, breaks_in

texts = st.lists(st.sampled_from([b"a", b"bc", b"defghij", b"\n", b"\r\n", b"\n\n\n"]), max_size=12).map(b"".join)


def offsets(text: bytes) -> list[int]:
    return [index for index, byte in enumerate(text) if byte not in b"\r\n"]


@given(text=texts, data=st.data())
def test_hiding_begins_behind_the_last_break_among_the_first_characters(text: bytes, data: st.DataObject) -> None:
    where = offsets(text)
    window = Window()
    window.append(text, len(where))
    given_out = data.draw(st.integers(0, len(where)), label="characters given out")
    if given_out:
        window.mark = Place(given_out, where[given_out - 1] + 1)
        assert window.take(window.mark.offset) == text[: window.mark.offset]
        window.forget()
    for start in range(max(0, given_out - HARMLESS_BYTES), len(where)):
        place = window.hiding(start)
        begins = [
            index
            for index in range(start + 1, min(start + HARMLESS_BYTES, len(where) - 1) + 1)
            if where[index] > where[index - 1] + 1
        ]
        begin = max(begins, default=start)
        trailing = len(where) - start <= HARMLESS_BYTES and text.endswith((b"\n", b"\r"))
        if trailing:
            assert place == Place(len(where), len(text))
        elif begin >= given_out:
            assert place == Place(begin, where[begin])
        else:
            assert place.joined < given_out
        for end in range(max(begin, given_out) + 1, len(where) + 1):
            if not trailing:
                assert window.behind(place, end) == Place(end, where[end - 1] + 1)


@given(text=texts, unfinished=st.integers(0, 20))
def test_the_end_of_a_text_is_held_as_if_all_had_been(text: bytes, unfinished: int) -> None:
    where = offsets(text)
    window = Window()
    passed = window.passed(text, len(where), unfinished)
    assert passed + window.held() == text
    assert len(window.held()) - breaks_in(window.held()) == min(unfinished, len(where))
    assert window.is_empty() == (window.held() == b"")
    assert not window.held().startswith((b"\n", b"\r"))
