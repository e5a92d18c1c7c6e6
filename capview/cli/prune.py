"""``capview prune``: removes captures by age, number or size, oldest first, and only when somebody asks."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from capture_core.errors import PlaceRefused, Refused
from capture_core.exit_codes import NO
from capture_core.pruning import Candidate, Rule, pick
from capture_core.standing import Standing, survey
from capview import present
from capview.cli import place
from capview.cli.quantities import count, seconds, size
from capview.cli.removing import Manner, add_manner, carry_out
from capview.cli.words import say, warn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from capture_core.standing import Found

EXAMPLE: Final = """\
examples:
  capview prune --older-than 30d --dry-run
  capview prune --keep 20
  capview prune --to-size 1GiB --keep 5 --all

--older-than and --to-size choose what goes, the oldest first; --keep protects the newest of each conversation, and
alone it leaves all others to go.  Captures that are running, shown by a view or unreadable stay, and count.
exit code: 0; 1 when something was kept that was to go, or more than --to-size is left; 2 for bad input
"""


_STAY: Final = {
    Standing.RUNNING: "running",
    Standing.VIEWED: "shown by a view",
    Standing.UNTOLD: "perhaps running elsewhere",
    Standing.UNREADABLE: "unreadable",
    Standing.STRANGE: "with files that are not ours",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``prune``."""
    parser.add_argument(
        "--older-than", type=seconds, metavar="TIME", help="those that ended longer ago than this (12h, 30d, 8w)"
    )
    parser.add_argument("--keep", type=count, metavar="N", help="the newest N of each conversation stay")
    parser.add_argument(
        "--to-size", type=size, metavar="SIZE", help="the oldest, until all files of captures together have no more"
    )
    parser.add_argument("--all", action="store_true", help="every conversation below the default root")
    add_manner(parser)


def run(arguments: argparse.Namespace) -> int:
    """Choose, say what goes, and remove it."""
    rule = Rule(arguments.older_than, arguments.keep, arguments.to_size)
    if rule == Rule():
        raise Refused("prune: say what is to go: --older-than 30d, --keep 20 or --to-size 1GiB")
    found, is_whole = _surveyed(_conversations(arguments))
    chosen = [found[where] for where in pick([_candidate(each) for each in found], rule, time.time())]
    if not chosen:
        say("nothing to remove" if found else "nothing captured here yet")
    _say_what_stays(found)
    manner = Manner(dry_run=arguments.dry_run, as_json=arguments.json, with_conversation=arguments.all)
    is_done = carry_out(chosen, manner)
    is_small = _is_small_enough(found, chosen, rule)
    return 0 if is_whole and is_done and is_small else NO


def _conversations(arguments: argparse.Namespace) -> list[str]:
    if not arguments.all:
        path = place.chosen(arguments.conversation)
        # The place of a working directory comes into being with its first capture.
        return [path] if arguments.conversation or place.is_there(path) else []
    if arguments.conversation:
        raise Refused("prune: --all means every conversation; give it without --conversation")
    return place.conversations()


def _surveyed(paths: Sequence[str]) -> tuple[list[Found], bool]:
    """All captures, and whether every conversation could be looked at."""
    found: list[Found] = []
    is_whole = True
    for path in paths:
        try:
            found += survey(path)
        except PlaceRefused as error:
            if len(paths) == 1:
                raise
            warn(str(error))
            is_whole = False
    return found, is_whole


def _candidate(found: Found) -> Candidate:
    return Candidate(found.conversation, found.started, found.ended, found.size, found.standing is Standing.FREE)


def _say_what_stays(found: Iterable[Found]) -> None:
    kinds = Counter(each.standing for each in found)
    if stay := [f"{kinds[standing]} {words}" for standing, words in _STAY.items() if kinds[standing]]:
        say(f"left alone: {', '.join(stay)}")


def _is_small_enough(found: Sequence[Found], chosen: Sequence[Found], rule: Rule) -> bool:
    left = sum(each.size for each in found) - sum(each.size for each in chosen)
    if rule.to_size is None or left <= rule.to_size:
        return True
    say(f"{present.size(left)} is left, which is more than {present.size(rule.to_size)}: the rest may not go")
    return False
