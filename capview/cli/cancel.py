"""``capview cancel``: asks the owner of a running command to end it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.facts import RequestKind
from capview.cli.asking import NO, ask
from capview.cli.pick import add_ref, pick
from capview.cli.words import say

if TYPE_CHECKING:
    import argparse

EXAMPLE: Final = """\
examples:
  capview cancel @last
  capview cancel @label:nightly --reason 'the branch is gone' && capview wait @label:nightly

It returns when the owner has heard it.  The command's whole group gets TERM, and KILL after a grace; the receipt says
that it was cancelled, with the reason, masked, beside the code or signal that was seen.  Exit code 1: nobody was there
to be asked, since it has ended.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``cancel``."""
    add_ref(parser)
    parser.add_argument("--reason", default="", metavar="TEXT", help="kept in the receipt")


def run(arguments: argparse.Namespace) -> int:
    """Ask; the exit code."""
    picked = pick(arguments.ref, arguments.conversation)
    if not ask(picked, RequestKind.CANCEL, arguments.reason):
        return NO
    say(f"{picked.entry.receipt.ref}: its owner ends the command; capview wait {picked.name.capture} waits for that")
    return 0
