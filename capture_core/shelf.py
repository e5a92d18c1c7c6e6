"""The conversations of one source, each with its catalogue, and what changed since each subscriber last asked."""

from __future__ import annotations

import os
import threading
import weakref
from functools import partial
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.catalog import ENDED, Catalogue, Difference, Name, newest_first
from capture_core.errors import BadName, PlaceRefused, UnknownRef
from capture_core.limits.reading import WATCHED_CONVERSATIONS
from capture_core.source import Address, Change, ChangeKind, Entry, Listing, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Subscription:
    """Collects differences for one subscriber, one a capture, until it takes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[Address, Difference] = {}

    def add(self, differences: Iterable[Difference]) -> None:
        """Keep the oldest ``before`` and the newest ``after`` of each capture."""
        with self._lock:
            for new in differences:
                old = self._pending.get(new.address)
                before = new.before if old is None else old.before
                self._pending[new.address] = Difference(new.address, before, new.after, new.unreadable)

    def drain(self) -> tuple[Change, ...]:
        """Take what has come together."""
        with self._lock:
            pending, self._pending = self._pending, {}
        return tuple(_change(difference) for difference in pending.values() if _says_something(difference))


class Shelf:
    """Conversations named one by one, and those found in folders of conversations.  Safe for several threads.

    Each is called by its folder's name, or by its whole path when an earlier one has that name.
    """

    def __init__(self, conversations: Iterable[str], folders: Iterable[str]) -> None:
        self._folders = tuple(os.path.abspath(folder) for folder in folders)
        self._catalogues: dict[str, Catalogue] = {}
        self._key_of: dict[str, str] = {}
        self._lock = threading.Lock()
        self._is_loaded = False
        self._subscribers: tuple[weakref.ref[Subscription], ...] = ()
        self._refused: dict[str, Unreadable] = {}
        self._named = tuple(os.path.abspath(conversation) for conversation in conversations)
        for path in self._named:
            self._add(path)

    def subscribe(self) -> Subscription:
        """A subscription from now on.  Takes no lock: it is called where nothing may wait for a disk."""
        subscription = Subscription()
        alive = (reference for reference in self._subscribers if reference() is not None)
        self._subscribers = (*alive, weakref.ref(subscription))
        return subscription

    def refresh(self) -> None:
        """Look for conversations that came or went, and for every change in each."""
        with self._lock:
            self._discover()
            self._publish(self._refresh_each(tuple(self._catalogues)))
            self._is_loaded = True

    def refresh_busy(self) -> None:
        """Look for every change in the conversations that are worth a watch."""
        with self._lock:
            self._publish(self._refresh_each(self._busy()))

    def look_at_live(self) -> None:
        """Look again at the captures that may still grow, and for the first folder where there is none to watch."""
        with self._lock:
            for key, catalogue in self._catalogues.items():
                if catalogue.has_live():
                    self._publish(self._tried(key, catalogue.look_at_live))
            self._publish(self._refresh_each(key for key in self._busy() if not self._catalogues[key].has_folders()))

    def take_paths(self, paths: Iterable[str]) -> None:
        """Look at what stands at these paths, and at nothing else."""
        with self._lock:
            named: dict[str, set[Name]] = {}
            whole: set[str] = set()
            for path in paths:
                self._sort_path(path, named, whole)
            for key in named.keys() - whole:
                self._publish(self._tried(key, partial(self._catalogues[key].look_at, named[key])))
            self._publish(self._refresh_each(sorted(whole)))

    def listing(self) -> Listing:
        """Everything known, newest first."""
        with self._lock:
            parts = [catalogue.listing() for catalogue in self._catalogues.values()]
            refused = tuple(self._refused.values())
        return Listing(
            entries=newest_first(entry for part in parts for entry in part.entries),
            unreadable=refused + tuple(item for part in parts for item in part.unreadable),
        )

    def directories(self) -> frozenset[str]:
        """The folders whose events are worth having: the folders of conversations, and the busy conversations' own."""
        with self._lock:
            return frozenset(self._folders).union(*(self._directories(key) for key in self._busy()))

    def path_of(self, key: str) -> str | None:
        """Where the conversation called ``key`` is; ``None`` when it is not known."""
        catalogue = self._catalogues.get(key)
        return None if catalogue is None else catalogue.path

    def known(self, address: Address) -> Entry | None:
        """The capture as it was last seen, if it was; asks no disk."""
        catalogue = self._catalogues.get(address.conversation)
        return None if catalogue is None else catalogue.known(_name(address))

    def locate(self, address: Address) -> tuple[str, Name]:
        """The conversation's path and the capture's name in it; raises :class:`UnknownRef`."""
        name = _name(address)
        catalogue = self._catalogues.get(address.conversation)
        if catalogue is None:
            with self._lock:
                self._discover()
                catalogue = self._catalogues.get(address.conversation)
        if catalogue is None:
            raise UnknownRef(f"no conversation is called {address.conversation!r}")
        return catalogue.path, name

    def _add(self, path: str) -> None:
        if path in self._key_of:
            return
        name = os.path.basename(path)
        key = path if not name or name in self._catalogues else name
        self._key_of[path] = key
        self._catalogues[key] = Catalogue(path, key=key)

    def _discover(self) -> None:
        found = {path for folder in self._folders for path in conversations_in(folder)}
        for path in sorted(found):
            self._add(path)
        for path in self._key_of.keys() - found - set(self._named):
            self._drop(path)

    def _drop(self, path: str) -> None:
        key = self._key_of.pop(path)
        catalogue = self._catalogues.pop(key)
        self._refused.pop(key, None)
        self._publish(Difference(entry.address, entry, None) for entry in catalogue.entries)

    def _refresh_each(self, keys: Iterable[str]) -> list[Difference]:
        return [difference for key in keys for difference in self._tried(key, self._catalogues[key].refresh)]

    def _tried(self, key: str, look: Callable[[], tuple[Difference, ...]]) -> tuple[Difference, ...]:
        try:
            differences = look()
        except PlaceRefused as error:
            catalogue = self._catalogues[key]
            # A conversation that is not there yet, or no more, is an empty one.
            if os.path.lexists(catalogue.path):
                self._refused[key] = Unreadable(address=Address(key, names.TOOL_OUTPUTS), words=str(error))
            return catalogue.forget()
        self._refused.pop(key, None)
        return differences

    def _publish(self, differences: Iterable[Difference]) -> None:
        # What the first look finds was there before: no change.
        if self._is_loaded and (told := tuple(differences)):
            for reference in self._subscribers:
                if (subscription := reference()) is not None:
                    subscription.add(told)

    def _busy(self) -> tuple[str, ...]:
        if len(self._catalogues) <= WATCHED_CONVERSATIONS:
            return tuple(self._catalogues)
        return tuple(key for key, catalogue in self._catalogues.items() if catalogue.has_live())

    def _directories(self, key: str) -> Iterator[str]:
        conversation, outputs, *tools = self._catalogues[key].directories()
        # The conversation's own folder holds other files that change all the time: only until there is a better one.
        if os.path.isdir(outputs):
            yield outputs
            yield from tools
        elif os.path.isdir(conversation):
            yield conversation

    def _sort_path(self, path: str, named: dict[str, set[Name]], whole: set[str]) -> None:
        folder, base = os.path.split(path)
        above, tool = os.path.split(folder)
        conversation, outputs = os.path.split(above)
        file = names.parse_file_name(base)
        if outputs == names.TOOL_OUTPUTS:
            if (key := self._key_of.get(conversation)) is not None and names.is_tool_name(tool):
                # An owner's file was made without a name, and events of its descriptor call it "#" and its inode.
                live = self._catalogues[key].live_in(tool)
                named.setdefault(key, set()).update(live if file is None else {Name(tool, file.capture_id)})
        elif keys := {self._key_of[place] for place in (path, folder, above) if place in self._key_of}:
            whole |= keys
        elif folder in self._folders:
            known = set(self._catalogues)
            self._discover()
            whole |= self._catalogues.keys() - known


