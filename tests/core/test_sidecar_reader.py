"""Sidecars read by range: as all of them would say, of files that grow, are missing, or are none of ours."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core import sidecar_reader
from capture_core.catalog import Catalogue
from capture_core.errors import ReceiptError, StreamGone
from capture_core.facts import SidecarFacts, SidecarKind, SidecarState
from capture_core.local import LocalSource
from capture_core.receipt import encode as encode_receipt
from capture_core.receipt_decode import decode as decode_receipt
from capture_core.sidecar import Mark, encode
from capture_core.sidecar_reader import SidecarReader
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from pathlib import Path


def put(owner: Owner, marks: list[tuple[int, int]], kind: SidecarKind = SidecarKind.SGR, more: bytes = b"") -> Path:
    path = owner.folder / f"{owner.id}.stdout.{kind}"
    path.write_bytes(encode(marks) + more)
    return path


def reader(conversation: Path, owner: Owner, kind: SidecarKind = SidecarKind.SGR) -> SidecarReader:
    return SidecarReader(str(conversation), owner.receipt, "stdout", kind)


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conversation")


@given(
    st.lists(st.integers(0, 60), unique=True).map(sorted),
    st.integers(0, 70),
    st.integers(0, 70),
    st.binary(max_size=15),
)
def test_a_range_says_what_the_whole_says(
    conversation: Path, offsets: list[int], start: int, end: int, more: bytes
) -> None:
    owner = Owner(conversation)
    marks = [Mark(offset, 100 + offset) for offset in offsets]
    put(owner, [*marks], more=more)
    with reader(conversation, owner) as opened:
        answer = opened.marks(start, end)
        holding = opened.at(start)
    owner.release()
    holds = [mark for mark in marks if mark.offset <= start][-1:]
    within = [mark for mark in marks if start < mark.offset < end]
    assert list(answer.marks) == [mark for mark in holds if mark.offset < end] + within
    assert (answer.start, answer.end) == (start, max(start, end))
    assert holding == (holds[0] if holds else None)


def test_more_than_is_given_at_once_is_read_on_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidecar_reader, "SIDECAR_RANGE_RECORDS", 3)
    owner = Owner(tmp_path)
    marks = [(10 * number, number) for number in range(8)]
    put(owner, marks)
    at, found, turns = 5, dict[int, int](), 0
    with reader(tmp_path, owner) as opened:
        while at < 100:
            answer = opened.marks(at, 100)
            found |= dict(answer.marks)
            at, turns = answer.end, turns + 1
    assert found == dict(marks)
    assert turns == 3


def test_a_sidecar_may_grow_while_it_is_open(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    path = put(owner, [(0, 1)])
    with reader(tmp_path, owner) as opened:
        assert opened.marks(0, 9).marks == ((0, 1),)
        with path.open("ab") as file:
            file.write(encode([(5, 2)]))
        assert opened.marks(0, 9).marks == ((0, 1), (5, 2))


def test_the_place_of_a_time_is_found(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    put(owner, [(0, 1000), (7, 2000), (9, 3000)], SidecarKind.TIMES)
    with reader(tmp_path, owner, SidecarKind.TIMES) as opened:
        assert [opened.first_at(value) for value in (0, 1000, 1001, 2500, 3001)] == [0, 0, 7, 9, None]


def test_what_is_missing_or_not_a_file_says_nothing(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    with reader(tmp_path, owner) as opened:
        assert opened.marks(0, 9).marks == ()
        assert opened.first_at(0) is None
    secret = tmp_path / "secret"
    secret.write_bytes(encode([(0, 1)]))
    (owner.folder / f"{owner.id}.stdout.sgr").symlink_to(secret)
    os.mkfifo(owner.folder / f"{owner.id}.stdout.times")
    for kind in SidecarKind:
        with reader(tmp_path, owner, kind) as opened:
            assert opened.marks(0, 9).marks == ()


def test_a_stream_that_is_not_the_captures_is_refused_before_a_path_is_made_of_it(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    with pytest.raises(StreamGone):
        SidecarReader(str(tmp_path), owner.receipt, "../../stdout", SidecarKind.SGR)


def test_a_receipt_that_names_another_file_as_sidecar_is_refused(tmp_path: Path) -> None:
    owner = Owner(tmp_path)

    def named(file: str | None) -> bytes:
        facts = SidecarFacts(file=file, state=SidecarState.WHOLE, retained=16, records=1)
        stdout = replace(owner.receipt.streams["stdout"], sidecars={"sgr": facts, "later": facts})
        return encode_receipt(replace(owner.receipt, streams={**owner.receipt.streams, "stdout": stdout}))

    own = f"{owner.id}.stdout.sgr"
    for file in (own, None):
        receipt = decode_receipt(named(file), tool="shell", capture=owner.id)
        assert receipt.streams["stdout"].sidecars["sgr"].file == file
    for file in ("/etc/passwd", f"{owner.id}.stdout.times", f"{owner.id}.stderr.sgr"):
        with pytest.raises(ReceiptError, match="as the sgr of its stream"):
            decode_receipt(named(file), tool="shell", capture=owner.id)


async def test_a_source_gives_what_a_sidecar_says(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"plain red\n")
    put(owner, [(6, 1)])
    source = LocalSource([str(tmp_path)])
    [entry] = (await source.list()).entries
    for stream in ("stdout", "stderr"):
        answer = await source.marks(entry.address, stream, SidecarKind.SGR, 0, 10)
        assert answer.marks == (((6, 1),) if stream == "stdout" else ())
    with pytest.raises(StreamGone):
        await source.marks(entry.address, "output", SidecarKind.SGR, 0, 10)
    await source.aclose()


def test_a_sidecar_is_no_stream_and_no_capture(tmp_path: Path) -> None:
    owner, lost = finished(tmp_path), Owner(tmp_path)
    put(owner, [(0, 1)])
    put(owner, [(0, 1)], SidecarKind.TIMES)
    put(lost, [(0, 1)])
    lost.release()
    for path in lost.folder.glob(f"{lost.id}.*"):
        if path.suffix != ".sgr":
            path.unlink()
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    listing = catalogue.listing()
    assert [entry.receipt.capture_id for entry in listing.entries] == [owner.id]
    assert [status.name for status in listing.entries[0].streams] == ["stdout", "stderr"]
    assert listing.unreadable == ()
