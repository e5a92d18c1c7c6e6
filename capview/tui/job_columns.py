"""The columns of the job list: what each shows of a capture, how wide it is, and what it sorts by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from capview import doing, present
from capview.pager import FILE_ADAPTER
from capview.present import Tone, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from capture_core.source import Address, Entry
    from capview.tui.board import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Text that is safe to draw, and its tone."""

    text: str
    tone: Tone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """``width`` cells, 0: what the others leave; shown from ``since`` cells of screen on.

    ``until``: shown below so many cells only, where another one shows the same on more room.  ``key``: what to sort
    by; largest first when ``falling``.
    """

    title: str
    width: int
    cell: Callable[[Entry, Snapshot], Cell]
    key: Callable[[Entry, Snapshot], tuple[float | str, ...]]
    since: int = 0
    until: int = 0
    right: bool = False
    falling: bool = False


def label(entry: Entry) -> str:
    """What the job is called: its label, or its tool and id when none was kept."""
    receipt = entry.receipt
    return safe(receipt.label) if receipt.label else f"{receipt.tool} {present.short_id(receipt.capture_id)}"


def headline(entry: Entry) -> str:
    """How it stands, with its glyph: ``✗ failed, log complete``."""
    if entry.receipt.producer.adapter == FILE_ADAPTER:
        return "▪ a file, not a capture"
    return f"{present.state(entry).glyph} {present.summary(entry)}"


def _state(entry: Entry, _: Snapshot) -> Cell:
    look = present.state(entry)
    word = look.words.partition(" by ")[0].partition(",")[0]
    return Cell(text=f"{look.glyph} {word}", tone=look.tone)


def _state_or_doing(entry: Entry, snapshot: Snapshot) -> Cell:
    now = _doing(entry, snapshot)
    return Cell(text=f"{present.state(entry).glyph} {now.text}", tone=now.tone) if now.text else _state(entry, snapshot)


def _doing(entry: Entry, snapshot: Snapshot) -> Cell:
    activity = snapshot.activities.get(entry.address)
    words = "" if activity is None else next(doing.short(activity), "")
    return Cell(text="") if activity is None or not words else Cell(text=words, tone=doing.tone(activity))


def _percent(entry: Entry, snapshot: Snapshot) -> float:
    activity = snapshot.activities.get(entry.address)
    return -1.0 if activity is None or activity.progress is None else activity.progress.percent


def _log(entry: Entry, _: Snapshot) -> Cell:
    look = present.log(entry)
    return Cell(text=f"{look.glyph} {look.words.removeprefix('log ')}", tone=look.tone)


def _elapsed(entry: Entry, snapshot: Snapshot) -> float:
    return present.elapsed(entry, snapshot.now) or 0.0


def _started(entry: Entry) -> str:
    return entry.receipt.times.started


_URGENCY = {Tone.BUSY: 0, Tone.BAD: 1, Tone.DOUBTFUL: 2, Tone.GOOD: 3, Tone.QUIET: 4}

_ROOMY = 88
"""From so many cells on what a job is doing has a column of its own."""

