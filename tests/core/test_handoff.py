"""The queue between reader and writer: bounded, counted, and never a wait without an end."""

from __future__ import annotations

import threading

import pytest

from capture_core.handoff import Chunk, Handoff, Quiet, StreamEnd, Wake
from capture_core.limits import Limits
from capture_core.limits.capturing import SIDECAR_TIME_NANOSECONDS

STREAMS = ("stdout", "stderr")


def limits(queue_bytes: int = 1000, stall_seconds: float = 0.05) -> Limits:
    return Limits(queue_bytes=queue_bytes, queue_item_bytes=10, stall_seconds=stall_seconds)


def test_items_come_out_in_order_and_then_the_end() -> None:
    handoff = Handoff(STREAMS, limits())
    assert handoff.offer("stdout", b"one")
    handoff.end("stdout", eof=True)
    handoff.wake()
    handoff.close()
    assert [handoff.take(), handoff.take(), handoff.take(), handoff.take()] == [
        Chunk("stdout", b"one"),
        StreamEnd("stdout", eof=True),
        Wake(),
        None,
    ]


def test_counts_of_each_stream_stand_alone() -> None:
    handoff = Handoff(STREAMS, limits())
    handoff.offer("stdout", b"12345")
    handoff.offer("stderr", b"123")
    handoff.take()
    handoff.refuse("stderr", 7)
    stdout, stderr = handoff.counts("stdout"), handoff.counts("stderr")
    assert (stdout.observed, stdout.queued, stdout.refused) == (5, 0, 0)
    assert (stderr.observed, stderr.queued, stderr.refused) == (10, 3, 7)


def test_what_waits_is_taken_together_as_long_as_nothing_is_lost_by_it() -> None:
    handoff = Handoff(STREAMS, Limits(read_bytes=10))
    moment = SIDECAR_TIME_NANOSECONDS
    for data, arrived in ((b"12345", 0), (b"678", 1), (b"9ab", 2), (b"c", moment + 3), (b"d", 2 * moment + 3)):
        handoff.offer("stdout", data, arrived)
    handoff.offer("stderr", b"other", 2 * moment + 4)
    handoff.offer("stdout", b"e", 2 * moment + 5)
    handoff.close()
    taken = list(iter(handoff.take, None))
    assert taken == [
        Chunk("stdout", b"12345678", 0),
        Chunk("stdout", b"9ab", 2),
        Chunk("stdout", b"c", moment + 3),
        Chunk("stdout", b"d", 2 * moment + 3),
        Chunk("stderr", b"other", 2 * moment + 4),
        Chunk("stdout", b"e", 2 * moment + 5),
    ]
    assert handoff.counts("stdout").queued == 0
    assert handoff.is_idle


def test_a_wait_for_the_disk_in_two_threads_is_one_wait() -> None:
    handoff = Handoff(STREAMS, limits(queue_bytes=100, stall_seconds=0.01))
    handoff.offer("stdout", b"x" * 95)
    with handoff.at_disk():
        with handoff.at_disk():
            pass
        assert not handoff.offer("stdout", b"y" * 5), "the first of them is still at the disk"
    assert handoff.stalled


def test_a_disk_that_does_not_move_stops_the_hand_off_for_good() -> None:
    handoff = Handoff(STREAMS, limits(queue_bytes=100))
    assert handoff.offer("stdout", b"x" * 95)
    with handoff.at_disk():
        assert not handoff.offer("stdout", b"y" * 5)
    assert handoff.stalled
    handoff.take()
    assert not handoff.offer("stdout", b"z"), "once bytes are missing, later ones must not follow as if none were"
    assert handoff.counts("stdout").refused == 6


def test_a_writer_that_moves_is_waited_for() -> None:
    handoff = Handoff(STREAMS, limits(queue_bytes=100, stall_seconds=30))
    handoff.offer("stdout", b"x" * 95)
    taken: list[object] = []
    waits = threading.Thread(target=lambda: taken.append(handoff.offer("stdout", b"more")))
    waits.start()
    handoff.take()
    waits.join()
    assert taken == [True]
    assert not handoff.stalled


def test_single_bytes_are_charged_for_their_place_in_the_queue() -> None:
    """A million one-byte reads must not fill memory while their bytes alone stay under the bound."""
    handoff = Handoff(STREAMS, limits(queue_bytes=1000))
    with handoff.at_disk():
        accepted = sum(handoff.offer("stdout", b"x") for _ in range(1000))
    assert accepted < 1000 // 10 + 1


def test_a_writer_that_thinks_for_longer_than_a_disk_may_take_is_waited_for() -> None:
    """A command that printed many secrets lost output: masking them took longer than a stall."""
    handoff = Handoff(STREAMS, limits(queue_bytes=100, stall_seconds=0.001))
    handoff.offer("stdout", b"x" * 95)
    taken: list[object] = []
    waits = threading.Thread(target=lambda: taken.append(handoff.offer("stdout", b"more")))
    waits.start()
    waits.join(0.05)  # many times what a disk may take
    assert waits.is_alive()
    handoff.take()
    waits.join()
    assert taken == [True]


def test_a_writer_that_never_comes_back_does_not_hold_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capture_core.handoff.THINKING_SECONDS", 0.01)
    handoff = Handoff(STREAMS, limits(queue_bytes=100, stall_seconds=30))
    assert handoff.offer("stdout", b"x" * 95)
    assert not handoff.offer("stdout", b"y" * 5)
    assert handoff.stalled


def test_a_disk_that_stops_while_a_writer_is_waited_for_is_noticed() -> None:
    handoff = Handoff(STREAMS, limits(queue_bytes=100, stall_seconds=0.01))
    handoff.offer("stdout", b"x" * 95)
    taken: list[object] = []
    waits = threading.Thread(target=lambda: taken.append(handoff.offer("stdout", b"more")))
    waits.start()
    with handoff.at_disk():
        waits.join()
    assert taken == [False]
    assert handoff.stalled


def test_take_wakes_after_its_timeout() -> None:
    assert Handoff(STREAMS, limits()).take(0.001) == Quiet()


@pytest.mark.parametrize("size", [1, 64, 4096])
def test_everything_offered_is_taken(size: int) -> None:
    handoff = Handoff(STREAMS, Limits(queue_bytes=8192))
    data = bytes(range(256)) * 256
    taken: list[bytes] = []

    def take_all() -> None:
        while (item := handoff.take()) is not None:
            assert isinstance(item, Chunk)
            taken.append(item.data)

    taker = threading.Thread(target=take_all)
    taker.start()
    for at in range(0, len(data), size):
        assert handoff.offer("stdout", data[at : at + size])
    handoff.close()
    taker.join()
    assert b"".join(taken) == data
