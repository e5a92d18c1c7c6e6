"""Which captures of a conversation have ended: by their files' names alone, and where a name does not tell, by a look.

No receipt of a capture that is known already is read: ten thousand of them cost one listing of their folders.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.catalog import ENDED, Catalogue, Name
from capture_core.descend import step, tool_outputs
from capture_core.errors import PlaceRefused
from capture_core.limits.reading import RACY_DIRECTORY_SECONDS
from capture_core.source import Address, Entry, Unreadable

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_FINAL: Final = "json"
_LIVE: Final = "live.json"


@dataclass(slots=True)
class _Seen:
    """A tool folder at its last listing: the captures that have a final receipt, and those that have another one."""

    settled: bool
    modified_ns: int
    final: frozenset[str]
    live: frozenset[str]


class Endings:
    """The captures of the conversation at ``path``.  Not for two threads at once.  Never writes."""

    def __init__(self, path: str) -> None:
        self._catalogue = Catalogue(path)
        self._seen: dict[str, _Seen] = {}
        self.unreadable: dict[str, Unreadable] = {}
        """By ref what could not be believed at the last look: a capture's receipt, or a folder."""
        self.is_whole = True
        """Whether every folder could be listed."""

    def refresh(self) -> None:
        """List the folders that have changed."""
        with ExitStack() as stack:
            outputs = stack.enter_context(tool_outputs(self._catalogue.path))
            self.unreadable.clear()
            self.is_whole = True
            tools = [] if outputs is None else [name for name in os.listdir(outputs) if names.is_tool_name(name)]
            for gone in self._seen.keys() - set(tools):
                del self._seen[gone]
            for tool in tools:
                self._refresh(outputs or 0, tool)

    def captures(self) -> set[str]:
        """The ids of all that have a receipt, as far as ``is_whole``."""
        return set().union(*(seen.final | seen.live for seen in self._seen.values()))

    def final(self) -> set[str]:
        """The ids of those that have a final receipt, which are ended by that name alone."""
        return set().union(*(seen.final for seen in self._seen.values()))

    def beyond(self, known: Container[str]) -> Iterator[Entry]:
        """Those that have ended and are not among these ids, as they are now, in the order of their ids.

        ``known`` may grow meanwhile: what is added to it does not come any more.  What was removed since is left out;
        what cannot be read is added to ``unreadable``.
        """
        fresh = {Name(tool, capture) for tool, seen in self._seen.items() for capture in seen.final | seen.live}
        for name in sorted((name for name in fresh if name.capture not in known), key=lambda name: name.capture):
            if name.capture in known:
                continue
            match self._catalogue.fresh(name):
                case Entry() as entry if entry.liveness in ENDED:
                    yield entry
                case Unreadable() as unreadable:
                    self.unreadable[unreadable.address.ref] = unreadable
                case _:
                    pass

    def _refresh(self, outputs: int, tool: str) -> None:
        try:
            with step(outputs, tool) as fd:
                if fd is not None:
                    self._list(fd, tool)
        except PlaceRefused as error:
            self._seen.pop(tool, None)
            self.is_whole = False
            ref = f"{names.TOOL_OUTPUTS}/{tool}"
            self.unreadable[ref] = Unreadable(address=Address(self._catalogue.key, ref), words=str(error))

    def _list(self, fd: int, tool: str) -> None:
        before = self._seen.get(tool)
        # Read before the listing: a file that comes in between makes the next look list again.
        modified_ns = os.fstat(fd).st_mtime_ns
        if before is not None and before.settled and before.modified_ns == modified_ns:
            return
        settled = time.time_ns() - modified_ns > RACY_DIRECTORY_SECONDS * 1e9
        self._seen[tool] = _Seen(settled, modified_ns, *_receipts(fd))


def _receipts(fd: int) -> tuple[frozenset[str], frozenset[str]]:
    """The ids of those with a final receipt, and of those with a live one only."""
    found: dict[str, set[str]] = {_FINAL: set(), _LIVE: set()}
    for item in os.listdir(fd):
        if item.endswith(".json") and (name := names.parse_file_name(item)) is not None:
            found[name.form].add(name.capture_id)
    return frozenset(found[_FINAL]), frozenset(found[_LIVE] - found[_FINAL])
