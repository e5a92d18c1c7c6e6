"""Both ends of a text, for any cuts, never within a character and never twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capture_core.preview import Excerpt, Preview, Tail

blocks = st.lists(st.text(alphabet="ab\n é€😀", max_size=30), max_size=12)
sizes = st.integers(min_value=0, max_value=25)


def preview(parts: list[str], head: int, tail: int) -> Excerpt:
    kept = Preview(head_chars=head, tail_chars=tail)
    for part in parts:
        kept.feed(part.encode())
    return kept.finish()


@given(blocks, sizes, sizes)
def test_head_and_tail_are_characters_of_the_whole_text(parts: list[str], head: int, tail: int) -> None:
    text = "".join(parts)
    excerpt = preview(parts, head, tail)
    last = text[head:][-tail:] if tail else ""
    assert (excerpt.head.decode(), excerpt.tail.decode()) == (text[:head], last)
    assert excerpt.length == len(text.encode())
    assert excerpt.omitted == len(text.encode()) - len(text[:head].encode()) - len(last.encode())


@given(blocks, sizes)
def test_the_last_bytes_are_whole_characters(parts: list[str], size: int) -> None:
    tail = Tail(size)
    for part in parts:
        tail.feed(part.encode())
    text = "".join(parts).encode()
    assert tail.finish() == text[max(0, len(text) - size) :].decode(errors="ignore").encode()


def test_what_is_kept_does_not_grow() -> None:
    tail = Tail(1000)
    for _ in range(10_000):
        tail.feed(b"small")
    tail.feed(b"x" * 1_000_000)
    assert len(tail._kept) <= 2000
    assert tail.finish() == b"x" * 1000


def test_asked_twice_it_says_the_same_and_goes_on() -> None:
    kept = Preview(head_chars=3, tail_chars=3)
    kept.feed(b"0123456789")
    assert kept.finish() == kept.finish() == Excerpt(head=b"012", tail=b"789", length=10)
    kept.feed(b"ab")
    assert kept.finish() == Excerpt(head=b"012", tail=b"9ab", length=12)