COLUMNS: tuple[Column, ...] = (
    Column(
        title="State",
        width=13,
        until=_ROOMY,
        cell=_state_or_doing,
        key=lambda entry, _: (_URGENCY[present.state(entry).tone],),
    ),
    Column(
        title="State",
        width=13,
        since=_ROOMY,
        cell=_state,
        key=lambda entry, _: (_URGENCY[present.state(entry).tone],),
    ),
    Column(
        title="Job",
        width=0,
        cell=lambda entry, _: Cell(text=label(entry)),
        key=lambda entry, _: (label(entry).lower(),),
    ),
    Column(
        title="Now",
        width=13,
        since=_ROOMY,
        cell=_doing,
        key=lambda entry, snapshot: (_percent(entry, snapshot),),
        falling=True,
    ),
    Column(
        title="Took",
        width=11,
        right=True,
        cell=lambda entry, snapshot: Cell(text=present.duration(present.elapsed(entry, snapshot.now))),
        key=lambda entry, snapshot: (_elapsed(entry, snapshot),),
        falling=True,
    ),
    Column(
        title="Rate",
        width=11,
        right=True,
        since=110,
        cell=lambda entry, snapshot: Cell(text=_rate(snapshot.rates.get(entry.address))),
        key=lambda entry, snapshot: (snapshot.rates.get(entry.address, 0.0),),
        falling=True,
    ),
    Column(
        title="Exit",
        width=7,
        right=True,
        cell=lambda entry, _: Cell(text=present.exit_words(entry.process)),
        key=lambda entry, _: (entry.process.exit_code or 0,),
        falling=True,
    ),
    Column(
        title="Log",
        width=1,
        cell=lambda entry, _: Cell(text=present.log(entry).glyph, tone=present.log(entry).tone),
        key=lambda entry, _: (present.log(entry).words,),
    ),
    Column(
        title="Log",
        width=24,
        since=130,
        cell=_log,
        key=lambda entry, _: (present.log(entry).words,),
    ),
    Column(
        title="Size",
        width=9,
        right=True,
        cell=lambda entry, _: Cell(text=present.size(present.committed(entry))),
        key=lambda entry, _: (present.committed(entry) or 0,),
        falling=True,
    ),
    Column(
        title="Age",
        width=6,
        right=True,
        cell=lambda entry, snapshot: Cell(text=present.age(present.moment(_started(entry)), snapshot.now)),
        key=lambda entry, _: (_started(entry), entry.receipt.capture_id),
        falling=True,
    ),
)


def sortable() -> tuple[Column, ...]:
    """The columns that one sorts by, by turns; the first is how the list is sorted at the start."""
    return (COLUMNS[-1], *(column for column in COLUMNS[:-1] if column.width != 1 and not column.until))


def visible(width: int) -> tuple[Column, ...]:
    """The columns that a screen of ``width`` cells has room for."""
    wide = [column for column in COLUMNS if column.since <= width and (not column.until or width < column.until)]
    titles = [column.title for column in wide]
    return tuple(c for c in wide if c.width != 1 or titles.count(c.title) == 1)


def widths(columns: tuple[Column, ...], width: int) -> list[int]:
    """Cells of each column; the column without a width of its own gets what is left."""
    fixed = sum(column.width for column in columns) + len(columns) - 1
    return [column.width or max(width - fixed, 8) for column in columns]


def fitted(text: str, width: int, *, right: bool) -> str:
    """``text`` in exactly ``width`` cells, the end left out where it is longer, and shown to be so."""
    cells = cell_len(text)
    if cells > width:
        return set_cell_size(text, width - 1) + "…" if width > 1 else set_cell_size(text, width)
    return " " * (width - cells) + text if right else text + " " * (width - cells)


class Filter:
    """Finds words in what is shown of jobs; remembers that text, for with each key all of them are looked at again."""

    def __init__(self) -> None:
        self._texts: dict[Address, tuple[Entry, str]] = {}

    def matching(self, entries: Iterable[Entry], wanted: str) -> list[Entry]:
        """The entries in which every word of ``wanted`` stands: in state, label, tool, exit, log, ref, conversation."""
        words = wanted.lower().split()
        if not words:
            self._texts.clear()
            return list(entries)
        return [entry for entry in entries if all(word in self._text(entry) for word in words)]

    def _text(self, entry: Entry) -> str:
        known = self._texts.get(entry.address)
        if known is None or known[0] is not entry:
            known = self._texts[entry.address] = entry, _searched(entry)
        return known[1]


def _searched(entry: Entry) -> str:
    parts = (
        present.summary(entry),
        label(entry),
        f"exit {present.exit_words(entry.process)}",
        entry.receipt.ref,  # holds the tool
        entry.address.conversation,
    )
    return " ".join(parts).lower()


def _rate(rate: float | None) -> str:
    return "" if not rate else f"{present.size(round(rate))}/s"
