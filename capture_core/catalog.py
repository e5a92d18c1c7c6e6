"""All captures of one conversation as frozen entries; a change re-reads only the captures that it names."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.descend import NotOurs, step, tool_outputs
from capture_core.errors import PlaceRefused
from capture_core.facts import Liveness
from capture_core.limits.reading import RACY_DIRECTORY_SECONDS
from capture_core.liveness import here
from capture_core.look import Folder, look
from capture_core.source import Address, Entry, Listing, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from capture_core.facts import PreviewFacts

ENDED: Final = frozenset({Liveness.FINAL, Liveness.OWNER_DIED})
"""What cannot change any more but by names coming and going: a dead owner's lock is not taken again."""
_ANY_CAPTURE: Final = "20000101T000000Z-aaaaaaaaaaaaaaaa"


@dataclass(frozen=True, slots=True)
class Name:
    """One capture's place within its conversation."""

    tool: str
    capture: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One capture before and after; ``None``: not there, or not readable."""

    address: Address
    before: Entry | None
    after: Entry | None
    unreadable: Unreadable | None = None


@dataclass(slots=True)
class _Seen:
    """A tool folder at its last listing.  A renamed or replaced file changes its name or its inode."""

    settled: bool
    modified_ns: int
    files: dict[str, frozenset[tuple[str, int]]]


class Catalogue:
    """The captures of the conversation at ``path``, called ``key`` in addresses.

    Not for two threads at once.  Never writes.  The entries' receipts have their ``tail_text`` emptied
    (``""`` where there is one): ten thousand of them are kept.  :meth:`fresh` gives a whole one.
    """

    def __init__(self, path: str, *, key: str | None = None) -> None:
        self.path = path
        self.key = os.path.basename(os.path.abspath(path)) if key is None else key
        self._entries: dict[Name, Entry] = {}
        self._unreadable: dict[Name, Unreadable] = {}
        self._refused: dict[str, Unreadable] = {}
        self._seen: dict[str, _Seen] = {}
        self._unfinished: set[Name] = set()

    @property
    def entries(self) -> Iterable[Entry]:
        """Every readable capture, in no order."""
        return self._entries.values()

    def has_live(self) -> bool:
        """Whether any capture may still grow."""
        return bool(self._unfinished)

    def live_in(self, tool: str) -> frozenset[Name]:
        """The captures of one tool that may still grow."""
        return frozenset(name for name in self._unfinished if name.tool == tool)

    def has_folders(self) -> bool:
        """Whether any tool has a folder yet."""
        return bool(self._seen)

    def known(self, name: Name) -> Entry | None:
        """The capture as it was last seen; asks no disk."""
        return self._entries.get(name)

    def listing(self) -> Listing:
        """Everything known, newest first."""
        return Listing(
            entries=newest_first(self._entries.values()),
            unreadable=(*self._refused.values(), *self._unreadable.values()),
        )

    def directories(self) -> tuple[str, ...]:
        """The folders in which a change to this conversation's captures shows, by path, outermost first."""
        outputs = os.path.join(self.path, names.TOOL_OUTPUTS)
        return (self.path, outputs, *(os.path.join(outputs, tool) for tool in self._seen))

    def refresh(self) -> tuple[Difference, ...]:
        """Look for what came, went or went on; tool folders that did not change are not listed again.

        Raises :class:`PlaceRefused` when the conversation itself cannot be opened.
        """
        with tool_outputs(self.path) as outputs:
            named = set(self._changed_names(outputs))
        return self.look_at(named | self._unfinished)

    def look_at_live(self) -> tuple[Difference, ...]:
        """Look again at the captures that may still grow, and at nothing else."""
        return self.look_at(self._unfinished)

    def forget(self) -> tuple[Difference, ...]:
        """Start anew: the conversation is not there any more."""
        gone = tuple(Difference(entry.address, entry, None) for entry in self._entries.values())
        for kept in (self._entries, self._unreadable, self._refused, self._seen, self._unfinished):
            kept.clear()
        return gone

    def look_at(self, named: Iterable[Name]) -> tuple[Difference, ...]:
        """Look again at these captures, and tell which of them differ from what was known."""
        with ExitStack() as stack:
            folders = _Folders(self.path, self.key, stack)
            taken = [self._take(name, _see(folders, name)) for name in sorted(named, key=_place)]
        return tuple(difference for difference in taken if difference is not None)

    def fresh(self, name: Name) -> Entry | Unreadable | None:
        """One capture now, its receipt whole, without touching what is known.

        Raises :class:`BadName` for what is no name, as it may come from outside.
        """
        names.tool_name(name.tool)
        names.capture_id(name.capture)
        with ExitStack() as stack:
            return _see(_Folders(self.path, self.key, stack), name)

    def names(self) -> tuple[Name, ...]:
        """The captures that there are, by their files' names alone: newest second first, no receipt read."""
        with tool_outputs(self.path) as outputs:
            if outputs is None:
                return ()
            found = {Name(tool, capture) for tool in _tools(outputs) for capture in _list(outputs, tool)}
        return tuple(sorted(found, key=lambda name: (name.capture, name.tool), reverse=True))

    def _changed_names(self, outputs: int | None) -> Iterator[Name]:
        tools = frozenset() if outputs is None else frozenset(_tools(outputs))
        for tool in self._seen.keys() - tools:
            yield from (Name(tool, capture) for capture in self._seen.pop(tool).files)
        self._refused.clear()
        if outputs is not None:
            for tool in tools:
                yield from self._changed_or_refused(outputs, tool)

    def _changed_or_refused(self, outputs: int, tool: str) -> Iterator[Name]:
        try:
            yield from self._changed_in(outputs, tool)
        except PlaceRefused as error:
            address = Address(self.key, f"{names.TOOL_OUTPUTS}/{tool}")
            self._refused[tool] = Unreadable(address=address, words=str(error))

    def _changed_in(self, outputs: int, tool: str) -> Iterator[Name]:
        with step(outputs, tool) as fd:
            if fd is None:
                return
            before = self._seen.get(tool, _Seen(settled=False, modified_ns=0, files={}))
            # Read before the listing: a file that comes in between makes the next look list again.
            modified_ns = os.fstat(fd).st_mtime_ns
            if before.settled and before.modified_ns == modified_ns:
                return
            settled = time.time_ns() - modified_ns > RACY_DIRECTORY_SECONDS * 1e9
            self._seen[tool] = seen = _Seen(settled=settled, modified_ns=modified_ns, files=_signatures(fd))
        for capture in before.files.keys() | seen.files.keys():
            if before.files.get(capture) != seen.files.get(capture):
                yield Name(tool, capture)

    def _take(self, name: Name, now: Entry | Unreadable | None) -> Difference | None:
        before, was_unreadable = self._entries.pop(name, None), self._unreadable.pop(name, None)
        self._unfinished.discard(name)
        address = Address(self.key, names.ref(name.tool, name.capture))
        match now:
            case None:
                gone = before is not None or was_unreadable is not None
                return Difference(address, before, None) if gone else None
            case Unreadable():
                self._unreadable[name] = now
                return None if now == was_unreadable else Difference(address, before, None, now)
            case Entry():
                now = without_bodies(now)
                self._entries[name] = before if now == before and before is not None else now
                if now.liveness not in ENDED:
                    self._unfinished.add(name)
                return None if now == before else Difference(address, before, now)


