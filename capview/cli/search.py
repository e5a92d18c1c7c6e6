"""``capview search``: matching lines of captures, bounded, and the exact command that goes on behind them."""

from __future__ import annotations

import shlex
from argparse import ArgumentTypeError
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from capture_core.catalog import Catalogue, newest_first
from capture_core.errors import BadInput
from capture_core.exit_codes import NO
from capture_core.facts import CaptureState, Liveness, StreamName
from capture_core.find.matcher import Case, Wanted
from capture_core.hits import token
from capture_core.hits.captures import CaptureSearch
from capture_core.line_cache import LineCache
from capture_core.sought import Search
from capview.cli import place
from capview.cli.hit_lines import HitLines
from capview.cli.hit_objects import put_hit
from capview.cli.pick import pick
from capview.cli.quantities import count
from capview.cli.words import put_json, say, warn
from capview.folders import cache_folder
from capview.limits import SEARCH_PRINTED_BYTES, SEARCH_PRINTED_HITS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from capture_core.hits.token import Token
    from capture_core.source import Entry, Hit

EXAMPLE: Final = """\
examples:
  capview search 'error|warning' @last -C 2
  capview search -F 'undefined reference' --all --count
  capview search -w main @last --stream stderr --json | jq -r 'select(.type == "hit").text'

A hit is printed as STREAM:LINE:START:END:TEXT, with its capture before it unless one REF is given; START and END are
the match's bytes, as capview read --bytes takes them.  Patterns are regular expressions that need linear time; what
does not match in linear time is refused.  What does not fit is told on stderr, with the command that goes on there.
exit code: 0; 1 when nothing was found; 2 when the pattern, or another word, is of no use
"""


