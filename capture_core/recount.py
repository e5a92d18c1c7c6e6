"""Having a conversation counted again after captures were removed, so that the room is known at once."""

from __future__ import annotations

from contextlib import closing

from capture_core import names
from capture_core.account import tally_of
from capture_core.descend import conversation, step
from capture_core.directory import Directory
from capture_core.limits.allowance import ALLOWANCE_LOCK_SECONDS
from capture_core.shared_tally import Place, SharedTally
from capture_core.tally import Tally


def reconcile(path: str) -> int | None:
    """Count the files of the conversation at this path again, after some were removed; what it keeps then.

    ``None``: nothing was captured, or there is no tally, so that the next capture counts them anyway.  Raises
    :class:`PlaceRefused`, :class:`Uncounted`, ``OSError``, or :class:`HeldUp` when a stopped process has the turn:
    a full allowance is counted again then too.
    """
    with conversation(path) as fd, step(fd, names.TOOL_OUTPUTS) as outputs:
        if outputs is None or tally_of(fd) is None:
            return None
        at = Directory(fd, path, made=False)
        # What is written to is judged as an owner judges it.
        with closing(at.step(names.PRIVATE)) as private:
            return _reconcile(Place(private, Directory(outputs, names.TOOL_OUTPUTS, made=False), scratch=private))


def _reconcile(place: Place) -> int:
    with closing(SharedTally(place)) as shared, shared.turn(ALLOWANCE_LOCK_SECONDS):
        tally = shared.read() or Tally()
        shared.count_anew(tally)
        shared.write(tally)
        return tally.taken
