"""How a command asks the owner of a running capture for something, and waits until it was heard."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from capture_core.facts import Liveness
from capture_core.request import ask_owner, is_waiting, withdraw
from capview import present
from capview.cli.endings import has_ended
from capview.cli.words import say
from capview.limits import REQUEST_LOOK_SECONDS, REQUEST_PATIENCE_SECONDS

if TYPE_CHECKING:
    from capture_core.facts import RequestKind
    from capture_core.source import Entry
    from capview.cli.pick import Picked


def ask(picked: Picked, kind: RequestKind, reason: str) -> bool:
    """Ask, and wait until the owner has taken the request; ``False`` when it has not, which was said.

    Raises :class:`Refused` where nobody can be asked, and :class:`UnknownRef` when the capture was removed meanwhile.
    """
    path, entry = picked.catalogue.path, picked.entry
    if has_ended(entry):
        too_late(entry)
        return False
    if not ask_owner(path, entry, kind, reason) and reason:
        say(f"{entry.receipt.ref}: the disk has no room for the reason; the owner is asked without it")
    until = time.monotonic() + REQUEST_PATIENCE_SECONDS
    while is_waiting(path, entry):
        # In this order: what is gone after the last look of an owner was taken by it.
        entry = picked.fresh()
        if has_ended(entry) and is_waiting(path, entry):
            withdraw(path, entry)
            too_late(entry)
            return False
        if time.monotonic() > until:
            say(f"{entry.receipt.ref}: its owner has not heard it yet; the request stands, and it will when it looks")
            return False
        time.sleep(REQUEST_LOOK_SECONDS)
    return True


def too_late(entry: Entry) -> None:
    """Say that there is nobody to be asked any more."""
    ended = "its owner died" if entry.liveness is Liveness.OWNER_DIED else "it has ended"
    say(f"{entry.receipt.ref}: {ended}, and nobody is there to be asked; {present.summary(entry)}")
