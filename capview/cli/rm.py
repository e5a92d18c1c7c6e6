"""``capview rm``: removes the captures that are named, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.exit_codes import NO
from capture_core.standing import examine
from capview.cli.pick import add_ref, find
from capview.cli.removing import Manner, add_manner, carry_out

if TYPE_CHECKING:
    import argparse

EXAMPLE: Final = """\
examples:
  capview rm @last
  capview rm --dry-run 20261130T091500Z-k3v7 @label:nightly

A capture that is running is kept, and so is one that a view shows, or of which nobody here can tell whether its owner
lives.  The receipt goes last.  exit code: 0; 1 when one was kept; 2 when a REF names nothing, and then nothing goes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rm``."""
    add_ref(parser, several=True)
    add_manner(parser)


def run(arguments: argparse.Namespace) -> int:
    """Remove them."""
    # All are resolved before any goes: with it, @-2 would mean another one.
    places = [find(text, arguments.conversation) for text in arguments.ref]
    named = dict.fromkeys((catalogue.path, name) for catalogue, name, _ in places)
    chosen = [found for path, name in named for found in examine(path, name.tool, [name])]
    is_done = carry_out(chosen, Manner(dry_run=arguments.dry_run, as_json=arguments.json))
    return 0 if is_done else NO
