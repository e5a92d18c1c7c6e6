"""One stream's file: counters that stand alone, cuts at exact boundaries, previews of what was kept."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
from typing import TYPE_CHECKING, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.budget import Budget
from capture_core.cutting import cut_before
from capture_core.directory import open_own
from capture_core.durable import NewFile
from capture_core.facts import CaptureReason, CaptureState
from capture_core.handoff import ReaderCounts
from capture_core.limits import Limits
from capture_core.limits.capturing import WRITE_BEHIND_BYTES
from capture_core.marks import Marks
from capture_core.sanitise import Counts
from capture_core.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class MakeSpool(Protocol):
    def __call__(self, size: int = ...) -> Spool: ...


class Holding:
    """A stage that holds what follows the last space, and omits what it holds at an end without EOF."""

    def __init__(self) -> None:
        self._kept = b""
        self.held = 0
        self.accepted = 0
        self.discarded = 0

    def counts(self) -> Counts:
        return Counts()

    def take_styles(self) -> Marks:
        return Marks()

    def feed(self, raw: bytes) -> bytes:
        text, space, kept = (self._kept + raw).rpartition(b" ")
        self._kept, self.held = kept, len(kept)
        self.accepted += len(text + space)
        return text + space

    def finish(self, *, eof: bool) -> bytes:
        kept, self._kept, self.held = self._kept, b"", 0
        if eof:
            self.accepted += len(kept)
            return kept
        self.discarded += len(kept)
        return b""


@pytest.fixture
def make_spool(tmp_path: Path) -> Iterator[MakeSpool]:
    directory, _ = open_own(str(tmp_path))
    files: list[NewFile] = []

    def make(size: int = 10**6) -> Spool:
        files.append(NewFile(directory, directory, "scratch"))
        return Spool("stdout", "x.stdout.live", files[-1], Budget(size), Limits(tail_text_bytes=8), Holding)

    yield make
    for file in files:
        file.discard()
    directory.close()


def content(spool: Spool) -> bytes:
    return os.pread(spool.file.fd, 10**6, 0)


def test_each_of_the_four_counters_can_be_non_zero_at_once(make_spool: MakeSpool) -> None:
    spool = make_spool(size=6)
    spool.feed(b"abc def ghi")  # 8 made, 6 kept, 2 uncommitted, 3 held
    spool.feed(b"j klm no")  # after the cut: 9 decided and discarded, 2 held
    facts = spool.facts(ReaderCounts(observed=11 + 8 + 5 + 4, queued=5, refused=4))
    assert (facts.observed, facts.accepted, facts.pending, facts.discarded) == (28, 8, 5 + 2, 9 + 4)
    assert facts.observed == (facts.accepted or 0) + (facts.pending or 0) + (facts.discarded or 0)
    assert (facts.retained, facts.uncommitted, content(spool)) == (6, 2, b"abc de")
    assert (facts.state, facts.reason) == (CaptureState.PENDING, CaptureReason.QUOTA)


@given(pieces=st.lists(st.binary(max_size=9), max_size=12), size=st.integers(0, 60), eof=st.booleans())
def test_observed_is_accepted_pending_and_discarded_after_every_step(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], size: int, *, eof: bool
) -> None:
    directory, _ = open_own(str(tmp_path_factory.mktemp("spool")))
    file = NewFile(directory, directory, "scratch")
    spool = Spool("stdout", "x", file, Budget(size), Limits(), Holding)
    fed = 0
    facts = spool.facts(ReaderCounts())
    for piece in [*pieces, None]:
        if piece is None:
            spool.finish(eof=eof)
        else:
            spool.feed(piece)
            fed += len(piece)
        facts = spool.facts(ReaderCounts(observed=fed))
        assert None not in (facts.accepted, facts.pending, facts.discarded, facts.retained)
        assert fed == (facts.accepted or 0) + (facts.pending or 0) + (facts.discarded or 0)
        assert facts.retained == len(content(spool)) <= size
    assert facts.pending == 0
    assert (facts.state is CaptureState.COMPLETE) == (eof and facts.uncommitted == 0 and facts.discarded == 0)
    file.discard()
    directory.close()


def test_a_cut_keeps_the_last_text_apart_from_the_retained_range(make_spool: MakeSpool) -> None:
    spool = make_spool(size=4)
    spool.feed(b"one two three four ")
    spool.finish(eof=True)
    preview = spool.preview(100)
    assert content(spool) == b"one "
    assert preview.tail_text == "ee four "
    assert (preview.head.end, preview.tail) == (4, None)


def test_the_end_without_eof_is_a_drain_timeout(make_spool: MakeSpool) -> None:
    spool = make_spool()
    spool.feed(b"all of it ")
    spool.finish(eof=False)
    facts = spool.facts(ReaderCounts(observed=10))
    assert (facts.state, facts.reason, facts.eof) == (CaptureState.PARTIAL, CaptureReason.DRAIN_TIMEOUT, False)


@pytest.mark.parametrize(
    ("text", "size", "cut"),
    [
        (b"plain", 3, 3),
        ("aé".encode(), 2, 1),
        ("a€b".encode(), 3, 1),
        (b"x [redacted:token] y", 10, 2),
        (b"x [redacted:token] y", 18, 18),
        (b"x [redacted:token] y", 19, 19),
        (b"x [redacted: no mark", 10, 10),
        (b"whole", 5, 5),
        (b"none", 0, 0),
    ],
)
def test_a_cut_lies_between_characters_and_never_in_a_marker(text: bytes, size: int, cut: int) -> None:
    assert cut_before(text, size) == cut


def test_a_file_size_limit_cuts_at_what_was_written(make_spool: MakeSpool) -> None:
    """A short write comes first, then the error; the boundary is a whole code point."""
    spool = make_spool()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5, hard))
    try:
        spool.feed("abcdé more ".encode())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    facts = spool.facts(ReaderCounts(observed=12))
    assert (facts.retained, facts.end, facts.reason) == (4, 4, CaptureReason.WRITE_ERROR)
    assert (facts.accepted, facts.uncommitted) == (12, 8)


@pytest.mark.parametrize("size", [16, WRITE_BEHIND_BYTES])
@pytest.mark.parametrize("limit", [40, WRITE_BEHIND_BYTES * 2 + 5])
def test_counters_say_the_same_of_blocks_that_are_under_way(make_spool: MakeSpool, size: int, limit: int) -> None:
    spool, block = make_spool(limit), b"0123456789abcde " * (size // 16)
    for _ in range(4):
        spool.feed(block)
    fed, kept = 4 * len(block), min(4 * len(block), limit)
    facts = spool.facts(ReaderCounts(observed=fed))
    assert (facts.retained, facts.uncommitted) == (kept, (facts.accepted or 0) - kept)
    assert facts.discarded == fed - (facts.accepted or 0)
    assert content(spool) == (block * 4)[:kept]
    assert spool.reason is (CaptureReason.QUOTA if kept < fed else None)
    spool.finish(eof=True)
    spool.seal()
    assert spool.facts(ReaderCounts(observed=fed)).sha256 == hashlib.sha256((block * 4)[:kept]).hexdigest()


@given(st.text(max_size=60), st.integers(0, 60))
def test_a_preview_shows_whole_characters_and_counts_what_it_omits(
    tmp_path_factory: pytest.TempPathFactory, text: str, chars: int
) -> None:
    directory, _ = open_own(str(tmp_path_factory.mktemp("spool")))
    file = NewFile(directory, directory, "scratch")
    spool = Spool("stdout", "x", file, Budget(10**6), Limits(), Holding)
    data = text.encode("utf-8", "ignore")
    spool.feed(data)
    spool.finish(eof=True)
    preview = spool.preview(chars)
    ranges = [preview.head, *([preview.tail] if preview.tail else [])]
    shown = b"".join(data[part.start : part.end] for part in ranges)
    assert len(shown.decode()) <= max(chars, len(text) if preview.tail is None else 0)
    assert len(shown.decode()) == min(chars, len(data.decode()))
    assert (preview.returned_bytes, preview.omitted_bytes) == (len(shown), len(data) - len(shown))
    file.discard()
    directory.close()


CHANGES: dict[str, Callable[[int], object]] = {
    "emptied": lambda fd: os.ftruncate(fd, 0),
    "shorter": lambda fd: os.ftruncate(fd, 3),
    "longer": lambda fd: os.pwrite(fd, b"FOREIGN", os.fstat(fd).st_size),
}


@pytest.mark.parametrize("size", [10, WRITE_BEHIND_BYTES])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_somebody_changes_meanwhile_is_not_called_complete(
    make_spool: MakeSpool, change: str, size: int
) -> None:
    """A log was emptied while it was written, filled up with NULs, and called complete with a digest to prove it."""
    spool, block = make_spool(), b"a" * (size - 1) + b" "
    spool.feed(block)
    spool.complete()
    CHANGES[change](spool.file.fd)
    left = os.fstat(spool.file.fd).st_size
    spool.feed(b"more ")
    spool.finish(eof=True)
    spool.seal()
    facts = spool.facts(ReaderCounts(observed=size + 5))
    assert (facts.state, facts.reason, facts.end) == (CaptureState.PARTIAL, CaptureReason.DAMAGED, size)
    assert (facts.sha256, facts.uncommitted) == (hashlib.sha256(block).hexdigest(), 5)
    assert os.fstat(spool.file.fd).st_size == left, "what somebody did is left to be looked at"


def test_a_file_that_is_longer_at_the_end_is_not_called_complete(make_spool: MakeSpool) -> None:
    spool = make_spool()
    spool.feed(b"all of it ")
    spool.finish(eof=True)
    os.pwrite(spool.file.fd, b"FOREIGN", 10)
    spool.seal()
    facts = spool.facts(ReaderCounts(observed=10))
    assert (facts.state, facts.reason, facts.retained) == (CaptureState.PARTIAL, CaptureReason.DAMAGED, 10)


def test_the_digest_is_of_what_was_written_not_of_what_somebody_put_there(make_spool: MakeSpool) -> None:
    spool = make_spool()
    spool.feed(b"all of it ")
    os.pwrite(spool.file.fd, b"XXX", 0)
    spool.finish(eof=True)
    spool.seal()
    assert spool.facts(ReaderCounts(observed=10)).sha256 == hashlib.sha256(b"all of it ").hexdigest()
