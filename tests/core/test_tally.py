"""The record that owners count in: its form in bytes, and sums that stay right whatever happens to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.allowance import ALLOWANCE_OWNERS
from capture_core.tally import NOWHERE, RECORD_BYTES, TURNS, TURNS_AT, Slot, Stamp, Tally, decode

KEYS = st.binary(min_size=16, max_size=16).filter(any)
AMOUNTS = st.integers(0, 2**40)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    slots = draw(st.dictionaries(st.integers(0, 40), st.builds(Slot, KEYS, AMOUNTS), max_size=6))
    boot = draw(st.binary(min_size=16, max_size=16))
    stamp = Stamp(boot, *draw(st.tuples(*[st.integers(0, 2**63)] * 3)))
    return tally_of(slots, draw(AMOUNTS), stamp)


def tally_of(slots: dict[int, Slot], others: int, stamp: Stamp = NOWHERE) -> Tally:
    tally = Tally()
    for index, slot in slots.items():
        tally.enter(index, slot)
    tally.recount(others, slots.keys(), stamp, 5)
    return tally


def said(tally: Tally | None) -> object:
    if tally is None:
        return None
    return tally.taken, tally.owners, tally.stamp, tally.counted_ns, dict(tally.slots())


@given(tallies(), st.binary(max_size=100))
def test_what_was_encoded_is_decoded_whatever_stood_there_before(tally: Tally, rest: bytes) -> None:
    found = decode(tally.encode() + rest)
    assert said(found) == said(tally)
    assert found is not None
    assert (found.turns, tally.turns) == (1, 0)
    assert TURNS.unpack_from(tally.encode(), TURNS_AT) == (1,)


@given(tallies(), st.data())
def test_a_changed_byte_makes_it_none(tally: Tally, data: st.DataObject) -> None:
    record = bytearray(tally.encode())
    at = data.draw(st.integers(0, len(record) - 1))
    record[at] ^= data.draw(st.integers(1, 255))
    assert decode(bytes(record)) is None


@given(tallies(), st.data())
def test_a_cut_one_is_none(tally: Tally, data: st.DataObject) -> None:
    record = tally.encode()
    assert decode(record[: data.draw(st.integers(0, len(record) - 1))]) is None


@given(st.binary(max_size=300))
def test_what_is_no_tally_is_none(data: bytes) -> None:
    assert decode(data) is None
    assert decode(bytes(4096)) is None


def test_the_largest_one_has_its_size() -> None:
    tally = tally_of({slot: Slot(b"k" * 16, 1) for slot in range(ALLOWANCE_OWNERS)}, 0)
    record = tally.encode()
    assert len(record) == RECORD_BYTES
    assert said(decode(record)) == said(tally)
    assert tally.free_slot() == ALLOWANCE_OWNERS


def test_sums() -> None:
    tally = tally_of({0: Slot(b"a" * 16, 0), 3: Slot(b"b" * 16, 30)}, 70)
    tally.add(0, 50)
    assert (tally.taken, tally.slot(0)) == (150, (b"a" * 16, 50))
    tally.settle(0, 20)
    assert (tally.taken, tally.owners, dict(tally.slots())) == (120, 1, {3: (b"b" * 16, 30)})
    tally.recount(7, {3}, Stamp(b"c" * 16, 1, 2, 3), 9)
    assert (tally.taken, tally.stamp.boot, tally.counted_ns) == (37, b"c" * 16, 9)
    tally.recount(7, set(), tally.stamp, 9)
    assert (tally.taken, tally.owners, dict(tally.slots())) == (7, 0, {})


@given(st.sets(st.integers(0, 12)), st.integers(-1, 14))
def test_free_slots_are_found(taken: set[int], after: int) -> None:
    # An amount that looks free where slots do not begin.
    tally = tally_of({index: Slot(bytes(15) + b"k", 0) for index in taken}, 0)
    assert tally.free_slot(after) == next(index for index in range(after + 1, 99) if index not in taken)


@pytest.mark.parametrize("index", [-1, 0, 1, 7])
def test_a_free_slot_cannot_be_settled(index: int) -> None:
    tally = tally_of({2: Slot(b"k" * 16, 0)}, 0)
    assert tally.slot(index) is None
    with pytest.raises(LookupError):
        tally.settle(index, 0)
