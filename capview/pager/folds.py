"""Redraws of one line: over which draws carriage returns went, forwards and backwards, and what was found before."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from capview.pager.pages import Reading

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Fold:
    """``redraws`` overwritten draws lie between byte ``covers`` and the draw that starts at ``draw``."""

    draw: int
    covers: int
    redraws: int


class Bytes(Protocol):
    """What folds are looked for in: ``length`` bytes, a range at a time."""

    length: int

    def read(self, start: int, end: int) -> Reading[bytes]:
        """The bytes ``start:end``."""


class Folds:
    """The folds found lately.  Committed bytes never change, so a fold stays true; later redraws add to it.

    Without it a progress line of 18 MB would be scanned anew at every redraw.  ``block`` bytes are read at once;
    draws longer than ``redraw`` bytes are never folded, and ``block`` is not more than that.
    """

    def __init__(self, *, block: int, redraw: int) -> None:
        self._block = block
        self._redraw = redraw
        self._found: OrderedDict[int, Fold] = OrderedDict()

    def clear(self) -> None:
        """Forget everything: the file was replaced."""
        self._found.clear()

    def remember(self, fold: Fold) -> None:
        """Keep a fold whose ``covers`` is certain."""
        self._found[fold.draw] = fold
        self._found.move_to_end(fold.draw)
        while len(self._found) > _REMEMBERED:
            self._found.popitem(last=False)

    def skip(self, source: Bytes, fold: Fold) -> Reading[Fold]:
        """Go from draw to draw until one that is shown: the last of the line, or one too long to be a redraw."""
        known = [found for found in self._found.values() if found.covers == fold.covers]
        fold = max((fold, *known), key=lambda found: found.draw)
        draw = last = fold.draw  # where the draw in hand starts, and the last one that is not empty
        count = fold.redraws  # draws closed before the one in hand
        at = draw
        while at < source.length:
            block = yield from source.read(at, self._edge_after(at))
            newline = block.find(b"\n")
            text = block if newline < 0 else block[:newline]
            returned = text.find(b"\r")
            end = at + (len(text) if returned < 0 else returned)
            if end - draw > self._redraw:
                return Fold(draw, fold.covers, count)
            if returned >= 0:
                count += (end > draw) + _between_returns(text)
                last = _last_start(at, text, draw, last)
                draw = at + text.rfind(b"\r") + 1
            at += len(text)
            if newline >= 0:
                break
        return Fold(draw, fold.covers, count) if at > draw else Fold(last, fold.covers, count - 1)

    def back(self, source: Bytes, draw: int, *, budget: int | None) -> Reading[Fold | None]:
        """The fold before ``draw``, whose preceding byte is a carriage return; ``None`` beyond ``budget`` bytes."""
        if draw in self._found:
            return self._found[draw]
        at = end = draw - 1  # the draw in hand ends at ``end`` and is known from ``at`` on
        covers, count = draw, 0
        while at > 0 and (budget is None or draw - at <= budget):
            known = self._known_before(at)
            floor = max((at - 1) // self._block * self._block, known.draw if known else 0)
            block = yield from source.read(floor, at)
            newline = block.rfind(b"\n")
            text = block[newline + 1 :]
            start = at - len(text)
            after = start + text.rfind(b"\r") + 1
            if end - after > self._redraw:
                return self._remembered(Fold(draw, covers, count))
            if after > start:
                count += (end > after) + _between_returns(text)
                covers = _first_start(start, text, end, covers)
                end = start + text.find(b"\r")
            at = start
            if newline >= 0:
                return self._remembered(Fold(draw, at, count + (end > at)))
            if known and at == known.draw:
                return self._remembered(Fold(draw, known.covers, count + (end > at) + known.redraws))
        return self._remembered(Fold(draw, 0, count + (end > 0))) if at == 0 else None

    def _edge_after(self, at: int) -> int:
        return (at // self._block + 1) * self._block

    def _known_before(self, at: int) -> Fold | None:
        return max((f for f in self._found.values() if f.draw < at), key=lambda f: f.draw, default=None)

    def _remembered(self, fold: Fold) -> Fold:
        self.remember(fold)
        return fold


def _between_returns(text: bytes) -> int:
    """How many draws that are not empty lie between the first carriage return in ``text`` and the last."""
    if b"\r\r" not in text:
        return max(0, text.count(b"\r") - 1)
    return sum(map(bool, text[text.find(b"\r") : text.rfind(b"\r")].split(b"\r")))


def _last_start(at: int, text: bytes, draw: int, last: int) -> int:
    """Where the last draw that is not empty starts, of those that a carriage return in ``text`` closed."""
    closed = text[: text.rfind(b"\r")].rstrip(b"\r")
    if not closed:
        return draw if draw < at else last
    returned = closed.rfind(b"\r")
    return at + returned + 1 if returned >= 0 else draw


def _first_start(start: int, text: bytes, end: int, covers: int) -> int:
    """Where the first draw after the first carriage return in ``text`` starts that is not empty."""
    after = text[text.find(b"\r") :].lstrip(b"\r")
    found = start + len(text) - len(after)
    return found if found < end else covers
