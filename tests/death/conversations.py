"""What readers see of a conversation, and what lies in it: to be compared before and after a death."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from capture_core.catalog import Catalogue
from capture_core.facts import CaptureState, Liveness
from capture_core.reader import StreamReader
from capture_core.verify import Soundness, verify

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.source import Entry, Unreadable


class Seen(NamedTuple):
    """All captures of a conversation as a reader who has just come sees them."""

    entries: tuple[Entry, ...]
    unreadable: tuple[Unreadable, ...]


def seen(conversation: Path) -> Seen:
    """Look; nothing where there is no conversation yet."""
    if not conversation.is_dir():
        return Seen((), ())
    catalogue = Catalogue(str(conversation))
    catalogue.refresh()
    listing = catalogue.listing()
    return Seen(listing.entries, listing.unreadable)


def texts(conversation: Path, entry: Entry) -> dict[str, bytes]:
    """All committed bytes of each stream."""
    found = {}
    for status in entry.streams:
        with StreamReader(str(conversation), entry, status.name) as reader:
            found[status.name] = reader.read(0, reader.committed)
    return found


def assert_true(conversation: Path, entry: Entry) -> None:
    """What is called complete is final, and every byte of it is what was written."""
    is_final = (conversation / f"{entry.receipt.ref}.json").exists()
    assert (entry.liveness is Liveness.FINAL) == is_final
    if entry.capture.state is CaptureState.COMPLETE:
        assert is_final
        assert verify(str(conversation), entry).soundness is Soundness.OK


def files(conversation: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file's inode, mode and bytes, by its path; but for the scratch folder."""
    found = {}
    for folder, folders, names in os.walk(conversation):
        folders[:] = [name for name in folders if name != ".capview"]
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                status = os.fstat(file.fileno())
                found[path] = (status.st_ino, status.st_mode, file.read())
    return found
