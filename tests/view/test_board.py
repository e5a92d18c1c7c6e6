"""The board: order, what ended while it looked, rates; without a disk or a screen."""

from __future__ import annotations

from dataclasses import replace

from capture_core.facts import (
    CaptureFacts,
    CaptureState,
    Liveness,
    ProcessFacts,
    ProcessState,
    Producer,
    Receipt,
    RepresentationFacts,
    StreamFacts,
    TimeFacts,
)
from capture_core.source import Address, Change, ChangeKind, Changes, Entry, Listing, StreamStatus, Unreadable
from capview.tui.board import Board

RUNNING = ProcessFacts(state=ProcessState.RUNNING)
NOW = 1_796_040_000.0


def entry(name: str, *, minute: int = 0, over: bool = False, committed: int = 0, ended: str | None = None) -> Entry:
    receipt = Receipt(
        capture_id=name,
        tool="shell",
        ref=f"tool-outputs/shell/{name}",
        conversation="c",
        producer=Producer(adapter="test", version="0", source="pipe"),
        host="h",
        boot_id=None,
        process=RUNNING,
        capture=CaptureFacts(state=CaptureState.PENDING),
        representation=RepresentationFacts(),
        streams={"stdout": StreamFacts(file="f")},
        times=TimeFacts(started=f"2026-11-30T12:{minute:02}:00Z", ended=ended),
    )
    return Entry(
        address=Address("c", receipt.ref),
        receipt=receipt,
        liveness=Liveness.FINAL if over else Liveness.LIVE,
        process=receipt.process,
        capture=receipt.capture,
        streams=(StreamStatus(name="stdout", committed=committed, modified=None),),
    )


def changed(*entries: Entry, kind: ChangeKind = ChangeKind.UPDATED) -> Changes:
    return Changes(changes=tuple(Change(kind=kind, address=e.address, entry=e) for e in entries), watching=True)


def names(board: Board) -> list[str]:
    return [e.receipt.capture_id for e in board.snapshot(NOW).entries]


def test_newest_first_whatever_the_order_of_changes() -> None:
    board = Board(NOW)
    board.load(Listing(entries=(entry("b", minute=2), entry("a", minute=1))), NOW)
    board.apply(changed(entry("d", minute=4), entry("c", minute=3)), NOW)
    assert names(board) == ["d", "c", "b", "a"]


def test_entries_are_the_same_tuple_when_nothing_changed() -> None:
    board = Board(NOW)
    board.load(Listing(entries=(entry("a"),)), NOW)
    assert board.snapshot(NOW).entries is board.snapshot(NOW + 1).entries
    before = board.snapshot(NOW).entries
    board.apply(changed(entry("a", committed=1)), NOW)
    assert board.snapshot(NOW).entries is not before


def test_an_end_is_told_once_and_old_ends_never() -> None:
    board = Board(NOW)
    assert board.load(Listing(entries=(entry("old", over=True, ended="2026-11-30T11:00:00Z"), entry("a"))), NOW) == ()
    assert [e.receipt.capture_id for e in board.apply(changed(entry("a", over=True)), NOW)] == ["a"]
    assert board.apply(changed(entry("a", over=True)), NOW) == ()


def test_what_ended_between_the_first_look_and_the_listing_is_told() -> None:
    board = Board(NOW)
    late = entry("late", over=True, ended="2026-11-30T12:00:01Z")
    assert board.load(Listing(entries=(late,)), NOW) == (late,)
    assert board.apply(changed(late), NOW) == ()


def test_removed_and_unreadable() -> None:
    board = Board(NOW)
    board.load(Listing(entries=(entry("a"), entry("b", minute=1))), NOW)
    gone = Change(kind=ChangeKind.REMOVED, address=entry("a").address, entry=None)
    bad = Unreadable(address=entry("b").address, words="not JSON")
    broken = replace(gone, address=bad.address, unreadable=bad)
    board.apply(Changes(changes=(gone, broken), watching=False), NOW)
    snapshot = board.snapshot(NOW)
    assert snapshot.entries == ()
    assert snapshot.unreadable == (bad,)
    assert snapshot.watching is False


def test_rates_are_of_the_last_seconds() -> None:
    board = Board(NOW)
    board.load(Listing(entries=(entry("a"),)), NOW)
    address = entry("a").address
    assert board.snapshot(NOW).rates[address] == 0
    board.apply(changed(entry("a", committed=4000)), NOW + 2)
    assert board.snapshot(NOW + 2).rates[address] == 2000
    assert board.snapshot(NOW + 20).rates[address] == 0
    board.apply(changed(entry("a", committed=4000, over=True)), NOW + 21)
    assert address not in board.snapshot(NOW + 21).rates
