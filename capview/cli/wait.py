"""``capview wait``: blocks until captures have ended, then says how by its exit code."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

from capture_core.exit_codes import NO, TIMED_OUT
from capture_core.limits.reading import FOLLOW_LOOK_SECONDS
from capview.cli.endings import Doubt, exit_code, has_ended
from capview.cli.pick import add_ref, pick
from capview.cli.quantities import seconds
from capview.cli.words import put_json, say
from capview.record import record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from capture_core.source import Address, Entry
    from capview.cli.pick import Picked

EXAMPLE: Final = """\
examples:
  capview wait @last
  capview wait --timeout 10m @last @-2 && echo both are ok
  capview wait --any $JOB1 $JOB2

exit code: of one capture, as capview run exits: its command's own, 128+N for a signal, 124 when its own time limit
ended it, never 0 when it was cancelled; of several, 0 only if each is 0; with --any, of the first that ended; 124 when
the time is over; 1 and a word when the owner of a capture died
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``wait``."""
    add_ref(parser, several=True)
    parser.add_argument("--any", action="store_true", help="return when the first has ended, and print its ref")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="wait no longer than this (90, 5m, 1h)")
    parser.add_argument("--json", action="store_true", help="print each receipt when it is final, one a line")


def run(arguments: argparse.Namespace) -> int:
    """Wait; the exit code."""
    found = [pick(text, arguments.conversation) for text in arguments.ref]
    waiting = {picked.entry.address: picked for picked in found}
    is_one = len(waiting) == 1
    codes = []
    for picked, entry in _endings(waiting, arguments.timeout):
        codes.append(exit_code(entry))
        _tell(picked, entry, arguments)
        if arguments.any:
            return codes[-1]
    if waiting:
        return _give_up(waiting.values())
    return codes[0] if is_one else NO if any(codes) else 0


def _endings(waiting: dict[Address, Picked], timeout: float | None) -> Iterator[tuple[Picked, Entry]]:
    """Take each out of ``waiting`` when it has ended, until none is left or the time is over."""
    until = math.inf if timeout is None else time.monotonic() + timeout
    doubt = Doubt()
    while waiting:
        for address, picked in list(waiting.items()):
            entry = picked.fresh()
            doubt.look(entry)
            if has_ended(entry):
                del waiting[address]
                yield picked, entry
        left = until - time.monotonic()
        if left <= 0:
            return
        if waiting:
            time.sleep(min(FOLLOW_LOOK_SECONDS, left))


def _tell(picked: Picked, entry: Entry, arguments: argparse.Namespace) -> None:
    if arguments.json:
        put_json(record(entry, picked.catalogue.path))
    elif arguments.any:
        print(entry.receipt.ref, flush=True)


def _give_up(waiting: Iterable[Picked]) -> int:
    refs = ", ".join(picked.entry.receipt.ref for picked in waiting)
    say(f"the time is over, and not yet ended: {refs}")
    return TIMED_OUT
