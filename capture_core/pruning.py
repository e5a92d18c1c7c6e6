"""Which captures go when somebody asks for room: oldest first, and never one that may not; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Candidate(NamedTuple):
    """One capture as pruning sees it."""

    conversation: str
    """Its conversation's path."""
    started: tuple[str, str, str]
    """What captures are ordered by: a later one is greater, and no two are equal."""
    ended: float | None
    """Seconds since the epoch; ``None``: not ended, or not known when."""
    size: int
    """Bytes of all its files, which are free when it has gone."""
    may_go: bool
    """Whether it has ended, and nothing holds it."""


class Rule(NamedTuple):
    """What is to go.  ``older_than`` and ``to_size`` choose, ``keep`` protects; alone it leaves everything else to go.

    ``older_than``: those that ended at least so many seconds ago.  ``keep``: as many of the newest of each
    conversation stay.  ``to_size``: the oldest, until all that is left has at most so many bytes.
    """

    older_than: float | None = None
    keep: int | None = None
    to_size: int | None = None


def pick(captures: Sequence[Candidate], rule: Rule, now: float) -> list[int]:
    """The places in ``captures`` of those that go, oldest first; ``now`` in seconds since the epoch."""
    oldest_first = sorted(range(len(captures)), key=lambda place: captures[place].started)
    stay = _newest(captures, oldest_first, rule.keep or 0)
    free = [place for place in oldest_first if captures[place].may_go and place not in stay]
    if rule.older_than is None and rule.to_size is None:
        return free if rule.keep is not None else []
    going = {place for place in free if _is_aged(captures[place], rule.older_than, now)}
    if rule.to_size is not None:
        going |= _crowded_out(captures, free, going, rule.to_size)
    return [place for place in free if place in going]


def _newest(captures: Sequence[Candidate], oldest_first: Iterable[int], count: int) -> set[int]:
    by_conversation: dict[str, list[int]] = {}
    for place in oldest_first:
        by_conversation.setdefault(captures[place].conversation, []).append(place)
    return {place for places in by_conversation.values() for place in places[len(places) - min(count, len(places)) :]}


def _is_aged(capture: Candidate, older_than: float | None, now: float) -> bool:
    return older_than is not None and capture.ended is not None and capture.ended <= now - older_than


def _crowded_out(captures: Sequence[Candidate], free: Iterable[int], gone: set[int], size: int) -> set[int]:
    left = sum(capture.size for place, capture in enumerate(captures) if place not in gone)
    more: set[int] = set()
    for place in free:
        if left <= size:
            break
        if place not in gone:
            more.add(place)
            left -= captures[place].size
    return more
