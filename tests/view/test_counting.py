"""Line numbers as a view asks for them: from a shared count, from its own, and from one that was wrong."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.line_index import LineIndex
from capview.pager.counting import newlines_before, start_of
from capview.pager.document import Document
from capview.pager.file_source import FileSource
from capview.pager.pages import Pages, Replaced
from tests.view.readings import read

if TYPE_CHECKING:
    from capture_core.source import LineCount, Page
    from tests.view.files import File


async def unread(start: int, end: int) -> Page:
    raise AssertionError


def pages_of(data: bytes, size: int) -> Pages:
    pages = Pages(unread, page_bytes=size)
    pages.extend(len(data))
    pages.add(0, data)
    return pages


@given(st.binary(max_size=120), st.lists(st.integers(1, 40), min_size=1), st.integers(2, 9))
def test_line_numbers_are_those_of_a_naive_count(data: bytes, cuts: list[int], most: int) -> None:
    data = data.replace(b"\x01", b"\n")
    index, at, pages = LineIndex(16, most=most), 0, pages_of(data, 16)
    while at < len(data):
        size = cuts[at % len(cuts)]
        index.feed(data[at : at + size])
        at = min(at + size, len(data))
        known = [newlines_before(index, pages, o) for o in range(len(data) + 1)]
        assert known == [data[:o].count(b"\n") if o <= at else None for o in range(len(data) + 1)]
    starts = [0, *(n + 1 for n, byte in enumerate(data) if byte == 10)]
    assert [read(data, start_of(index, pages, n + 1), 16) for n in range(len(starts))] == starts
    assert read(data, start_of(index, pages, len(starts) + 1), 16) == len(data)


def test_a_number_is_not_known_while_a_page_before_it_is_not_at_hand() -> None:
    index, pages = LineIndex(16), Pages(unread, page_bytes=16)
    index.feed(b"a\n" * 20)
    pages.extend(40)
    assert [newlines_before(index, pages, offset) for offset in (16, 17, 40)] == [8, None, 20]


def test_another_views_count_may_be_ahead_of_what_this_one_shows() -> None:
    data, index = b"one\ntwo\nthr", LineIndex(16)
    index.feed(data + b"ee\nfour\nfive\n")
    pages = pages_of(data, 16)
    assert [read(data, start_of(index, pages, line), 16) for line in (2, 3, 4, 6)] == [4, 8, len(data), len(data)]


async def test_a_wrong_count_is_found_out_and_made_anew(file: File) -> None:
    document = Document(file.fetch)
    document.take(file.append(b"line\n" * 100))
    document._count.index = LineIndex.restored(  # type: ignore[misc]
        stride=65_536, before=array("Q", [0]), end=500, newlines=77, is_open=True
    )
    assert await document.pages.run(document.start_of(50)) is None
    assert not document.indexed
    await document.index_more()
    assert await document.pages.run(document.start_of(50)) == 245


async def test_a_share_is_taken_when_lines_are_to_be_counted_and_given_back(file: File) -> None:
    end = file.append(b"line\n" * 400_000)
    source = FileSource(str(file.path))
    taken: list[LineCount] = []

    async def lines() -> LineCount:
        taken.append(await source.lines(source.address, "content"))
        return taken[-1]

    document = Document(file.fetch, lines=lines)
    document.take(end)
    assert not taken
    while not document.indexed:
        await document.index_more()
    assert (len(taken), document.index is taken[0].index, document.index.lines) == (1, True, 400_000)
    assert file.asked == 0
    await document.aclose()
    await taken[0].more(end + 1)  # of a file that has no such bytes, which nobody looks for any more
    await source.aclose()


async def test_the_count_of_another_generation_is_no_count_of_this_file(file: File) -> None:
    end = file.append(b"line\n" * 10)
    source = FileSource(str(file.path))
    document = Document(file.fetch, lines=lambda: source.lines(source.address, "content"))
    document.take(end)
    file.generation = 2
    await document.pages.load(0)
    with pytest.raises(Replaced) as caught:
        await document.index_more()
    assert (caught.value.generation, caught.value.committed) == (2, 50)
    await document.aclose()
    await source.aclose()
