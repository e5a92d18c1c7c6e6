"""One capture's part of its conversation's allowance: taken in steps, ahead of the bytes, and given back at its end.

All owners, in all processes and threads, count in one tally: whoever wants to write takes room first, so that they
never retain more together than is allowed.  What a dead owner took is counted anew from the files, by whoever comes
next.  Where there can be no tally, the files are counted before each step: then several owners at once may retain
more than is allowed, by a step each, and the receipt says that it was so.
"""

from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING, Final

from capture_core.errors import CaptureError, Refused
from capture_core.facts import AllowanceFacts, AllowanceState
from capture_core.kept import kept_bytes, key_of
from capture_core.limits import ALLOWANCE_WARN_FROM, LimitFrom
from capture_core.limits.allowance import (
    ALLOWANCE_COUNT_AGAIN_SECONDS,
    ALLOWANCE_FIRST_STEP_BYTES,
    ALLOWANCE_LOCK_SECONDS,
    ALLOWANCE_OWNERS,
    ALLOWANCE_SIDECAR_SHARE,
    ALLOWANCE_STEP_BYTES,
    ALLOWANCE_STEP_SHARE,
)
from capture_core.limits.capturing import SIDECAR_SHARE
from capture_core.record import NamedTuple
from capture_core.shared_tally import HeldUp, SharedTally
from capture_core.sidecar import RECORD_BYTES
from capture_core.tally import NOWHERE, Slot, Tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from capture_core.shared_tally import Place

_NO_SLOT: Final = -1


class Terms(NamedTuple):
    """What a capture may take, in bytes."""

    conversation: int
    """What all captures of the conversation may retain together."""
    capture: int
    """What this one may retain."""
    capture_from: LimitFrom = LimitFrom.DEFAULT


class _Crowded(CaptureError):
    """Every slot has a living owner."""


