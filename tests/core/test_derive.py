"""What a reader concludes: where text ends that a killed writer left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capture_core.derive import torn


@given(text=st.text(max_size=4), last=st.characters(exclude_categories=["Cs"]), data=st.data())
def test_a_code_point_that_is_cut_is_torn_and_no_other(text: str, last: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(last.encode())))
    tail = (text + last).encode()[: len(text.encode()) + size]
    assert torn(tail) == (0 if size == len(last.encode()) else size)
    assert torn(tail[-3:]) == torn(tail)


@given(st.binary(max_size=6))
def test_any_bytes_lose_at_most_three(tail: bytes) -> None:
    assert 0 <= torn(tail) <= min(3, len(tail))


def test_a_byte_that_begins_no_code_point_is_not_the_beginning_of_one() -> None:
    assert [torn(bytes((byte,))) for byte in (0xC3, 0xF4, 0xF5, 0xFF)] == [1, 1, 0, 0]
