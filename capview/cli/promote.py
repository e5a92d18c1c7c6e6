"""``capview promote``: asks the owner of a running command to let go of the shell that waits for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from capture_core.exit_codes import NO
from capture_core.facts import RequestKind
from capview.cli.asking import ask, too_late
from capview.cli.endings import has_ended
from capview.cli.pick import add_ref, pick
from capview.cli.words import say
from capview.limits import REQUEST_LOOK_SECONDS, REQUEST_PATIENCE_SECONDS

if TYPE_CHECKING:
    import argparse

    from capture_core.facts import Receipt
    from capture_core.source import Entry
    from capview.cli.pick import Picked

EXAMPLE: Final = """\
examples:
  capview promote @last
  capview promote @label:build && capview follow @label:build

The command and its capture go on, under the same id; the capview run that waits for it prints the ref and exits with
124.  It returns when the owner has heard it.  Exit code 1: nobody was there to be asked, since it has ended.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``promote``."""
    add_ref(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask; the exit code."""
    picked = pick(arguments.ref, arguments.conversation)
    ref = picked.entry.receipt.ref
    if not has_ended(picked.entry) and _is_promoted(picked.entry.receipt):
        say(f"{ref}: it is in the background already")
        return 0
    if not ask(picked, RequestKind.PROMOTE, ""):
        return NO
    entry = _decided(picked)
    if not _is_promoted(entry.receipt) and has_ended(entry):
        too_late(entry)
        return NO
    say(f"{ref}: it goes on in the background; nobody waits for it any more")
    return 0


def _decided(picked: Picked) -> Entry:
    """The capture when its receipt says that it was promoted, or that it was too late; or after some patience.

    Who waited is free at once: a disk that does not answer keeps only the receipt from saying so.
    """
    until = time.monotonic() + REQUEST_PATIENCE_SECONDS
    while True:
        entry = picked.fresh()
        if _is_promoted(entry.receipt) or has_ended(entry) or time.monotonic() > until:
            return entry
        time.sleep(REQUEST_LOOK_SECONDS)


def _is_promoted(receipt: Receipt) -> bool:
    return any(facts.adopted_at is not None for facts in receipt.streams.values())