class Allowance:
    """Used by the thread that writes, alone.  Nothing that goes wrong is raised: it is a fact, and less is given."""

    def __init__(
        self, place: Place, capture: str, terms: Terms, at_disk: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """``place`` is to stay open until :meth:`settle`; nothing is opened before the first byte is asked for."""
        self._place = place
        self._key = key_of(capture)
        self._terms = terms
        self._at_disk = at_disk
        self._shared: SharedTally | None = None
        self._state: AllowanceState | None = None
        self._slot = _NO_SLOT
        self._taken = 0
        self._taken_by_sidecars = 0
        self._share_of_sidecars = 0
        self._spare = 0
        self._spare_of_sidecars = 0
        self._is_short = False
        self._is_settled = False
        self._raised_to: int | None = None
        self._used: int | None = None

    def take_text(self, size: int) -> int:
        """Take room for ``size`` bytes of text, all streams alike; for how many there is room."""
        if size > self._spare:
            self._spare += self._ask(size - self._spare, self._room_for_text)
        fits = min(size, self._spare)
        self._spare -= fits
        return fits

    def take_sidecars(self, size: int) -> int:
        """Take room for ``size`` bytes that describe text: of a share that is kept from the text for them."""
        if size > self._spare_of_sidecars:
            given = self._ask(size - self._spare_of_sidecars, self._room_for_sidecars)
            self._taken_by_sidecars += given
            self._spare_of_sidecars += given
        fits = min(size, self._spare_of_sidecars)
        self._spare_of_sidecars -= fits
        return fits

    def give_back(self, size: int) -> None:
        """Room that was taken for text, and is not used."""
        self._spare += size

    def settle(self, kept: int) -> None:
        """The files are what they will be, ``kept`` bytes: leave it at that.  Once more does nothing."""
        if self._state is not None and not self._is_settled:
            self._is_settled = True
            with self._at_disk():
                self._used = self._count(lambda tally: self._leave(tally, kept))
        self.close()

    def close(self) -> None:
        """Close the tally; whoever comes next counts for us what is not settled."""
        if self._shared is not None:
            self._shared.close()
            self._shared = None

    def facts(self) -> AllowanceFacts | None:
        """What a receipt says of it; ``None`` when nothing was ever asked for."""
        if self._state is None:
            return None
        limit = self._terms.conversation
        return AllowanceFacts(
            state=self._state,
            limit_bytes=limit if self._raised_to is None else self._raised_to,
            used_bytes=self._used,
            raised_from=None if self._raised_to is None else limit,
        )

    def _ask(self, need: int, room_in: Callable[[Tally], int]) -> int:
        """Take at least ``need`` bytes more, if there is room; what was given."""
        with self._at_disk():
            given = self._count(lambda tally: self._give(tally, need, room_in)) or 0
        self._taken += given
        self._is_short = self._is_short or given < need
        return given

    def _give(self, tally: Tally, need: int, room_in: Callable[[Tally], int]) -> int:
        room = room_in(tally)
        if room < need and not self._is_short and self._may_count_again(tally):
            self._recount(tally)
            room = room_in(tally)
        share = room // (ALLOWANCE_STEP_SHARE * tally.owners)
        more = min(ALLOWANCE_STEP_BYTES, share, max(ALLOWANCE_FIRST_STEP_BYTES, self._taken))
        given = max(0, min(room, need + more))
        tally.add(self._slot, given)
        self._used = tally.taken
        return given

    def _leave(self, tally: Tally, kept: int) -> int:
        used = tally.taken - self._taken + kept
        if used >= ALLOWANCE_WARN_FROM * self._terms.conversation and self._may_count_again(tally):
            self._recount(tally)
        tally.settle(self._slot, kept)
        return tally.taken

    def _room_for_text(self, tally: Tally) -> int:
        """What is left, as if the sidecars had taken all that they may: text is cut where it would be without them."""
        return self._limit(tally) - self._share_of_sidecars - (tally.taken - self._taken_by_sidecars)

    def _room_for_sidecars(self, tally: Tally) -> int:
        return min(self._share_of_sidecars - self._taken_by_sidecars, self._limit(tally) - tally.taken)

    def _limit(self, tally: Tally) -> int:
        if self._terms.capture_from is LimitFrom.DEFAULT:
            return self._terms.conversation
        others = tally.taken - self._taken
        return max(self._terms.conversation, others + self._terms.capture + self._share_of_sidecars)

    # -- the tally ------------------------------------------------------------------------------------------

    def _count(self, work: Callable[[Tally], int]) -> int | None:
        """Do ``work`` on the tally, when it is our turn; ``None``: it cannot be."""
        try:
            match self._state:
                case None | AllowanceState.COUNTED:
                    return self._in_turn(work)
                case AllowanceState.SCANNED:
                    return self._scanned(work)
                case AllowanceState.HELD_UP | AllowanceState.CROWDED | AllowanceState.UNCOUNTED:
                    return None
        except HeldUp:
            self._state = AllowanceState.HELD_UP
        except _Crowded:
            self._state = AllowanceState.CROWDED
        except (OSError, Refused):
            return self._without_tally(work)
        return None

    def _without_tally(self, work: Callable[[Tally], int]) -> int | None:
        """No such folder, no locks, no room for it: the files themselves can still be counted, if they can."""
        self.close()
        try:
            return self._scanned(work)
        except OSError:
            self._state = AllowanceState.UNCOUNTED
        return None

    def _in_turn(self, work: Callable[[Tally], int]) -> int:
        if self._shared is None:
            self._shared = SharedTally(self._place)
        with self._shared.turn(ALLOWANCE_LOCK_SECONDS):
            tally = self._shared.read()
            is_in = self._shared.has_claim and tally is not None and tally.slot(self._slot) == (self._key, self._taken)
            if tally is None or not is_in:
                tally = self._join(self._shared, tally or Tally())
            done = work(tally)
            self._shared.write(tally)
        return done

    def _scanned(self, work: Callable[[Tally], int]) -> int:
        self._slot = 0
        kept = kept_bytes(self._place.outputs.fd, {self._key})
        tally = Tally()
        tally.enter(0, Slot(self._key, self._taken))
        tally.recount(kept, {0}, NOWHERE, monotonic_ns())
        self._begin(tally, AllowanceState.SCANNED)
        return work(tally)

    def _join(self, shared: SharedTally, tally: Tally) -> Tally:
        """Take a slot: at first, or again after somebody lost the tally while we wrote."""
        if self._slot != _NO_SLOT:
            shared.drop(self._slot)
        if self._taken or tally.stamp != shared.stamp() or shared.has_dead(tally):
            shared.count_anew(tally)
        self._slot = _claimed(shared, tally)
        tally.enter(self._slot, Slot(self._key, self._taken))
        if self._taken:
            shared.count_anew(tally, self._slot)
        self._begin(tally, AllowanceState.COUNTED)
        return tally

    def _begin(self, tally: Tally, state: AllowanceState) -> None:
        if self._state is None:
            left = self._terms.conversation - (tally.taken - self._taken)
            self._share_of_sidecars = self._sidecars_of(left)
            limit = self._limit(tally)
            self._raised_to = limit if limit > self._terms.conversation else None
        self._state = state

    def _sidecars_of(self, left: int) -> int:
        share = self._terms.capture // SIDECAR_SHARE
        if self._terms.capture_from is LimitFrom.DEFAULT:
            share = min(share, max(0, left) // ALLOWANCE_SIDECAR_SHARE)
        return share // RECORD_BYTES * RECORD_BYTES

    def _recount(self, tally: Tally) -> None:
        if self._shared is not None:
            self._shared.count_anew(tally, self._slot)

    def _may_count_again(self, tally: Tally) -> bool:
        return monotonic_ns() - tally.counted_ns > ALLOWANCE_COUNT_AGAIN_SECONDS * 1e9


def _claimed(shared: SharedTally, tally: Tally) -> int:
    """A slot that is free, and held by nobody that the tally has lost."""
    slot = tally.free_slot()
    while slot < ALLOWANCE_OWNERS:
        if shared.claim(slot):
            return slot
        slot = tally.free_slot(slot)
    raise _Crowded("too many captures write in this conversation at the same time")
