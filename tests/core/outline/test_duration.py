"""How long a step took is the time between two arrivals, and unknown where one is."""

from __future__ import annotations

from capture_core.outline.duration import seconds
from tests.core.outline.test_forms import outlined

[STEP] = outlined(b"::group::A\nx\n::endgroup::\n").steps


def test_it_is_the_time_between_its_places() -> None:
    assert (STEP.since, STEP.until) == (0, 13)
    assert seconds(STEP, {0: 1_000_000_000, 13: 3_500_000_000}.get) == 2.5


def test_one_that_is_not_known_makes_it_unknown() -> None:
    assert seconds(STEP, {13: 3_500_000_000}.get) is None
    assert seconds(STEP, {0: 3_500_000_000}.get) is None


def test_a_clock_that_was_set_back_makes_no_time_negative() -> None:
    assert seconds(STEP, {0: 9, 13: 1}.get) == 0
