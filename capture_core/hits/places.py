"""The captures of a conversation in which a search looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core import refs
from capture_core.catalog import Catalogue, Name
from capture_core.errors import ReceiptError, UnknownRef
from capture_core.source import Entry, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capture_core.hits.captures import Place


def all_in(path: str) -> Iterator[Place]:
    """Every capture that can be read of the conversation at ``path``, newest first."""
    catalogue = Catalogue(path)
    catalogue.refresh()
    for entry in catalogue.listing().entries:
        yield path, entry


def named_in(path: str, named: Iterable[str]) -> Iterator[Place]:
    """These captures, each looked at in its turn.

    Raises :class:`UnknownRef` for what is no whole ref or not there, and :class:`ReceiptError`.
    """
    catalogue = Catalogue(path)
    for ref in named:
        yield path, _see(catalogue, ref)


def _see(catalogue: Catalogue, ref: str) -> Entry:
    located = refs.locate(ref)
    if located is None or located.ref != ref:
        raise UnknownRef(f"{ref!r} is no ref; it goes tool-outputs/TOOL/CAPTURE-ID")
    _, tool, capture = ref.split("/")
    match catalogue.fresh(Name(tool, capture)):
        case None:
            raise UnknownRef(f"{ref} is not there")
        case Unreadable(words=words):
            raise ReceiptError(f"{ref}: {words}")
        case Entry() as entry:
            return entry
