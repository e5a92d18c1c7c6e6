"""When text arrived: as the sidecar says, unknown where it says nothing, at the end when the command ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.arrivals import Arrivals
from capture_core.clock import moment
from capture_core.errors import StreamGone
from capture_core.facts import SidecarFacts, SidecarState
from capture_core.sidecar import encode
from tests.captures import Owner, entry_of, finished

if TYPE_CHECKING:
    from pathlib import Path

MARKS = [(0, 1_000), (10, 2_000), (20, 3_000)]


def put(owner: Owner, marks: list[tuple[int, int]]) -> None:
    (owner.folder / f"{owner.id}.stdout.times").write_bytes(encode(marks))


def opened(conversation: Path, owner: Owner, end: int = 25) -> Arrivals:
    return Arrivals(str(conversation), entry_of(conversation, owner), "stdout", end)


def test_each_byte_arrived_with_the_last_record_before_it(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"x" * 25)
    put(owner, MARKS)
    with opened(tmp_path, owner) as arrivals:
        assert [arrivals.at(offset) for offset in (0, 9, 10, 19, 20, 24)] == [1_000, 1_000, 2_000, 2_000, 3_000, 3_000]
        ended = moment("2026-11-30T12:00:02.5Z")
        assert ended is not None
        assert arrivals.at(25) == int(ended * 1e9)


def test_without_records_nothing_is_known(tmp_path: Path) -> None:
    with opened(tmp_path, finished(tmp_path, b"x" * 25)) as arrivals:
        assert [arrivals.at(offset) for offset in (0, 24, 25)] == [None, None, None]
        assert not arrivals.any


def test_a_full_sidecar_says_nothing_from_its_end_on(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    put(owner, MARKS[:2])
    full = SidecarFacts(file=None, state=SidecarState.FULL, retained=32, records=2, end=20)
    stdout = replace(owner.receipt.streams["stdout"], sidecars={"times": full})
    owner.announce(replace(owner.receipt, streams={**owner.receipt.streams, "stdout": stdout}))
    owner.append("stdout", b"x" * 25)
    with opened(tmp_path, owner) as arrivals:
        assert [arrivals.at(offset) for offset in (0, 19, 20, 24)] == [1_000, 2_000, None, None]
        assert arrivals.known_to == 20
    owner.release()


def test_of_a_growing_text_the_end_is_where_it_is_now(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"x" * 25)
    put(owner, MARKS)
    with opened(tmp_path, owner) as arrivals:
        assert arrivals.at(25) == 3_000
    owner.release()


def test_a_stream_that_is_not_there(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    with pytest.raises(StreamGone):
        Arrivals(str(tmp_path), entry_of(tmp_path, owner), "content", 0)
