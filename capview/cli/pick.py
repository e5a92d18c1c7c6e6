"""From a REF on the command line to one capture, in the conversation that the REF or the options mean."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from capture_core import names, refs
from capture_core.catalog import Catalogue, Name
from capture_core.errors import ReceiptError, UnknownRef
from capture_core.source import Entry, Unreadable
from capview.cli import place

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True, slots=True)
class Picked:
    """One capture, the conversation that it is in, and what this command must say to mean that conversation again."""

    catalogue: Catalogue
    name: Name
    entry: Entry
    option: str | None

    def fresh(self) -> Entry:
        """The capture as it is now; raises :class:`UnknownRef` when it was removed."""
        return see(self.catalogue, self.name)


def add_ref(parser: argparse.ArgumentParser, *, several: bool = False, optional: bool = False) -> None:
    """Declare the REF argument."""
    parser.add_argument(
        "ref",
        metavar="REF",
        nargs="+" if several else "?" if optional else None,
        help="a capture id or its beginning, @last, @-2, @label:TEXT, tool-outputs/…, or a capture's file",
    )


def add_consumer(parser: argparse.ArgumentParser) -> None:
    """Declare who asks."""
    parser.add_argument(
        "--consumer", required=True, metavar="NAME", help="who asks: a-z 0-9 . _ -; each has places of its own"
    )


def pick(text: str, option: str | None) -> Picked:
    """The capture that ``text`` names; raises a :class:`RefError`, ``ReceiptError`` or ``PlaceRefused``."""
    catalogue, name, option = find(text, option)
    return Picked(catalogue, name, see(catalogue, name), option)


def find(text: str, option: str | None) -> tuple[Catalogue, Name, str | None]:
    """Where the capture that ``text`` names is, whether or not it can be read; and the option that names the place."""
    located = refs.locate_file(text) if os.path.lexists(text) else refs.locate(text)
    if located is not None and located.conversation is not None:
        option, text = located.conversation, located.ref
    conversation = place.chosen(option)
    catalogue = Catalogue(conversation)
    found = {names.ref(name.tool, name.capture): name for name in _names(catalogue, text)}
    name = found[refs.resolve(text, tuple(found), lambda ref: _label(catalogue, found[ref]))]
    return catalogue, name, option


def see(catalogue: Catalogue, name: Name) -> Entry:
    """One capture now."""
    match catalogue.fresh(name):
        case None:
            raise UnknownRef(f"{names.ref(name.tool, name.capture)} is not there any more")
        case Unreadable(address=address, words=words):
            raise ReceiptError(f"{address.ref}: {words}")
        case Entry() as entry:
            return entry


def _names(catalogue: Catalogue, text: str) -> tuple[Name, ...]:
    """The captures there are, newest first; no receipt is read, but where the order within a second matters."""
    if not place.is_there(catalogue.path):
        return ()
    found = catalogue.names()
    depth = min(refs.position(text), len(found))
    if not depth:
        return found
    last = _second(found[depth - 1])
    recent = [name for name in found if _second(name) >= last]
    recent.sort(key=lambda name: (_second(name), _started(catalogue, name), name.capture), reverse=True)
    return (*recent, *found[len(recent) :])


def _second(name: Name) -> str:
    return name.capture.partition("-")[0]


def _started(catalogue: Catalogue, name: Name) -> str:
    found = catalogue.fresh(name)
    return found.receipt.times.started if isinstance(found, Entry) else ""


def _label(catalogue: Catalogue, name: Name) -> str | None:
    found = catalogue.fresh(name)
    return found.receipt.label if isinstance(found, Entry) else None
