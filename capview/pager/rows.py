"""Which bytes make which row: lines, pieces of long lines, and redraws by carriage return folded into the last one.

A *draw* is a run of bytes without CR and LF.  Of the draws of one line the last is shown; the ones before
it were overwritten on a terminal and are folded into its row, but for draws longer than ``Cuts.redraw`` bytes, which
are no redraws.  A shown draw of more than about two pieces is cut at multiples of ``Cuts.piece`` in the *file*: where
a cut lies depends on no distant byte and never changes while the line grows.  So every row has a byte address, any
byte leads to its row by looking at its neighbourhood, and no index is needed to scroll exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from capview.limits import VIEW_PAGE_BYTES, VIEW_PIECE_BYTES, VIEW_REDRAW_BYTES, VIEW_REDRAW_SCAN_BYTES
from capview.pager.folds import Fold, Folds

if TYPE_CHECKING:
    from capview.pager.pages import Reading

_RETURNS = (b"\r", b"\n")
_CONTINUATIONS = 3
"""Bytes of a UTF-8 code point after the first, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Sizes in bytes: of a page, of a piece, of the longest redraw, and how far back redraws are counted at once.

    ``fold`` off: every redraw is a row of its own.
    """

    page: int = VIEW_PAGE_BYTES
    piece: int = VIEW_PIECE_BYTES
    redraw: int = VIEW_REDRAW_BYTES
    scan: int = VIEW_REDRAW_SCAN_BYTES
    fold: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: it shows ``data``, the bytes ``start:end``, and stands for ``covers:next``.

    ``covers:start`` are folded redraws, ``end:next`` the line end; rows in order cover the file without a gap.
    ``redraws`` counts what is folded; ``None``: more than was looked at, and ``covers`` is then ``start``.
    """

    covers: int
    start: int
    end: int
    next: int
    data: bytes = b""
    redraws: int | None = 0
    continues: bool = False
    """A further piece of the draw above."""
    newline: bool = False
    """The line ends here."""


