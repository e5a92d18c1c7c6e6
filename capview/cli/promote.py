"""``capview promote``: asks the owner of a running command to let go of the shell that waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.facts import RequestKind
from capview.cli.asking import ask
from capview.cli.pick import add_ref, pick
from capview.cli.words import say

if TYPE_CHECKING:
    import argparse

    from capture_core.facts import Receipt

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
    if _is_promoted(picked.entry.receipt):
        say(f"{picked.entry.receipt.ref}: it is in the background already")
        return 0
    return ask(picked, RequestKind.PROMOTE, "", heard="it goes on in the background; nobody waits for it any more")


def _is_promoted(receipt: Receipt) -> bool:
    return any(facts.adopted_at is not None for facts in receipt.streams.values())
