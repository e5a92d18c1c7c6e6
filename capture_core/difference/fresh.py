"""Which likely failures one run has and another has not; pure, whoever found them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from capture_core.difference.normal import normalised
from capture_core.limits.difference import FAILURES_COMPARED, NEW_FAILURES_KEPT
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.difference.normal import Normal

_LINE: Final = re.compile(rb"(?<=[\w)\]]:)\d{1,9}(?::\d{1,9})?\b|(?<=\bline )\d{1,9}\b")
"""A failure that only moved within its file is none that is new."""


class Failure(NamedTuple):
    """A likely failure: what it looks like, the line that tells most of it, and where it is."""

    name: str
    headline: bytes
    start: int
    end: int
    line: int | None


class Fresh(NamedTuple):
    """The first of ``total`` failures that only the later run has; ``None``: the earlier had too many to say."""

    failures: tuple[Failure, ...]
    total: int | None


def fresh(
    earlier: Iterable[Failure],
    later: Iterable[Failure],
    *,
    normal: Normal = normalised,
    later_normal: Normal = normalised,
) -> Fresh:
    """The failures of the later run that the earlier has not, or not as often, whatever it took and where it ran."""
    known: Counter[int] = Counter()
    for each in earlier:
        known[_key(each, normal)] += 1
        if len(known) > FAILURES_COMPARED:
            return Fresh((), None)
    kept: list[Failure] = []
    total = 0
    for each in later:
        key = _key(each, later_normal)
        if known[key] > 0:
            known[key] -= 1
            continue
        total += 1
        if len(kept) < NEW_FAILURES_KEPT:
            kept.append(each)
    return Fresh(tuple(kept), total)


def _key(failure: Failure, normal: Normal) -> int:
    return hash((failure.name, _LINE.sub(b"<line>", normal(failure.headline))))
