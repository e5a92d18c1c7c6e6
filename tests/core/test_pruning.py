"""Which captures go: never one that may not, oldest first, and no fewer bytes than were asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from capture_core.pruning import Candidate, Rule, pick

NOW = 1000.0


def capture(number: int, *, size: int = 10, ended: float | None = 0.0, may_go: bool = True, of: str = "a") -> Candidate:
    return Candidate(of, (f"{number:04}", "", ""), ended, size, may_go)


@st.composite
def some_captures(draw: st.DrawFn) -> list[Candidate]:
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from("ab"),
                st.none() | st.floats(0, NOW, allow_nan=False),
                st.integers(0, 100),
                st.booleans(),
            ),
            max_size=12,
        )
    )
    order = draw(st.permutations(range(len(rows))))
    return [
        capture(number, size=size, ended=ended, may_go=may_go, of=of)
        for number, (of, ended, size, may_go) in zip(order, rows, strict=True)
    ]


rules = st.builds(
    Rule,
    older_than=st.none() | st.floats(0, NOW, allow_nan=False),
    keep=st.none() | st.integers(0, 8),
    to_size=st.none() | st.integers(0, 500),
)
both = st.builds(
    Rule,
    older_than=st.floats(0, NOW, allow_nan=False),
    keep=st.none() | st.integers(0, 8),
    to_size=st.integers(0, 500),
)


@given(some_captures(), rules)
def test_only_what_may_go_goes_and_the_oldest_first(captures: list[Candidate], rule: Rule) -> None:
    going = pick(captures, rule, NOW)
    assert len(set(going)) == len(going)
    assert all(captures[place].may_go for place in going)
    started = [captures[place].started for place in going]
    assert started == sorted(started)


@given(some_captures(), rules)
def test_the_newest_of_each_conversation_stay(captures: list[Candidate], rule: Rule) -> None:
    going = {captures[place] for place in pick(captures, rule, NOW)}
    for conversation in "ab":
        of_it = sorted((each for each in captures if each.conversation == conversation), key=lambda each: each.started)
        assert not going & set(of_it[len(of_it) - min(rule.keep or 0, len(of_it)) :])


@given(some_captures(), st.integers(0, 500), st.none() | st.integers(0, 8))
def test_it_fits_then_or_nothing_is_left_that_may_go(captures: list[Candidate], to_size: int, keep: int | None) -> None:
    going = pick(captures, Rule(to_size=to_size, keep=keep), NOW)
    left = sum(each.size for each in captures) - sum(captures[place].size for place in going)
    every = pick(captures, Rule(keep=keep or 0), NOW)
    assert left <= to_size or going == every
    # One fewer would not do: the last that went was needed.
    assert not going or left + captures[going[-1]].size > to_size
    assert going == every[: len(going)]


@given(some_captures(), st.floats(0, NOW, allow_nan=False))
def test_age_counts_from_the_end(captures: list[Candidate], older_than: float) -> None:
    going = set(pick(captures, Rule(older_than=older_than), NOW))
    for place, each in enumerate(captures):
        is_old = each.ended is not None and each.ended <= NOW - older_than
        assert (place in going) == (each.may_go and is_old)


@given(some_captures(), both)
def test_what_age_and_size_choose_together_is_no_less_than_each_alone(captures: list[Candidate], rule: Rule) -> None:
    going = set(pick(captures, rule, NOW))
    assert going >= set(pick(captures, rule._replace(to_size=None), NOW))
    left = sum(each.size for each in captures) - sum(captures[place].size for place in going)
    assert left <= (rule.to_size or 0) or going == set(pick(captures, Rule(keep=rule.keep or 0), NOW))


def test_nothing_asked_nothing_goes() -> None:
    assert pick([capture(1)], Rule(), NOW) == []


def test_keep_alone_leaves_all_others_to_go() -> None:
    captures = [capture(number) for number in (3, 1, 2)]
    assert pick(captures, Rule(keep=1), NOW) == [1, 2]
    assert pick(captures, Rule(keep=0), NOW) == [1, 2, 0]


def test_one_that_runs_counts_among_the_newest() -> None:
    captures = [capture(1), capture(2), capture(3, may_go=False, ended=None)]
    assert pick(captures, Rule(keep=2), NOW) == [0]


def test_what_may_not_go_counts_for_the_size() -> None:
    captures = [capture(1, size=100, may_go=False), capture(2, size=50), capture(3, size=50)]
    assert pick(captures, Rule(to_size=150), NOW) == [1]