class _Place(NamedTuple):
    """A capture to be searched, and what it is called in this command's output."""

    path: str
    entry: Entry
    name: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``search``."""
    parser.add_argument("pattern", metavar="PATTERN", help="a regular expression; after -- when it begins with -")
    parser.add_argument("ref", metavar="REF", nargs="*", help="captures (default: all, newest first)")
    parser.add_argument("-F", "--fixed-strings", action="store_true", help="PATTERN is no expression, but a text")
    case = parser.add_mutually_exclusive_group()
    case.add_argument("-i", "--ignore-case", action="store_true", help="do not distinguish upper and lower case")
    case.add_argument("-S", "--smart-case", action="store_true", help="so, where PATTERN has no upper case letter")
    parser.add_argument("-w", "--word-regexp", action="store_true", help="matches are whole words")
    parser.add_argument("-v", "--invert-match", action="store_true", help="the lines that do not match")
    parser.add_argument("-C", "--context", type=count, default=0, metavar="N", help="N lines around each, too")
    parser.add_argument(
        "--stream", choices=list(StreamName), metavar="NAME", help="stdout, stderr, output or content (default: all)"
    )
    parser.add_argument("--max-count", type=count, metavar="N", help="at most N hits, then the command that goes on")
    parser.add_argument(
        "--from", dest="start", type=_start, metavar="OFFSET", help="from this byte on, or where a search stopped"
    )
    parser.add_argument("--backward", action="store_true", help="the last hit first; with --from: those before it")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--count", action="store_true", help="how many lines match")
    how.add_argument("--count-matches", action="store_true", help="how many matches they have")
    parser.add_argument("--all", action="store_true", help="every conversation below the default root")
    parser.add_argument("--json", action="store_true", help="one object a hit, and one for the end of the search")


def run(arguments: argparse.Namespace) -> int:
    """Search."""
    _refuse_what_contradicts(arguments)
    is_counting = arguments.count or arguments.count_matches
    limit = SEARCH_PRINTED_HITS if arguments.max_count is None else arguments.max_count
    search = CaptureSearch(
        _search(arguments, limit), missing=lambda error: warn(str(error)), cache=LineCache(cache_folder())
    )
    places = _places(arguments)
    found = _count(search, places, arguments) if is_counting else _print(search, places, arguments, limit)
    if not found:
        _say_what_is_not_whole(places)
    return 0 if found else NO


def _start(text: str) -> int | Token:
    try:
        return count(text) if text.isdecimal() else token.parse(text)
    except BadInput as error:
        raise ArgumentTypeError(str(error)) from error


def _refuse_what_contradicts(arguments: argparse.Namespace) -> None:
    if arguments.max_count == 0:
        raise BadInput("--max-count: 0 hits are none; leave the search out")
    if arguments.all and (arguments.ref or arguments.conversation):
        raise BadInput("--all searches every conversation; give it without REF and --conversation")
    if isinstance(arguments.start, int) and len(arguments.ref) != 1:
        raise BadInput("--from: an offset is one in one capture; give one REF")
    for option, is_given in (("--from", arguments.start is not None), ("--max-count", arguments.max_count is not None)):
        if is_given and (arguments.count or arguments.count_matches):
            raise BadInput(f"{option}: what is counted is counted whole; give it without --count")


def _search(arguments: argparse.Namespace, limit: int) -> Search:
    start = arguments.start
    case = Case.IGNORE if arguments.ignore_case else Case.SMART if arguments.smart_case else Case.SENSITIVE
    return Search(
        Wanted(arguments.pattern, fixed=arguments.fixed_strings, case=case, word=arguments.word_regexp),
        stream=arguments.stream,
        invert=arguments.invert_match,
        every_match=arguments.json,
        before=arguments.context,
        after=arguments.context,
        most=limit + 1,
        start=start if isinstance(start, int) else 0,
        backward=arguments.backward,
        token=None if start is None or isinstance(start, int) else str(start),
    )


def _places(arguments: argparse.Namespace) -> list[_Place]:
    if arguments.ref:
        picked = [pick(ref, arguments.conversation) for ref in arguments.ref]
        return [_Place(one.catalogue.path, one.entry, one.name.capture) for one in picked]
    if not arguments.all:
        path = place.chosen(arguments.conversation)
        is_there = arguments.conversation or place.is_there(path)
        return [_Place(path, entry, entry.receipt.capture_id) for entry in _entries([path] if is_there else [])]
    return [
        _Place(entry.address.conversation, entry, f"{entry.address.conversation}/{entry.address.ref}")
        for entry in _entries(place.conversations())
    ]


def _entries(paths: Sequence[str]) -> Sequence[Entry]:
    entries: list[Entry] = []
    for path in paths:
        catalogue = Catalogue(path, key=path)
        catalogue.refresh()
        entries += catalogue.entries
        for bad in catalogue.listing().unreadable:
            say(f"{bad.address.ref}: {bad.words}")
    return newest_first(entries)


def _count(search: CaptureSearch, places: Sequence[_Place], arguments: argparse.Namespace) -> int:
    """Print how many there are in each capture; of those that nobody named only where there are any."""
    total = 0
    for path, entry, name in places:
        number = search.count(path, entry, matches=arguments.count_matches)
        total += number
        if arguments.json:
            put_json({"type": "count", "ref": entry.receipt.ref, "conversation": path, "count": number})
        elif len(arguments.ref) == 1:
            print(number)
        elif number or arguments.ref:
            print(f"{name}\t{number}")
    return total


def _print(search: CaptureSearch, places: Sequence[_Place], arguments: argparse.Namespace, limit: int) -> int:
    """Print hits as far as they fit, and how to go on; how many were printed."""
    names = {place.entry.address: place.name for place in places}
    entries = {place.entry.address: place.entry for place in places}
    room = SEARCH_PRINTED_BYTES if arguments.max_count is None else None
    lines = HitLines(labelled=len(arguments.ref) != 1, context=arguments.context > 0, backward=arguments.backward)
    hits = (hit for batch in search.hits((place.path, place.entry) for place in places) for hit in batch)
    printed, size, last = 0, 0, None
    for hit in islice(hits, limit):
        size += put_hit(hit, entries[hit.address]) if arguments.json else lines.print(hit, names[hit.address])
        printed, last = printed + 1, hit
        if room is not None and size >= room:
            break
    lines.finish()
    rest = last if last is not None and next(hits, None) is not None else None
    _say_rest(rest, printed, arguments, places)
    return printed


def _say_rest(last: Hit | None, printed: int, arguments: argparse.Namespace, places: Sequence[_Place]) -> None:
    """Say how to go on behind ``last``, the last hit printed; ``None``: there are no more."""
    going_on = None if last is None else token.after(last, backward=arguments.backward)
    if going_on is not None and not arguments.all:
        going_on = going_on._replace(conversation="")
    command = None if going_on is None else shlex.join(_again(arguments, going_on, places))
    if arguments.json:
        put_json({"type": "end", "hits": printed, "rest": going_on and str(going_on), "command": command})
    elif command is not None:
        say(f"{printed} hits, and there are more: {command}")


_SWITCHES: Final = (
    "fixed_strings",
    "ignore_case",
    "smart_case",
    "word_regexp",
    "invert_match",
    "backward",
    "all",
    "json",
)


def _again(arguments: argparse.Namespace, going_on: Token, places: Sequence[_Place]) -> list[str]:
    words = ["capview", "search", *(f"--{name.replace('_', '-')}" for name in _SWITCHES if getattr(arguments, name))]
    for name in ("context", "stream", "max_count", "conversation"):
        if value := getattr(arguments, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    refs = [place.entry.receipt.capture_id for place in places] if arguments.ref else []
    return [*words, "--from", str(going_on), "--", arguments.pattern, *refs]


def _say_what_is_not_whole(places: Sequence[_Place]) -> None:
    """What was not found may stand where nothing was kept, or nothing is yet."""
    running = sum(place.entry.liveness is Liveness.LIVE for place in places)
    cut = sum(place.entry.capture.state not in (CaptureState.PENDING, CaptureState.COMPLETE) for place in places)
    words = [f"{running} still running"] * bool(running) + [f"{cut} with a log that is not whole"] * bool(cut)
    if words or not places:
        say(f"nothing found in {len(places)} captures" + (f", {' and '.join(words)}" if words else ""))
