"""The record in which the owners of a conversation count what it keeps: its arithmetic, and its form in bytes.  Pure.

Little-endian: magic, CRC-32 of all that follows, number of slots and how many of them are taken, turns that there were,
boot, place, bytes taken, moment of the last count; then the slots: bytes that one owner has taken, and the random part
of its capture's id, or nothing.  A slot's number is that of the lock by which its owner's life is proved.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from capture_core.limits.allowance import ALLOWANCE_OWNERS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

FOLDER: Final = "allowance"
FILE: Final = "tally"
"""Where the record stands: ``.capview/allowance/tally``."""

MAGIC: Final = b"cvtally1"
BOOT_BYTES: Final = 16

_HEAD: Final = struct.Struct("<8sI")
_BODY: Final = struct.Struct("<IIQ16sQQQQQ")
_SLOT: Final = struct.Struct("<Q16s")
_FREE: Final = bytes(_SLOT.size)
_START: Final = _HEAD.size + _BODY.size

RECORD_BYTES: Final = _START + ALLOWANCE_OWNERS * _SLOT.size
"""No record is longer."""

TURNS_AT: Final = _HEAD.size + 8
TURNS: Final = struct.Struct("<Q")
"""Where the number of turns stands, for those who wait and want to see that it goes on."""


class Slot(NamedTuple):
    """What one owner has taken, written or not; ``key`` is the random part of its capture's id."""

    key: bytes
    amount: int


class Stamp(NamedTuple):
    """What must not have changed since the files were counted: the boot, and the folder of all outputs."""

    boot: bytes
    device: int
    inode: int
    modified_ns: int


NOWHERE: Final = Stamp(bytes(BOOT_BYTES), 0, 0, 0)


class Tally:
    """What a conversation's captures take: those that are over by their files, the others by what they reserved.

    What an owner does at each step costs the same for any number of owners.
    """

    __slots__ = ("_slots", "counted_ns", "owners", "stamp", "taken", "turns")

    def __init__(self) -> None:
        self.taken = 0
        """Bytes of all captures together: those in slots are among them."""
        self.owners = 0
        """How many slots are taken."""
        self.turns = 0
        """How many records there were before this one."""
        self.stamp = NOWHERE
        self.counted_ns = 0
        """When the files were last counted, on the clock that runs since boot."""
        self._slots = bytearray()

    def slot(self, index: int) -> Slot | None:
        """Who has a slot, and how much."""
        if not 0 <= index < len(self._slots) // _SLOT.size:
            return None
        amount, key = _SLOT.unpack_from(self._slots, index * _SLOT.size)
        return Slot(key, amount) if any(key) else None

    def slots(self) -> Iterator[tuple[int, Slot]]:
        """All slots that are taken."""
        for index, (amount, key) in enumerate(_SLOT.iter_unpack(bytes(self._slots))):
            if any(key):
                yield index, Slot(key, amount)

    def free_slot(self, after: int = -1) -> int:
        """The first free slot after this one, perhaps a new one; beyond the last that there may be: there is none."""
        at = (after + 1) * _SLOT.size
        while (at := self._slots.find(_FREE, at)) >= 0 and at % _SLOT.size:
            at += _SLOT.size - at % _SLOT.size
        return at // _SLOT.size if at >= 0 else max(after + 1, len(self._slots) // _SLOT.size)

    def enter(self, index: int, slot: Slot) -> None:
        """Put an owner into a free slot, with what it has taken before it was lost from here: that is counted anew."""
        missing = (index + 1) * _SLOT.size - len(self._slots)
        self._slots += bytes(max(0, missing))
        self._put(index, slot)
        self.owners += 1

    def add(self, index: int, size: int) -> None:
        """Let the owner of a slot take ``size`` bytes more."""
        slot = self._owner(index)
        self._put(index, Slot(slot.key, slot.amount + size))
        self.taken += size

    def settle(self, index: int, kept: int) -> None:
        """The owner of a slot is done, and its files have ``kept`` bytes."""
        self.taken += kept - self._owner(index).amount
        self._leave(index)

    def recount(self, kept: int, live: Container[int], stamp: Stamp, now_ns: int) -> None:
        """Begin anew from what the files of all captures but those in ``live`` slots have; free the other slots."""
        for index, _ in self.slots():
            if index not in live:
                self._leave(index)
        self.taken = kept + sum(slot.amount for _, slot in self.slots())
        self.stamp = stamp
        self.counted_ns = now_ns

    def encode(self) -> bytes:
        """The record of the next turn."""
        count, stamp = len(self._slots) // _SLOT.size, self.stamp
        place = (stamp.boot, stamp.device, stamp.inode, stamp.modified_ns)
        body = _BODY.pack(count, self.owners, (self.turns + 1) % 2**64, *place, self.taken, self.counted_ns)
        rest = body + self._slots
        return _HEAD.pack(MAGIC, zlib.crc32(rest)) + rest

    def _owner(self, index: int) -> Slot:
        slot = self.slot(index)
        if slot is None:
            raise LookupError(f"slot {index} is free")
        return slot

    def _put(self, index: int, slot: Slot) -> None:
        _SLOT.pack_into(self._slots, index * _SLOT.size, slot.amount, slot.key)

    def _leave(self, index: int) -> None:
        self._put(index, Slot(bytes(16), 0))
        self.owners -= 1
        while self._slots.endswith(_FREE):
            del self._slots[-_SLOT.size :]


def decode(data: bytes) -> Tally | None:
    """What a record says; ``None`` when it is none: missing, cut, of another version, or written over."""
    if len(data) < _START:
        return None
    magic, check = _HEAD.unpack_from(data)
    count, owners, turns, *place, taken, counted_ns = _BODY.unpack_from(data, _HEAD.size)
    end = _START + count * _SLOT.size
    if magic != MAGIC or count > ALLOWANCE_OWNERS or len(data) < end:
        return None
    if zlib.crc32(memoryview(data)[_HEAD.size : end]) != check:
        return None
    tally = Tally()
    tally.taken, tally.owners, tally.turns, tally.counted_ns = taken, owners, turns, counted_ns
    tally.stamp = Stamp(*place)
    tally._slots[:] = data[_START:end]  # noqa: SLF001 — its own record
    return tally