def conversations_in(folder: str) -> Iterator[str]:
    """The paths of the conversations in a folder of conversations: its own folders that have captures, no links."""
    try:
        with os.scandir(folder) as found:
            for item in found:
                if item.is_dir(follow_symlinks=False) and is_conversation(item.path):
                    yield item.path
    except OSError:
        return


def is_conversation(path: str) -> bool:
    """Tell whether something was captured below ``path``."""
    return os.path.isdir(os.path.join(path, names.TOOL_OUTPUTS))


def _name(address: Address) -> Name:
    parts = address.ref.split("/")
    try:
        if len(parts) == 3 and parts[0] == names.TOOL_OUTPUTS:  # noqa: PLR2004
            return Name(names.tool_name(parts[1]), names.capture_id(parts[2]))
    except BadName as error:
        raise UnknownRef(f"{address.ref!r} is no ref: {error}") from error
    raise UnknownRef(f"{address.ref!r} is no ref; a ref is {names.TOOL_OUTPUTS}/TOOL/CAPTURE-ID")


def _says_something(difference: Difference) -> bool:
    return difference.before != difference.after or difference.unreadable is not None


def _change(difference: Difference) -> Change:
    before, after = difference.before, difference.after
    if after is None:
        kind = ChangeKind.REMOVED
    elif before is None:
        kind = ChangeKind.ADDED
    elif before.liveness not in ENDED and after.liveness in ENDED:
        kind = ChangeKind.ENDED
    else:
        kind = ChangeKind.UPDATED
    return Change(kind=kind, address=difference.address, entry=after, unreadable=difference.unreadable)
