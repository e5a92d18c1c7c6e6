"""``capview verify``: reads final captures again, and says whether they hold what was written."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

from capture_core.catalog import Catalogue
from capture_core.exit_codes import NO
from capture_core.source import Entry, Unreadable
from capture_core.standing import examine
from capture_core.verify import Finding, Soundness, Verified, verify
from capview.cli import place
from capview.cli.colour import is_coloured, painted
from capview.cli.pick import add_ref, pick
from capview.cli.words import put_json, say
from capview.escaping import safe
from capview.present import Tone

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from capture_core.catalog import Name

EXAMPLE: Final = """\
examples:
  capview verify                every capture of the conversation
  capview verify @last
  capview verify --json | jq -r 'select(.state != "ok") | .ref'

Compares each file of a final capture with the size and the SHA-256 in its receipt.  States are ok; not-final (still
written, or its owner died); unproved (the receipt has no digest, as it could not be made); missing; damaged.

exit code: 0 when every capture is ok, 1 when one is not, 2 for bad input
"""


_TONES: Final = {
    Soundness.OK: Tone.GOOD,
    Soundness.UNPROVED: Tone.DOUBTFUL,
    Soundness.NOT_FINAL: Tone.QUIET,
    Soundness.MISSING: Tone.BAD,
    Soundness.DAMAGED: Tone.BAD,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``verify``."""
    add_ref(parser, optional=True)
    parser.add_argument("--json", action="store_true", help="one object a capture: its state, and each file's")


def run(arguments: argparse.Namespace) -> int:
    """Verify, and say what was found as it is found."""
    counts: Counter[Soundness] = Counter()
    for verified in _verified(arguments):
        counts[verified.soundness] += 1
        if arguments.json:
            put_json(_plain(verified))
        else:
            _print(verified)
    _say_totals(counts)
    return NO if counts.keys() - {Soundness.OK} else 0


def _verified(arguments: argparse.Namespace) -> Iterator[Verified]:
    if arguments.ref is not None:
        picked = pick(arguments.ref, arguments.conversation)
        yield verify(picked.catalogue.path, picked.entry)
        return
    path = place.chosen(arguments.conversation)
    # The place of a working directory comes into being with its first capture.
    if not arguments.conversation and not place.is_there(path):
        return
    catalogue = Catalogue(path)
    for name in catalogue.names():
        match catalogue.fresh(name):
            case Entry() as entry:
                yield verify(path, entry)
            case Unreadable(address=address, words=words):
                yield Verified(address.ref, (_unreadable(path, name, words),))
            case None:
                pass  # so young that it has no receipt, or removed meanwhile


def _unreadable(path: str, name: Name, words: str) -> Finding:
    """Damage, but where nothing was promised yet: an owner that died in its start leaves live files alone."""
    [found] = examine(path, name.tool, [name])
    files = [file.name for file in found.files]
    if files and all(file.endswith((".live", ".lock")) for file in files):
        return Finding("", Soundness.NOT_FINAL, f"its owner died before it had written a receipt: {words}")
    return Finding("", Soundness.DAMAGED, words)


def _print(verified: Verified) -> None:
    state = painted(f"{verified.soundness:<9}", _TONES[verified.soundness], coloured=is_coloured(sys.stdout))
    print(f"{state}  {verified.ref}  {safe(verified.words)}".rstrip(), flush=True)


def _plain(verified: Verified) -> dict[str, object]:
    files = {each.file: {"state": str(each.soundness), "words": each.words} for each in verified.findings if each.file}
    return {"ref": verified.ref, "state": str(verified.soundness), "words": verified.words, "files": files}


def _say_totals(counts: Counter[Soundness]) -> None:
    total = counts.total()
    if not total:
        say("nothing captured here yet")
        return
    which = ", ".join(f"{counts[state]} {state}" for state in Soundness if counts[state])
    say(f"{total} {'capture' if total == 1 else 'captures'}: {which}")
