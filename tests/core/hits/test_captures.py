"""One search over captures: their order, where it goes on, what goes away meanwhile; for hosts, too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation
from capture_core.errors import BadInput, Refused, StreamGone, UnknownRef
from capture_core.find.matcher import Wanted
from capture_core.hits import token
from capture_core.hits.captures import CaptureSearch
from capture_core.limits import MIB
from capture_core.sought import Search
from tests.captures import Owner, entry_of, finished

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.source import Hit


def hits(folder: Path, search: Search, *owners: Owner) -> list[Hit]:
    places = [(str(folder), entry_of(folder, owner)) for owner in owners]
    return [hit for batch in CaptureSearch(search).hits(places) for hit in batch]


def said(found: list[Hit]) -> list[tuple[str, str, int]]:
    return [(hit.address.ref, hit.stream, hit.start) for hit in found]


@pytest.mark.parametrize("backward", [False, True])
def test_a_search_goes_on_behind_each_of_its_hits(tmp_path: Path, backward: bool) -> None:  # noqa: FBT001
    owners = [finished(tmp_path, b"hit\nno\nhit hit\n", b"no\nhit\nhit") for _ in range(2)]
    search = Search(Wanted("hit"), backward=backward)
    whole = hits(tmp_path, search, *owners)
    assert len(whole) == 8
    for number, hit in enumerate(whole, 1):
        word = str(token.after(hit, backward=backward))
        assert hits(tmp_path, search._replace(token=word), *owners) == whole[number:]
        assert hits(tmp_path, search._replace(most=number), *owners) == whole[:number]


def test_a_search_goes_on_in_what_has_grown(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"hit\nhalf a hi")
    [first] = hits(tmp_path, Search(Wanted("hit")), owner)
    owner.append("stdout", b"t\nhit\n")
    owner.finish()
    rest = hits(tmp_path, Search(Wanted("hit"), token=str(token.after(first))), owner)
    assert [(hit.line, hit.start) for hit in rest] == [(2, 11), (3, 15)]


def test_lines_are_numbered_wherever_the_search_begins(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(1, 200_001))
    owner = finished(tmp_path, text)
    places = [text.index(b"line %d\n" % number) for number in (1, 77, 100_000, 200_000)]
    for backward in (False, True):
        search = Search(Wanted("line (1|77|100000|200000)$"), backward=backward)
        found = hits(tmp_path, search, owner)
        assert sorted((hit.line, hit.start) for hit in found) == list(
            zip((1, 77, 100_000, 200_000), places, strict=True)
        )
        assert [hit.line for hit in hits(tmp_path, search._replace(numbered=False), owner)] == [None] * 4
    assert hits(tmp_path, Search(Wanted("line"), start=places[2]), owner)[0].line == 100_000


def test_a_token_of_a_text_that_was_replaced_is_refused(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"hit\n")
    with pytest.raises(Refused, match="was replaced"):
        hits(tmp_path, Search(Wanted("hit"), token=f"{owner.ref}:stdout:2:0"), owner)
    with pytest.raises(Refused, match="not among"):
        hits(tmp_path, Search(Wanted("hit"), token=f"{owner.ref}:stdout:1:0"), finished(tmp_path))


@pytest.mark.parametrize("word", ["", "x", "tool-outputs/a/b:stdout:1:-1", "tool-outputs/a/b:stdout:1:" + "1" * 30])
def test_what_is_no_token_is_refused(word: str) -> None:
    with pytest.raises(BadInput):
        CaptureSearch(Search(Wanted("hit"), token=word))


def test_a_token_reads_as_it_is_written() -> None:
    for conversation in ("", "c", "/a/b:c/d e"):
        place = token.Token(conversation, "tool-outputs/shell/x", "stdout", 1, 5)
        assert token.parse(str(place)) == place


def test_the_lines_around_are_those_of_the_text(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"1\n2\nhit\n4\n5\n\nhit\n" + b"y" * 9_000)
    first, last = hits(tmp_path, Search(Wanted("hit"), before=3, after=2), owner)
    assert [(line.line, line.text) for line in first.before] == [(1, b"1"), (2, b"2")]
    assert [(line.line, line.text) for line in first.after] == [(4, b"4"), (5, b"5")]
    assert [(line.line, line.text) for line in last.before] == [(4, b"4"), (5, b"5"), (6, b"")]
    [long] = last.after
    assert (long.line, len(long.text), long.line_end - long.line_start) == (8, 4096, 9_000)


def test_a_stream_that_is_missing_is_told_and_one_that_goes_away_is_raised(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"hit\n" * MIB, b"hit\n")
    place = str(tmp_path), entry_of(tmp_path, owner)
    batches = CaptureSearch(Search(Wanted("hit"))).hits([place])
    next(batches)
    owner.path("stdout").chmod(0o600)
    os.truncate(owner.path("stdout"), 100)
    with pytest.raises(StreamGone, match="cut to 100 bytes"):
        list(batches)
    owner.path("stdout").unlink()
    told: list[StreamGone] = []
    search = CaptureSearch(Search(Wanted("hit")), missing=told.append)
    assert [hit.stream for batch in search.hits([place]) for hit in batch] == ["stderr"]
    assert len(told) == 1
    assert CaptureSearch(Search(Wanted("hit"))).count(*place) == 1


# -- for hosts ------------------------------------------------------------------------------------------------------


def test_a_host_searches_its_conversation(tmp_path: Path) -> None:
    old, new = finished(tmp_path, b"an Error\n", second=1), finished(tmp_path, b"error\nno\n", second=2)
    conversation = Conversation.open(str(tmp_path))
    assert said(list(conversation.search("error"))) == [(new.ref, "stdout", 0)]
    assert said(list(conversation.search("error", case="ignore"))) == [(new.ref, "stdout", 0), (old.ref, "stdout", 3)]
    assert said(list(conversation.search("rror", [old.ref, new.ref]))) == [
        (old.ref, "stdout", 4),
        (new.ref, "stdout", 1),
    ]
    assert list(conversation.search("error", [])) == []


def test_a_host_is_told_at_once_what_is_of_no_use(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path))
    for options in ({"before": -1}, {"case": "none"}, {"regex": True}, {"most": "3"}):
        with pytest.raises(BadInput):
            conversation.search("x", **options)
    with pytest.raises(Refused):
        conversation.search("(")
    with pytest.raises(UnknownRef):
        list(conversation.search("x", ["tool-outputs/shell/20261130T120000Z-aaaaaaaaaaaaaaaa"]))
