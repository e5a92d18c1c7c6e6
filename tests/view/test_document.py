"""Pages, line numbers and what happens when the file grows, shrinks or is replaced, on a real file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capview.pager.document import Document
from capview.pager.pages import Miss, Pages, Replaced
from capview.pager.rows import Cuts
from tests.view.naive import SMALL, naive_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.source import Page
    from capview.pager.pages import Reading
    from capview.pager.rows import Row, Rows
    from tests.view.files import File


async def texts(document: Document) -> list[bytes]:
    rows = document.rows()
    found, at = [], 0
    while at < document.length:
        row = await document.pages.run(rows.row(at))
        found.append(row.data)
        at = row.next
    return found


async def test_a_growing_file_is_read_on_from_where_it_ended(file: File) -> None:
    document = Document(file.fetch)
    whole = b""
    for part in (b"one\ntw", b"o\n", b"three"):
        whole += part
        document.take(file.append(part))
        assert await texts(document) == [row.data for row in naive_rows(whole, Cuts())]
    assert file.asked == len(whole)


async def test_a_reading_goes_on_at_once_where_pages_are_cached_and_waits_where_not(file: File) -> None:
    document = Document(file.fetch, SMALL)
    document.take(file.append(b"".join(b"line %d\n" % n for n in range(20))))
    missed = document.pages.advance(document.rows().row(0))
    assert isinstance(missed, Miss)
    row = await document.pages.finish(missed)
    assert row.data == b"line 0"
    assert document.pages.advance(document.rows().row(0)) == row


async def test_a_block_that_is_counted_while_it_is_read_is_counted_once(file: File) -> None:
    """Line numbers were doubled for good when an append was told between the question for a block and its answer."""
    document: Document

    async def fetch(start: int, end: int) -> Page:
        page = await file.fetch(start, end)
        document.append(page)
        return page

    document = Document(fetch)
    document.take(file.append(b"line\n" * 20))
    await document.index_more()
    assert (document.indexed, document.index.counted, document.index.lines) == (True, 100, 20)


async def test_what_asks_for_page_after_page_is_read_in_fewer_and_larger_steps(file: File) -> None:
    """A line of 300 MB of redraws took seconds: one question to the source for each page of it."""
    redraws = b"".join(b"%4d of 4000\r" % n for n in range(4000))
    end = file.append(redraws + b"done\n")
    ways: tuple[Callable[[Rows], Reading[Row]], ...] = (
        lambda rows: rows.row(0),
        lambda rows: rows.containing(end - 2, exact=True),
    )
    for whole in ways:
        document, asked = Document(file.fetch, SMALL), 0

        async def fetch(start: int, stop: int) -> Page:
            nonlocal asked
            asked += 1
            return await file.fetch(start, stop)

        document.pages._fetch = fetch
        document.take(end)
        row = await document.pages.run(whole(document.rows()))
        assert (row.covers, row.data, row.next, row.redraws) == (0, b"done", end, 4000)
        assert asked < end / SMALL.page / 8
        assert len(document.pages._cached) <= document.pages._capacity


async def test_what_asks_for_pages_here_and_there_is_given_no_more(file: File) -> None:
    document = Document(file.fetch, SMALL)
    document.take(file.append(b"0123456789\n" * 1000))
    for offset in (9000, 100, 5000, 5020, 4970):
        before = file.asked
        await document.pages.run(document.rows().containing(offset))
        assert file.asked - before <= 4 * SMALL.page


async def test_the_cache_is_bounded(file: File) -> None:
    pages = Pages(file.fetch, page_bytes=16, capacity=4)
    pages.extend(file.append(b"x" * 1600))
    for number in range(100):
        assert await pages.load(number) == b"x" * 16
    assert sum(pages.cached(number) is not None for number in range(100)) == 4


async def test_the_trailer_follows_what_is_committed_and_goes_when_more_comes(file: File) -> None:
    document = Document(file.fetch, SMALL)
    document.take(file.append(b"cut he"), b"\n-- cut --\nthe end")
    assert await texts(document) == [b"cut he", b"-- cut --", b"the end"]
    document.take(file.append(b"re\n"))
    assert await texts(document) == [b"cut here"]
    document.take(document.committed, b"-- cut --")
    assert await texts(document) == [b"cut here", b"-- cut --"]


async def test_a_truncated_file_is_noticed_and_read_anew(file: File) -> None:
    document = Document(file.fetch, SMALL)
    document.take(file.append(b"old old old\nold\n"))
    await texts(document)
    file.path.write_bytes(b"new\n")
    with pytest.raises(Replaced) as caught:
        document.take(4)
    document.start_over(caught.value)
    assert await texts(document) == [b"new"]


async def test_a_file_cut_while_it_is_read_is_noticed_too(file: File) -> None:
    document = Document(file.fetch, SMALL)
    document.take(file.append(b"0123456789\n" * 20))
    file.path.write_bytes(b"new\n")
    with pytest.raises(Replaced) as caught:
        await texts(document)
    assert caught.value.committed == 4


async def test_another_generation_is_noticed_though_it_is_longer(file: File) -> None:
    document = Document(file.fetch, SMALL)
    document.take(file.append(b"0123456789\n"))
    await texts(document)
    file.generation = 2
    document.take(file.append(b"0123456789\n" * 9))
    with pytest.raises(Replaced) as caught:
        await texts(document)
    assert caught.value.generation == 2


async def test_bytes_that_came_with_the_length_are_not_read_again(file: File) -> None:
    document = Document(file.fetch, SMALL)
    whole = b""
    for part in (b"one\ntwo", b"\nthree is longer than a page is\n", b"", b"four\n"):
        end = file.append(part)
        document.append(await file.fetch(len(whole), end))
        document.take(end)
        whole += part
        asked = file.asked
        assert await texts(document) == [row.data for row in naive_rows(whole, SMALL)]
        assert file.asked == asked
        assert document.index.counted == len(whole)


async def test_bytes_that_do_not_go_on_where_the_cache_ends_are_left(file: File) -> None:
    document = Document(file.fetch, SMALL)
    end = file.append(b"0123456789\n" * 3)
    document.append(await file.fetch(20, end))
    document.take(end)
    assert await texts(document) == [row.data for row in naive_rows(b"0123456789\n" * 3, SMALL)]


async def test_lines_are_counted_in_order_as_far_as_the_file_goes(file: File) -> None:
    document = Document(file.fetch)
    document.take(file.append(b"a\nb\n" * 800_000))
    steps = 0
    while not document.indexed:
        await document.index_more()
        steps += 1
    assert steps == 4
    assert document.index.newlines == 1_600_000
    assert await document.pages.run(document.start_of(1_600_000)) == 3_199_998
