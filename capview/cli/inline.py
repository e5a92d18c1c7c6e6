"""What a model is given of a capture, on stdout, and the note of it that stays beside the capture."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from capture_core import inline, shown, shown_file
from capture_core.catalog import Catalogue, Name
from capture_core.clock import utc
from capture_core.errors import PlaceRefused, Refused, system_words
from capture_core.exit_codes import NO
from capture_core.facts import ProcessFacts, ProcessState
from capture_core.inline_reader import render_files
from capture_core.limits import LIBRARY
from capture_core.refs import locate
from capture_core.source import Entry
from capview.cli.words import put, put_json, say
from capview.escaping import safe, safe_body

if TYPE_CHECKING:
    from capture_core.answer import Ending
    from capture_core.happenings import Exited
    from capture_core.inline import Rendered
    from capture_core.order import Order
    from capture_core.shown import Again, Shown
    from capview.cli.pick import Picked


def report(ending: Ending, order: Order, *, option: str | None, budget: int | None) -> None:
    """Give out what a run that has ended, or goes on without us, has printed; then what went wrong, on stderr."""
    room = inline.default_budget(order.limits) if budget is None else budget
    if ending.receipt is not None and ending.texts is not None:
        _print(inline.render(ending.receipt, inline.whole(ending.texts), room, is_kept=False))
    elif ending.ref is not None:
        entry = _found(order.conversation, ending.ref)
        words = _words(ending, ending.ref, entry)
        notes = (words,) if words else ()
        said = None if entry is None else _rendered(order.conversation, entry, room, option, notes)
        if entry is not None and said is not None:
            _give_out(order.conversation, entry, said)
        elif ending.receipt is not None:
            # Somebody removed it meanwhile: how the command ended is known all the same.
            _print(inline.render(ending.receipt, {}, room, is_kept=False, notes=(*notes, "its files are gone")))
        else:
            _print(inline.render_unknown(_process(ending.exited), words, room))
        ending = ending._replace(words=words)
    if ending.words:
        say(ending.words)


def _words(ending: Ending, ref: str, entry: Entry | None) -> str:
    """What went wrong; where the owner was killed, with what is left of its capture, and nothing that leads nowhere."""
    if not ending.is_owner_killed:
        return ending.words
    if entry is not None:
        return f"{ending.words}; {ref} is a leftover"
    # One that was killed at once has not said yet what the capture is called.
    what = "nothing is kept" if locate(ref) is not None else "capview ls lists what it left, if anything"
    return f"{ending.words}; {what}"


def _rendered(
    conversation: str, entry: Entry, room: int, option: str | None, notes: tuple[str, ...]
) -> Rendered | None:
    try:
        return render_files(conversation, entry, room, option=option, notes=notes)
    except (OSError, Refused):
        return None


def _process(exited: Exited | None) -> ProcessFacts:
    if exited is None:
        return ProcessFacts(state=ProcessState.UNKNOWN)
    return ProcessFacts(state=ProcessState.EXITED, exit_code=exited.code, signal=exited.signal)


def give_out(picked: Picked, budget: int | None, *, as_json: bool) -> int:
    """Give out what a capture holds now."""
    room = inline.default_budget(LIBRARY) if budget is None else budget
    path = picked.catalogue.path
    _give_out(path, picked.entry, render_files(path, picked.entry, room, option=picked.option), as_json=as_json)
    return 0


def print_shown(picked: Picked, *, as_json: bool) -> int:
    """Print all that was handed out of a capture, each text with its time and whether it could be made again."""
    path, entry = picked.catalogue.path, picked.entry
    records = shown.handed_out(path, entry.receipt.capture_id)
    for record in records:
        again = shown.reproduce(path, entry, record)
        if as_json:
            put_json(_as_json(record, again))
        else:
            _print_again(record, again)
    if not records:
        say(f"{entry.receipt.ref}: nothing of it was handed out as an inline text")
    return 0 if records else NO


def _as_json(record: Shown, again: Again) -> dict[str, object]:
    return {
        "at": record.at,
        "renderer": record.version,
        "budget": record.budget,
        "sha256": record.digest,
        "reproduced": again.text is not None,
        "why_not": again.why_not or None,
        "text": again.text,
    }


def _print_again(record: Shown, again: Again) -> None:
    what = f"not to be had again: {again.why_not}" if again.text is None else f"{len(again.text.encode())} bytes"
    print(f"==> {safe(record.at)}, budget {record.budget}, {safe(what)} <==", flush=True)
    _put(again.text or "", ends_line=True)


def _found(conversation: str, ref: str) -> Entry | None:
    if (located := locate(ref)) is None:
        return None
    _, tool, capture = located.ref.split("/")
    try:
        found = Catalogue(conversation).fresh(Name(tool, capture))
    except (OSError, Refused):
        # Somebody removed it all, or put something else there.
        return None
    return found if isinstance(found, Entry) else None


def _give_out(conversation: str, entry: Entry, said: Rendered, *, as_json: bool = False) -> None:
    at = utc(time.time())
    if as_json:
        put_json(
            {
                "at": at,
                "renderer": inline.VERSION,
                "budget": said.budget,
                "sha256": said.digest,
                "text": said.text,
            }
        )
    else:
        _print(said)
    try:
        shown_file.note(conversation, entry.receipt.capture_id, shown.encode(said, at))
    except (OSError, PlaceRefused) as error:
        words = system_words(error) if isinstance(error, OSError) else str(error)
        say(f"what was given out is not noted beside the capture: {words}")


def _print(said: Rendered) -> None:
    _put(said.text, ends_line=sys.stdout.isatty())


def _put(text: str, *, ends_line: bool) -> None:
    # What lies in a file may have been put there by anybody; a terminal obeys it.
    shown_text = safe_body(text) if sys.stdout.isatty() else text
    is_open = ends_line and text and not text.endswith("\n")
    put((shown_text + ("\n" if is_open else "")).encode(), sys.stdout)
