"""What every reader stands on: one protocol for captures near and far, and the values that cross it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from capture_core.facts import CaptureFacts, Liveness, ProcessFacts, Receipt, RequestKind, SidecarKind
    from capture_core.line_index import LineIndex
    from capture_core.sidecar import Mark
    from capture_core.sought import Search


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """Where a capture is: the conversation's key within its source, and the ref within the conversation."""

    conversation: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStatus:
    """What a reader sees of one stream now: ``committed`` is the file's own length, not the receipt's word.

    ``None``: the file cannot be looked at.  ``modified`` is seconds since the epoch.
    """

    name: str
    committed: int | None
    modified: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One capture as a reader sees it now, bodies left out.

    In a :class:`Listing` and in :class:`Changes` each ``tail_text`` of the receipt is emptied: ``""`` still says
    that there is one, and :meth:`Source.receipt` gives it.

    ``process`` and ``capture`` are derived from the receipt and from ``liveness`` (an owner that died makes
    them ``unknown`` and ``partial/owner-died``); ``receipt`` stays as it was written.
    """

    address: Address
    receipt: Receipt
    liveness: Liveness
    process: ProcessFacts
    capture: CaptureFacts
    streams: tuple[StreamStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A capture whose receipt cannot be believed: named, with the reason, never hidden."""

    address: Address
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All captures of a source at one moment, newest first, and what could not be read."""

    entries: tuple[Entry, ...]
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Committed bytes ``start:end`` of a stream whose committed length is ``committed`` now.

    ``data`` are the bytes asked for and no more, fewer where less is committed or more was asked for than a source
    gives at once; they may begin or end inside a code point, because offsets are the caller's.  ``generation``
    changes when the bytes were replaced as a whole.
    """

    start: int
    end: int
    data: bytes
    committed: int
    generation: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a sidecar says of ``start:end`` of a stream's text, in the order of the offsets.

    The first mark may stand before ``start``: it is what holds there.  Where none does, text is plain, and when it
    arrived is unknown.
    """

    start: int
    end: int
    marks: tuple[Mark, ...]


class ChangeKind(StrEnum):
    """What happened to a capture since the last change that this watcher gave out."""

    ADDED = "added"
    UPDATED = "updated"
    ENDED = "ended"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One capture changed; ``entry`` is its newest state, ``None`` when it was removed.

    A capture whose receipt cannot be believed any more counts as removed, with ``unreadable`` to say why; one that
    could never be read comes as such a change, too.
    """

    kind: ChangeKind
    address: Address
    entry: Entry | None
    unreadable: Unreadable | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A batch of changes, at most one a capture, and how they were learnt: ``watching`` or polling.

    A batch without changes says only that the way of learning is now another one; the first batch does.
    """

    changes: tuple[Change, ...]
    watching: bool


class NearLine(NamedTuple):
    """A line before or after a hit, without its newline; ``text`` is bounded as a hit's is."""

    line: int | None
    line_start: int
    line_end: int
    text: bytes
    text_start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One matching line: its number (1-based, ``None`` when not counted), its byte range, and its first match's.

    ``text`` are bytes of that line around the match, from offset ``text_start`` on, bounded; the line's newline is
    in neither.  ``matches``: the first match, or all of them, up to a bound, where they were asked for.  Of a line
    that was asked for because nothing in it matches there are none, and ``start`` and ``end`` are where it begins.
    """

    address: Address
    stream: str
    line: int | None
    line_start: int
    line_end: int
    start: int
    end: int
    text: bytes
    text_start: int
    generation: int = 1
    """Of the stream's bytes, as in :class:`Page`."""
    matches: tuple[tuple[int, int], ...] = ()
    before: tuple[NearLine, ...] = ()
    after: tuple[NearLine, ...] = ()


class LineCount(Protocol):
    """The count of one stream's lines, shared by all who look at it; give it back with :meth:`aclose`.

    It counts nothing by itself: only while somebody waits in :meth:`more`.
    """

    @property
    def index(self) -> LineIndex:
        """What is counted so far, of bytes of this :attr:`generation`; another one after :meth:`distrust`."""

    @property
    def generation(self) -> int:
        """Of the stream's bytes, as in :class:`Page`."""

    async def more(self, committed: int) -> None:
        """Count on towards ``committed`` bytes, for a moment, or until another's counting has come further.

        Raises :class:`capture_core.errors.StreamGone`.  A call that is cancelled returns at once.
        """

    def take(self, page: Page) -> None:
        """Count bytes that somebody has read already, where they go on with what is counted."""

    def distrust(self, index: LineIndex) -> None:
        """Count anew: this index, which may have been kept from earlier, was found wrong."""

    async def aclose(self) -> None:
        """Give it back."""


class Source(Protocol):
    """Captures of one place.  Async and cancellable; a remote place and a local one look the same.

    Errors are those of :mod:`capture_core.errors`: ``UnknownRef`` for a capture that is not there,
    ``StreamGone`` for a stream whose file vanished, ``Refused`` for what this source does not do.
    """

    async def list(self) -> Listing:
        """All captures now, newest first."""

    async def receipt(self, address: Address) -> Entry:
        """One capture now, derived states included."""

    async def range(self, address: Address, stream: str, start: int, end: int) -> Page:
        """Committed bytes of one stream; clipped to what is committed, never an error for asking beyond it.

        Ends need not be those asked for: go on at the page's ``end``.
        """

    async def marks(self, address: Address, stream: str, kind: SidecarKind, start: int, end: int) -> Marks:
        """What is known of this range of the text beside it, empty where nothing is.

        Ends need not be those asked for, when there is more than is given at once: go on at the answer's ``end``.
        From the offset on that the receipt names for a sidecar that is not whole, nothing is known.
        """

    async def lines(self, address: Address, stream: str) -> LineCount:
        """The count of one stream's lines, the same one for all who ask while anybody has it."""

    def search(self, search: Search, addresses: tuple[Address, ...] = ()) -> AsyncIterator[Hit]:
        """Hits in order, streaming; linear time whatever the pattern, refused when that cannot be.

        Without addresses every capture is searched, newest first.
        """

    def changes(self) -> AsyncIterator[Changes]:
        """Batches of changes from this call on; ends only when closed.

        Who needs the whole calls this first, then :meth:`list`, then takes the batches: nothing is missed, and a
        change may tell what the listing already showed.
        """

    async def request(self, address: Address, kind: RequestKind, reason: str) -> None:
        """Ask the owner of a live capture; raises ``Refused`` where this source or capture cannot be asked."""
