"""Code-point edges compared with Python's own decoder, and cursors that never skip or repeat a byte."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capture_core.cursor import Cursor, advance, ceil_edge, floor_edge
from capture_core.source import Page


@given(st.text(max_size=12), st.integers(min_value=0, max_value=60))
def test_edges_of_text_are_those_of_its_code_points(text: str, at: int) -> None:
    data = text.encode("utf-8", "surrogatepass").replace(b"\xed", b"")
    data = data.decode("utf-8", "ignore").encode()
    edges = [len(data.decode()[:n].encode()) for n in range(len(data.decode()) + 1)]
    at = min(at, len(data))
    assert floor_edge(data, at) == max(edge for edge in edges if edge <= at)
    assert ceil_edge(data, at) == min(edge for edge in edges if edge >= at)


@given(st.binary(max_size=12), st.integers(min_value=0, max_value=12))
def test_edges_of_anything_move_by_less_than_a_code_point(data: bytes, at: int) -> None:
    at = min(at, len(data))
    assert at - 3 <= floor_edge(data, at) <= at <= ceil_edge(data, at) <= min(at + 3, len(data))


def test_stray_continuation_bytes_have_edges_everywhere() -> None:
    data = b"a" + b"\x80" * 8
    assert [floor_edge(data, at) for at in range(len(data))] == list(range(len(data)))


def page(start: int, data: bytes, generation: int = 1) -> Page:
    return Page(start=start, end=start + len(data), data=data, committed=100, generation=generation)


def test_a_cursor_moves_on_by_what_was_taken_and_never_back() -> None:
    cursor = advance(Cursor(), page(0, b"abc"))
    assert cursor == Cursor(offset=3)
    assert advance(cursor, page(3, b"")) == cursor
    assert advance(cursor, page(0, b"a")) == cursor


def test_replaced_bytes_start_the_cursor_anew() -> None:
    assert advance(Cursor(offset=50), page(50, b"xyz", generation=2)) == Cursor(generation=2, offset=0)
