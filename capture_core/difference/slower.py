"""Which steps of a build took longer than in another run of it; pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from capture_core.difference.normal import normalised
from capture_core.limits.difference import SLOWER_RATIO, SLOWER_SECONDS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capture_core.difference.normal import Normal
    from capture_core.outline.step import Step


class Slower(NamedTuple):
    """A step as it is in the later run, and how many seconds it took in both."""

    step: Step
    before: float
    after: float


def slower(
    earlier: Iterable[tuple[Step, float | None]],
    later: Iterable[tuple[Step, float | None]],
    *,
    normal: Normal = normalised,
    later_normal: Normal = normalised,
) -> list[Slower]:
    """The steps that both runs have and whose time is known in both, those that lost most time first.

    A step is the same when it has the same form, depth and title, and is as many-th of these.
    """
    known = dict(_named(earlier, normal))
    found = [
        Slower(step, before[1], after)
        for key, (step, after) in _named(later, later_normal)
        if (before := known.get(key)) is not None and _is_slower(before[1], after)
    ]
    return sorted(found, key=lambda each: each.before - each.after)


def _is_slower(before: float, after: float) -> bool:
    return after - before >= SLOWER_SECONDS and after >= before * SLOWER_RATIO


def _named(
    steps: Iterable[tuple[Step, float | None]], normal: Normal
) -> Iterator[tuple[tuple[str, int, bytes, int], tuple[Step, float]]]:
    seen: Counter[tuple[str, int, bytes]] = Counter()
    for step, seconds in steps:
        name = step.form, step.depth, normal(step.title.encode())
        seen[name] += 1
        if seconds is not None:
            yield (*name, seen[name]), (step, seconds)