class _Folders:
    """The tool folders of one look, each opened once, when first needed."""

    def __init__(self, path: str, key: str, stack: ExitStack) -> None:
        self._outputs = stack.enter_context(tool_outputs(path))
        self._key = key
        self._stack = stack
        self._open: dict[str, Folder | None] = {}

    def get(self, tool: str) -> Folder | None:
        if tool not in self._open:
            self._open[tool] = self._step(tool)
        return self._open[tool]

    def _step(self, tool: str) -> Folder | None:
        if self._outputs is None:
            return None
        fd = self._stack.enter_context(step(self._outputs, names.tool_name(tool)))
        return None if fd is None else Folder(fd, self._key, tool)


def newest_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Order by the second in the capture id, then by the exact start, then by the id."""
    return tuple(sorted(entries, key=_age, reverse=True))


def without_bodies(entry: Entry) -> Entry:
    """The entry with each ``tail_text`` emptied: ``""`` still says that there is one."""
    if not any(preview.tail_text for preview in entry.receipt.preview.values()):
        return entry
    return replace(entry, receipt=replace(entry.receipt, preview=_emptied(entry.receipt.preview)))


def _emptied(preview: Mapping[str, PreviewFacts]) -> dict[str, PreviewFacts]:
    return {name: facts if facts.tail_text is None else replace(facts, tail_text="") for name, facts in preview.items()}


def _place(name: Name) -> tuple[str, str]:
    return name.tool, name.capture


def _age(entry: Entry) -> tuple[str, str, str]:
    capture = entry.receipt.capture_id
    return capture.partition("-")[0], entry.receipt.times.started, capture


def _see(folders: _Folders, name: Name) -> Entry | Unreadable | None:
    try:
        folder = folders.get(name.tool)
    except PlaceRefused:
        return None
    return None if folder is None else look(folder, name.capture, here())


def _tools(outputs: int) -> Iterator[str]:
    with os.scandir(outputs) as found:
        for item in found:
            # A link is given out too, so that the step onto it refuses it by name.
            if names.is_tool_name(item.name) and (item.is_symlink() or item.is_dir()):
                yield item.name


def _list(outputs: int, tool: str) -> Iterator[str]:
    try:
        with step(outputs, tool) as fd:
            yield from () if fd is None else _signatures(fd)
    except NotOurs:
        return


def _signatures(fd: int) -> dict[str, frozenset[tuple[str, int]]]:
    files: dict[str, set[tuple[str, int]]] = {}
    with os.scandir(fd) as found:
        for item in found:
            capture, _, form = item.name.partition(".")
            # Thirty thousand names are listed at once; their forms are few, and each id comes several times.
            if _is_form(form) and (capture in files or _is_capture_id(capture)):
                files.setdefault(capture, set()).add((form, item.inode()))
    return {capture: frozenset(parts) for capture, parts in files.items()}


@lru_cache(maxsize=256)
def _is_form(form: str) -> bool:
    return names.parse_file_name(f"{_ANY_CAPTURE}.{form}") is not None


def _is_capture_id(text: str) -> bool:
    return names.parse_file_name(names.final_receipt_file(text)) is not None
