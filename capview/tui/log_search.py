"""The search of one view: what is looked for, where the reader stands among the matches, and where to go next."""

from __future__ import annotations

from dataclasses import dataclass

from capview.pager.search import Search


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a search has found so far.  ``ordinal``: which of ``count`` matches is the current one, if known."""

    text: str
    count: int
    ordinal: int | None
    complete: bool


class LogSearch:
    """A search that goes on while it is used: what is asked for before it was found is gone to when it is."""

    def __init__(self) -> None:
        self.running: Search | None = None
        self.current: tuple[int, int] | None = None
        self._wanted: bool | None = None
        self._from = 0

    def look_for(self, text: str, origin: int) -> None:
        """Search for ``text``, from the row that starts at ``origin``, and want the first match from there on."""
        self.clear()
        if text:
            self.running = Search(text, origin)
            self._wanted, self._from = True, origin

    def clear(self) -> None:
        """Search for nothing."""
        self.running = self.current = self._wanted = None

    def want(self, *, forward: bool, place: int) -> None:
        """Want the next match after the current one or, when there is none, the first from ``place`` on."""
        start = self.current[0] if self.current else place - forward
        self._wanted, self._from = forward, start + 1 if forward else start

    def found(self, committed: int) -> tuple[int, int] | None:
        """The wanted match, once, as soon as it is known; beyond the last one comes the first."""
        if self.running is None or self._wanted is None:
            return None
        match = self._seek(self.running, forward=self._wanted, complete=self.running.complete(committed))
        if match is not None or self.running.complete(committed):
            self._wanted = None
            self.current = match or self.current
        return match

    def finding(self, committed: int) -> Finding | None:
        """What to say of it."""
        if self.running is None:
            return None
        return Finding(
            text=self.running.text,
            count=self.running.count,
            ordinal=self.running.ordinal(self.current[0]) if self.current else None,
            complete=self.running.complete(committed),
        )

    def _seek(self, search: Search, *, forward: bool, complete: bool) -> tuple[int, int] | None:
        if forward:
            match = search.after(self._from)
            # While the part below is searched, a match above is not the next one: the next may still come.
            if match is not None and (complete or match[0] >= self._from):
                return match
            return search.after(0) if complete else None
        return search.before(self._from) or (search.before(1 << 62) if complete else None)
