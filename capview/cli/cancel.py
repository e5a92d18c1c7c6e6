"""``capview cancel``: asks the owner of a running command to end it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.exit_codes import NO
from capture_core.facts import ProcessState, RequestKind
from capview import present
from capview.cli.asking import ask, too_late
from capview.cli.endings import has_ended
from capview.cli.pick import add_ref, pick
from capview.cli.words import say

if TYPE_CHECKING:
    import argparse

    from capture_core.source import Entry

EXAMPLE: Final = """\
examples:
  capview cancel @last
  capview cancel @label:nightly --reason 'the branch is gone' && capview wait @label:nightly

It returns when the owner has heard it.  The command's whole group gets TERM, and KILL after a grace; the receipt says
that it was cancelled, with the reason, masked, beside the code or signal that was seen.  Exit code 1: it has ended, and
there was nothing to end, also where its owner still waits for what holds its output open.
"""

_OVER: Final = frozenset({ProcessState.EXITED, ProcessState.TIMEOUT, ProcessState.UNKNOWN})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``cancel``."""
    add_ref(parser)
    parser.add_argument("--reason", default="", metavar="TEXT", help="kept in the receipt")


def run(arguments: argparse.Namespace) -> int:
    """Ask; the exit code."""
    picked = pick(arguments.ref, arguments.conversation)
    if _is_too_late(picked.entry) or not ask(picked, RequestKind.CANCEL, arguments.reason):
        return NO
    # The owner has put in what it knew before it took the request.
    if _is_too_late(picked.fresh()):
        return NO
    say(f"{picked.entry.receipt.ref}: its owner ends the command; capview wait {picked.name.capture} waits for that")
    return 0


def _is_too_late(entry: Entry) -> bool:
    """Whether the command ended without us, which is said."""
    if entry.process.state not in _OVER:
        return False
    if has_ended(entry):
        too_late(entry)
    else:
        how = present.state(entry).words
        say(f"{entry.receipt.ref}: its command has ended ({how}); its owner waits only for what holds its output open")
    return True
