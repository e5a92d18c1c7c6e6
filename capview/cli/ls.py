"""``capview ls``: captures, newest first, with how each ended and whether its log is whole."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from capture_core import phrases
from capture_core.account import Uncounted, kept_in
from capture_core.catalog import Catalogue, newest_first
from capture_core.errors import Refused
from capture_core.facts import CaptureState, Liveness
from capview import doing, present, room
from capview.cli import place
from capview.cli.colour import is_coloured
from capview.cli.quantities import seconds
from capview.cli.table import Cell, lines
from capview.cli.words import put_json, say, warn
from capview.escaping import safe
from capview.record import record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from capture_core.activity import Activity
    from capture_core.source import Entry, Unreadable
    from capview.cli.table import Row

EXAMPLE = """\
examples:
  capview ls
  capview ls --failed --since 2h
  capview ls --all --json | jq -r 'select(.capture.state == "partial") | .ref'

exit code: 0; 1 when there is nothing to list
"""


class _Found(NamedTuple):
    path: str
    entry: Entry
    activity: Activity | None = None
    """What it seems to be doing, while it runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``ls``."""
    parser.add_argument("--running", action="store_true", help="those that run now")
    parser.add_argument("--failed", action="store_true", help="those that did not end well")
    parser.add_argument("--partial", action="store_true", help="those whose log is not whole")
    parser.add_argument(
        "--since", type=seconds, metavar="TIME", help="those that ran within this long (90, 30m, 2h, 1d)"
    )
    parser.add_argument("--all", action="store_true", help="every conversation below the default root")
    parser.add_argument("--json", action="store_true", help="one receipt a line")


def run(arguments: argparse.Namespace) -> int:
    """List captures."""
    paths = _conversations(arguments)
    found, unreadable = _look(paths)
    now = time.time()
    wanted = [_doing(item, now) for item in found if _is_wanted(item.entry, arguments, now)]
    # Of what cannot be read there is no receipt to give out, and nobody knows whether it is among those asked for.
    is_all = not arguments.json and not _has_filter(arguments)
    shown = [bad for bad in unreadable if is_all and _capture_of(bad)]
    if arguments.json:
        for item in wanted:
            activity = None if item.activity is None else doing.record(item.activity)
            put_json({**record(item.entry, item.path), "activity": activity})
    else:
        _print_table(wanted, shown, now, with_conversation=arguments.all)
    for bad in unreadable:
        say(f"{bad.address.ref}: {bad.words}")
    _say_totals(paths, found, wanted, unreadable)
    return 0 if wanted or shown else 1


def _doing(item: _Found, now: float) -> _Found:
    return item._replace(activity=doing.look(item.path, item.entry, now))


def _has_filter(arguments: argparse.Namespace) -> bool:
    return bool(arguments.running or arguments.failed or arguments.partial or arguments.since is not None)


def _capture_of(bad: Unreadable) -> str | None:
    """The id of a capture that cannot be read; ``None``: it is a whole folder."""
    parts = bad.address.ref.split("/")
    return parts[2] if len(parts) > 2 else None  # noqa: PLR2004 — tool-outputs/<tool>/<capture-id>


def _conversations(arguments: argparse.Namespace) -> list[str]:
    if not arguments.all:
        path = place.chosen(arguments.conversation)
        # The place of a working directory comes into being with its first capture.
        return [path] if arguments.conversation or place.is_there(path) else []
    if arguments.conversation:
        raise Refused("ls: --all lists every conversation; give it without --conversation")
    return place.conversations()


def _look(paths: Iterable[str]) -> tuple[list[_Found], list[Unreadable]]:
    entries: list[Entry] = []
    unreadable: list[Unreadable] = []
    for path in paths:
        catalogue = Catalogue(path, key=path)
        catalogue.refresh()
        entries += catalogue.entries
        unreadable += catalogue.listing().unreadable
    return [_Found(entry.address.conversation, entry) for entry in newest_first(entries)], unreadable


def _is_wanted(entry: Entry, arguments: argparse.Namespace, now: float) -> bool:
    if arguments.since is not None and not _ran_within(entry, arguments.since, now):
        return False
    kinds = [
        wanted(entry)
        for chosen, wanted in (
            (arguments.running, _is_running),
            (arguments.failed, lambda entry: phrases.has_failed(entry.process)),
            (arguments.partial, _is_partial),
        )
        if chosen
    ]
    return any(kinds) if kinds else True


def _is_running(entry: Entry) -> bool:
    return entry.liveness is Liveness.LIVE


def _is_partial(entry: Entry) -> bool:
    return entry.capture.state not in (CaptureState.PENDING, CaptureState.COMPLETE)


def _ran_within(entry: Entry, span: float, now: float) -> bool:
    if entry.liveness is Liveness.LIVE:
        return True
    times = entry.receipt.times
    last = present.moment(times.ended) or present.moment(times.started)
    return last is not None and last >= now - span


_DROPPED_FIRST = ("TOOK", "SIZE", "EXIT", "AGE", "NOW")


def _print_table(
    found: Sequence[_Found], unreadable: Sequence[Unreadable], now: float, *, with_conversation: bool
) -> None:
    rows = [_row(item, now, with_conversation=with_conversation) for item in found]
    rows += [_unreadable_row(bad, now, with_conversation=with_conversation) for bad in unreadable]
    if not any(row["NOW"].text for row in rows):
        rows = [{name: cell for name, cell in row.items() if name != "NOW"} for row in rows]
    if not rows:
        return
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lines(rows, room=room, coloured=is_coloured(sys.stdout), dropped_first=_DROPPED_FIRST):
        print(line)


def _row(item: _Found, now: float, *, with_conversation: bool) -> Row:
    entry = item.entry
    state, log = present.state(entry), present.log(entry)
    where = {"CONVERSATION": Cell(safe(os.path.basename(item.path)))} if with_conversation else {}
    now_words = Cell("") if item.activity is None else Cell(", ".join(doing.short(item.activity)))
    return {
        "STATE": Cell(f"{state.glyph} {state.words}", state.tone),
        "NOW": now_words,
        "EXIT": Cell(present.exit_words(entry.process)),
        "LOG": Cell(log.words.removeprefix("log ").partition(",")[0], log.tone),
        "SIZE": Cell(present.size(present.committed(entry))),
        "TOOK": Cell(present.duration(present.elapsed(entry, now))),
        "AGE": Cell(present.age(present.moment(entry.receipt.times.started), now)),
        "ID": Cell(present.short_id(entry.receipt.capture_id)),
        **where,
        "LABEL": Cell(safe(entry.receipt.label or "")),
    }


def _unreadable_row(bad: Unreadable, now: float, *, with_conversation: bool) -> Row:
    capture, none = _capture_of(bad) or "", Cell(present.UNKNOWN)
    where = {"CONVERSATION": Cell(safe(os.path.basename(bad.address.conversation)))} if with_conversation else {}
    return {
        "STATE": Cell("✗ unreadable", present.Tone.BAD),
        "NOW": Cell(""),
        **dict.fromkeys(("EXIT", "LOG", "SIZE", "TOOK"), none),
        "AGE": Cell(present.age(present.moment(capture.partition("-")[0]), now)),
        "ID": Cell(present.short_id(capture)),
        **where,
        "LABEL": Cell(""),
    }


def _say_totals(
    paths: Sequence[str], found: Sequence[_Found], wanted: Sequence[_Found], unreadable: Sequence[Unreadable]
) -> None:
    if unreadable:
        say(f"{len(unreadable)} cannot be read; capview doctor says how to mend it")
    if not found:
        if not unreadable:
            say("nothing captured here yet; start with: capview run -- COMMAND")
        return
    kept = {path: size for path in paths if (size := _kept(path)) is not None}
    total = sum(kept.values()) if len(kept) == len(paths) else None
    running = sum(_is_running(item.entry) for item in found)
    which = f"{len(wanted)} of {len(found)}" if len(wanted) < len(found) else f"{len(found)}"
    noun = "capture" if len(found) == 1 else "captures"
    say(f"{which} {noun}, {running} running, {present.size(total)} kept")
    for path, used in kept.items():
        allowance = _allowance(path, found)
        if room.is_nearly_full(used, allowance):
            say(f"{safe(os.path.basename(path))} {room.warning(used, allowance)}")


def _kept(path: str) -> int | None:
    """What the conversation keeps; ``None``, with a line of why: that could not be counted."""
    try:
        return kept_in(path)
    except Uncounted as error:
        warn(f"{path!r}: {error}")
        return None


def _allowance(path: str, found: Sequence[_Found]) -> int:
    from capview.settings import load

    said = (item.entry.receipt.allowance for item in found if item.path == path)
    return room.allowed(said, load(conversation=path).limits.conversation_bytes)