class Rows:
    """Rows of a document of ``length`` bytes.  Every method is a reading; folds found once are remembered."""

    def __init__(self, cuts: Cuts, length: int, folds: Folds) -> None:
        self.cuts = cuts
        self.length = length
        self.folds = folds

    def read(self, start: int, end: int) -> Reading[bytes]:
        """The bytes ``start:end``, clipped to the document."""
        start, end = max(start, 0), min(end, self.length)
        parts = []
        while start < end:
            number, offset = divmod(start, self.cuts.page)
            page = yield number
            part = page[offset : offset + end - start]
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def row(self, at: int, *, certain: bool = True) -> Reading[Row]:
        """The row that covers from ``at`` on, which is 0 or the ``next`` of another row, and before the end.

        Not ``certain``: ``at`` is a draw, and what is folded before it is not known.
        """
        near = yield from self.read(at - 1, at + self.cuts.piece)
        before, text = (near[:1], near[1:]) if at else (b"\n", near)
        if (short := _short_line(at, text, continues=before not in _RETURNS)) is not None:
            return short
        if before not in _RETURNS:
            return (yield from self._piece(at, at, 0, continues=True))
        draw = yield from self._after_returns(at)
        after, newline = yield from self._line_end(draw)
        if newline or after == self.length == draw:
            return Row(covers=at, start=at, end=at, next=after, newline=newline)
        fold = Fold(draw, at, 0)
        if self.cuts.fold:
            fold = yield from self.folds.skip(self, fold)
            if certain:
                self.folds.remember(fold)
        return (yield from self._piece(fold.draw, at, fold.redraws, continues=False))

    def containing(self, offset: int, *, exact: bool = False) -> Reading[Row]:
        """The row that covers byte ``offset``, which is before the end.

        ``exact``: whatever it takes, the row's ``covers`` and ``redraws`` are known.
        """
        at, certain = yield from self._boundary(offset, exact=exact)
        row = yield from self.row(at, certain=certain)
        if not certain:
            row = replace(row, covers=row.start, redraws=None)
        while row.next <= offset:
            row = yield from self.row(row.next)
        return row

    def before(self, at: int) -> Reading[Row | None]:
        """The row above the one that covers from ``at`` on; ``None`` above the first."""
        if at <= 0:
            return None
        row = yield from self.containing(at - 1, exact=True)
        if row.next > at:  # what was folded before ``at`` was not known
            return (yield from self.before(row.covers))
        return row

    def _boundary(self, offset: int, *, exact: bool) -> Reading[tuple[int, bool]]:
        """Where a row begins, at or before ``offset``; and whether nothing before that is folded into it."""
        for reach in (self.cuts.piece, self.cuts.redraw + 1):
            start = max(0, offset - reach)
            before = yield from self.read(start, offset)
            newline = before.rfind(b"\n")
            if newline >= 0 or start == 0:
                return start + newline + 1, True
        return (yield from self._boundary_in_long_line(offset, exact=exact))

    def _boundary_in_long_line(self, offset: int, *, exact: bool) -> Reading[tuple[int, bool]]:
        """The same, where the line began long before ``offset``."""
        end = yield from self._before_returns(offset)
        start = max(0, end - self.cuts.redraw - 1)
        text = yield from self.read(start, end)
        newline, returned = text.rfind(b"\n"), text.rfind(b"\r")
        if newline > returned or start == 0 > returned:
            return start + newline + 1, True
        if returned < 0:
            return (yield from self._cut_before(end)), True
        draw = start + returned + 1
        if not self.cuts.fold:
            return (yield from self._line_start_or(draw)), True
        fold = yield from self.folds.back(self, draw, budget=None if exact else self.cuts.scan)
        return (fold.covers, True) if fold else (draw, False)

    def _line_start_or(self, draw: int) -> Reading[int]:
        """Where the line starts when only carriage returns come before ``draw`` in it, else ``draw``."""
        end = yield from self._before_returns(draw)
        return end if (yield from self.read(end - 1, end)) in (b"", b"\n") else draw

    def _piece(self, at: int, covers: int, redraws: int, *, continues: bool) -> Reading[Row]:
        """The row that shows from ``at`` on, up to the end of the draw or the next cut."""
        size = self.cuts.piece
        multiple = (at // size + 1) * size if continues else -(-at // size) * size + size
        cut = yield from self._whole_code_points(multiple)
        data = _draw((yield from self.read(at, cut)))
        end = at + len(data)
        after, newline = yield from self._line_end(end)
        return Row(
            covers=covers,
            start=at,
            end=end,
            next=after,
            data=data,
            redraws=redraws,
            continues=continues,
            newline=newline,
        )

    def _cut_before(self, end: int) -> Reading[int]:
        """The last cut before ``end``, in a draw that starts long before it."""
        size = self.cuts.piece
        multiple = (end - 1) // size * size
        cut = yield from self._whole_code_points(multiple)
        return cut if cut < end else (yield from self._whole_code_points(multiple - size))

    def _whole_code_points(self, cut: int) -> Reading[int]:
        """``cut``, moved behind the code point in which it lies."""
        data = yield from self.read(cut, cut + _CONTINUATIONS)
        return cut + next((i for i, byte in enumerate(data) if byte & 0xC0 != 0x80), len(data))  # noqa: PLR2004

    def _line_end(self, end: int) -> Reading[tuple[int, bool]]:
        """Where what follows the draw that ends at ``end`` starts, and whether a newline was between."""
        after = yield from self._after_returns(end)
        newline = (yield from self.read(after, after + 1)) == b"\n"
        return after + newline, newline

    def _after_returns(self, at: int) -> Reading[int]:
        while at < self.length:
            block = yield from self.read(at, at + self.cuts.piece)
            rest = block.lstrip(b"\r")
            at += len(block) - len(rest)
            if rest:
                break
        return at

    def _before_returns(self, at: int) -> Reading[int]:
        while at > 0:
            block = yield from self.read(at - self.cuts.piece, at)
            rest = block.rstrip(b"\r")
            at -= len(block) - len(rest)
            if rest:
                break
        return at


def _short_line(at: int, text: bytes, *, continues: bool) -> Row | None:
    """The row of a line that ends within ``text`` and has no redraws: nearly every one."""
    newline = text.find(b"\n", 0, -_CONTINUATIONS)
    if newline < 0:
        return None
    data = text[:newline].rstrip(b"\r")
    if b"\r" in data:
        return None
    end = at + len(data)
    return Row(covers=at, start=at, end=end, next=at + newline + 1, data=data, continues=continues, newline=True)


def _draw(text: bytes) -> bytes:
    """What of ``text`` comes before the first carriage return or newline."""
    line = text.partition(b"\n")[0]
    return line.partition(b"\r")[0]
