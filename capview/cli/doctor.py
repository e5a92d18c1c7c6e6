"""``capview doctor``: what keeps captures from working or from being private, and the command that mends each."""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from capture_core.descend import conversation
from capture_core.errors import PlaceRefused, Refused
from capture_core.exit_codes import NO
from capture_core.shelf import conversations_in, is_conversation
from capture_core.standing import Standing, survey
from capview.checkup.captures import check_captures, check_scratch
from capview.checkup.machine import check_engine, check_limits, check_settings, check_watches
from capview.checkup.place import check_allowance, check_file_system, check_room
from capview.checkup.remark import Check, Remark, quoted
from capview.checkup.tree import check_root, check_tree
from capview.cli import place
from capview.cli.colour import is_coloured, painted
from capview.cli.words import put_json, say
from capview.escaping import safe
from capview.limits import REMARKS_A_KIND
from capview.present import Tone

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from capture_core.standing import Found

EXAMPLE: Final = """\
examples:
  capview doctor                      the default root, and every conversation below it
  capview doctor ~/logs/fix-build     one conversation, or a folder of them
  capview doctor --json | jq -r 'select(.mend) | .mend'

Each line says what, where, and how to mend it.  Nothing is changed.
exit code: 0 when there is nothing to mend, 1 when there is, 2 for bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``doctor``."""
    parser.add_argument("path", nargs="?", metavar="PATH", help="a conversation, or a folder of them")
    parser.add_argument("--json", action="store_true", help="one object a line: check, where, words, mend")


def run(arguments: argparse.Namespace) -> int:
    """Check, and say what was found as it is found."""
    if arguments.path and arguments.conversation:
        raise Refused("doctor: give a PATH or --conversation, not both")
    to_mend = 0
    # Told as found: a conversation of ten thousand captures takes a while.
    for part in _parts(arguments.path or arguments.conversation or os.environ.get(place.VARIABLE)):
        counts: Counter[Check] = Counter()
        for remark in part.remarks:
            to_mend += remark.mend is not None
            counts[remark.check] += 1
            if arguments.json:
                _put(remark)
            elif counts[remark.check] <= REMARKS_A_KIND:
                _print(remark)
        if not arguments.json:
            _print_the_rest(part.place, counts)
    say(f"{to_mend} to mend" if to_mend else "nothing to mend")
    return NO if to_mend else 0


class _Part(NamedTuple):
    """Remarks on one place; ``None``: on what all places stand on."""

    place: str | None
    remarks: Iterable[Remark]


def _parts(named: str | None) -> Iterator[_Part]:
    """The machine's remarks, then those of one conversation after another."""
    conversations = _conversations(named)
    settings, remarks = check_settings(None)
    yield _Part(None, chain(check_engine(), remarks, () if settings is None else check_limits(settings)))
    if named is None:
        yield _Part(None, check_root(place.default_root()))
    for path in conversations:
        yield _Part(path, _check_conversation(path))


def _conversations(named: str | None) -> list[str]:
    if named is None:
        return sorted(_folders_in(place.default_root()))
    with conversation(named):
        below = [] if is_conversation(named) else sorted(conversations_in(named))
    return below or [os.path.abspath(named)]


def _folders_in(root: str) -> Iterator[str]:
    with suppress(OSError), os.scandir(root) as found:
        yield from (item.path for item in found if item.is_dir(follow_symlinks=False))


def _check_conversation(path: str) -> Iterator[Remark]:
    try:
        with conversation(path) as fd:
            found = _surveyed(path)
            yield from check_tree(path, fd, {each.name.capture for each in found if each.standing is Standing.RUNNING})
            yield from check_captures(path, found)
            yield from check_scratch(path, found)
            yield from check_file_system(path, fd, found)
            yield from check_watches(path)
            settings, remarks = check_settings(path)
            yield from (remark for remark in remarks if remark.where.startswith(path))
            if settings is not None:
                yield from check_room(path, fd, settings)
                yield from check_allowance(path, settings, found)
    except PlaceRefused as error:
        yield Remark(Check.PLACE, path, str(error), f"chmod u+rwx {quoted(path)}")


def _surveyed(path: str) -> list[Found]:
    try:
        return survey(path)
    except PlaceRefused:
        return []  # what stands in the way is told of by the check of the tree


def _print_the_rest(path: str | None, counts: Counter[Check]) -> None:
    for check, count in counts.items():
        if path is not None and count > REMARKS_A_KIND:
            every = f"""jq -r 'select(.check == "{check}" and .mend) | .mend'"""
            mend = f"capview doctor --json {quoted(path)} | {every} | bash"
            _print(Remark(check, path, f"{count - REMARKS_A_KIND} more of this kind; look at them first", mend))


def _put(remark: Remark) -> None:
    put_json({"check": str(remark.check), "where": remark.where, "words": remark.words, "mend": remark.mend})


def _print(remark: Remark) -> None:
    sign, tone = ("✓", Tone.GOOD) if remark.mend is None else ("✗", Tone.BAD)
    mend = "" if remark.mend is None else f"; mend: {remark.mend}"
    kind = painted(f"{sign} {remark.check:<11}", tone, coloured=is_coloured(sys.stdout))
    print(f"{kind}  {safe(remark.where)}: {safe(remark.words)}{safe(mend)}", flush=True)
