"""Which processes are a job's, and which of them are its owner's to end: tables made up, so that each case is there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core import orphans, processes
from capture_core.processes import Process
from capture_core.tree import Tree

if TYPE_CHECKING:
    from capture_core.processes import Table

LEADER, HOST_SESSION = 100, 50


def process(pid: int, parent: int, *, group: int = LEADER, session: int = HOST_SESSION, state: str = "S") -> Process:
    return Process(pid, f"p{pid}", state, parent, group, session, threads=1, started=pid, resident_pages=1)


LEADING = process(LEADER, 1)


class Machine:
    """What /proc shows, changed by the test."""

    def __init__(self, *found: Process) -> None:
        self.found = found

    def __call__(self) -> Table:
        return {each.pid: each for each in self.found}


def ours(tree: Tree) -> list[int]:
    tree.look()
    return sorted(each.pid for each in tree.ours())


def known(tree: Tree) -> list[int]:
    return sorted(survivor.pid for survivor in tree.survivors() or ())


def test_descendants_and_the_group_are_ours_and_a_session_of_its_own_is_not() -> None:
    machine = Machine(
        LEADING,
        process(101, LEADER),
        process(102, 101, group=102),
        process(103, 101, group=103, session=103),
        process(104, 1),  # of the group, its parent gone
        process(105, 1, group=105),  # a stranger
    )
    tree = Tree(LEADER, machine)
    assert ours(tree) == [101, 102, 104]
    assert known(tree) == [101, 102, 103, 104]


def test_one_that_was_seen_stays_known_when_its_parent_has_gone() -> None:
    """Looked at anew each time, it is nobody's after the TERM that ended its parent, and is never killed."""
    machine = Machine(LEADING, process(101, LEADER), process(102, 101, group=102))
    tree = Tree(LEADER, machine)
    assert ours(tree) == [101, 102]
    machine.found = (LEADING, process(102, 1, group=102), process(103, 102, group=102))
    assert ours(tree) == [102, 103]


def test_a_stranger_that_was_given_the_id_of_one_is_not_it() -> None:
    machine = Machine(LEADING, process(101, LEADER, group=101))
    tree = Tree(LEADER, machine)
    assert ours(tree) == [101]
    machine.found = (LEADING, process(101, 1, group=101)._replace(started=999))
    assert ours(tree) == []
    assert known(tree) == []


@pytest.mark.parametrize("state", ["Z", "X"])
def test_the_dead_are_nobody_to_wait_for(state: str) -> None:
    tree = Tree(LEADER, Machine(LEADING, process(101, LEADER, state=state)))
    assert ours(tree) == []


def test_the_leader_is_not_one_of_them_but_counts_for_what_all_use() -> None:
    tree = Tree(LEADER, Machine(LEADING, process(101, LEADER)))
    assert ours(tree) == [101]
    assert sorted(each.pid for each in tree.everybody()) == [LEADER, 101]
    assert tree.has_leader


def test_where_the_os_does_not_tell_nobody_knows() -> None:
    tree = Tree(LEADER, Machine())
    assert ours(tree) == []
    assert tree.survivors() is None
    assert not tree.has_leader


def test_an_adopter_s_are_all_that_it_adopted_whatever_their_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "is_adopting", lambda: True)
    own = os.getpid()
    machine = Machine(
        process(own, 1, group=own),
        process(LEADER, own),
        process(101, LEADER, group=101, session=101),
        process(102, own, group=102, session=102),
        process(103, 102, group=102, session=102),
        process(104, 1, group=104, session=104),
    )
    assert ours(Tree(LEADER, machine)) == [101, 102, 103]


def test_a_host_believes_the_second_look_that_finds_nobody() -> None:
    """Who forks and ends while a look goes on is in neither of its two parts."""
    machine = Machine(LEADING, process(101, LEADER))
    tree = Tree(LEADER, machine)
    over = []
    for found in ((LEADING, process(101, LEADER)), (LEADING,), (LEADING, process(102, 1)), (LEADING,), (LEADING,)):
        machine.found = found
        tree.look()
        over.append(tree.is_over())
    assert over == [False, False, False, False, True]


@pytest.mark.parametrize(("living", "said"), [(True, None), (False, ())])
def test_an_adopter_asks_the_kernel_whether_anybody_escapes_its_looks(
    monkeypatch: pytest.MonkeyPatch, *, living: bool, said: object
) -> None:
    monkeypatch.setattr(orphans, "is_adopting", lambda: True)
    monkeypatch.setattr(orphans, "has_living", lambda: living)
    tree = Tree(LEADER, Machine(LEADING))
    for _ in range(3):
        tree.look()
    assert tree.is_over() is not living
    assert tree.survivors() == said


def test_who_was_killed_since_the_last_look_is_no_survivor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "is_adopting", lambda: True)
    monkeypatch.setattr(orphans, "has_living", lambda: False)
    tree = Tree(LEADER, Machine(LEADING, process(101, LEADER)))
    tree.look()
    assert tree.survivors() == ()


def test_the_real_table_is_what_is_looked_at() -> None:
    tree = Tree(os.getpid())
    tree.look()
    assert tree.has_leader
    assert {each.pid for each in tree.everybody()} <= set(processes.table()) | {os.getpid()}
