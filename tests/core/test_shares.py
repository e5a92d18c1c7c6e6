"""A bound divided: nobody gets more than it wants, all of it is given out, what one leaves goes to others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capture_core.shares import shares


def test_what_a_short_one_leaves_goes_to_the_others() -> None:
    assert shares({"stdout": 100, "stderr": 2}, 10) == {"stderr": 2, "stdout": 8}
    assert shares({"stdout": 100, "stderr": 100}, 10) == {"stdout": 5, "stderr": 5}
    assert shares({}, 10) == {}


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 100), min_size=1), st.integers(6, 200))
def test_all_that_is_wanted_is_given_as_far_as_it_goes(lengths: dict[str, int], total: int) -> None:
    given_out = shares(lengths, total)
    taken = {name: min(given_out[name], length) for name, length in lengths.items()}
    assert sum(taken.values()) == min(total, sum(lengths.values()))
