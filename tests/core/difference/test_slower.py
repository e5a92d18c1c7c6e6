"""Steps of two runs are paired by what they are, and told when the later one took noticeably longer."""

from __future__ import annotations

from capture_core.difference.slower import slower
from tests.core.outline.test_forms import outlined

STEPS = outlined(b"::group::A in 3s\n::group::B\n::group::B\n::group::C\n").steps
LATER = outlined(b"::group::new\n::group::A in 5s\n::group::B\n::group::B\n::group::C\n").steps


def test_those_that_lost_most_come_first() -> None:
    found = slower(
        zip(STEPS, [1.0, 1.0, 1.0, 1.0], strict=True),
        zip(LATER, [99.0, 2.0, 1.0, 11.0, 1.2], strict=True),
    )
    assert [(each.step.title, each.before, each.after) for each in found] == [("B", 1.0, 11.0), ("A in 5s", 1.0, 2.0)]
    assert found[0].step.first_line == 4


def test_what_is_not_known_or_within_the_noise_is_none() -> None:
    before = zip(STEPS, [None, 1.0, 100.0, 0.1], strict=True)
    assert slower(before, zip(LATER, [1.0, 50.0, None, 110.0, 0.4], strict=True)) == []
