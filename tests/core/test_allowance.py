"""What a conversation may keep: never more, to the byte, whoever takes it, and what is not used is given back."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from capture_core import allowance
from capture_core.account import kept_in
from capture_core.facts import AllowanceState
from capture_core.recount import reconcile
from tests.core.allowance_owner import LIMIT, SHARE, Owner, Tree, no_more_open_files
from tests.core.test_durable import as_nobody, open_to_nobody

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_to_nobody"]


def test_one_capture_may_have_it_all_but_what_is_the_sidecars(tree: Tree) -> None:
    owner = Owner(tree)
    assert owner.retain(10) == 10
    assert owner.retain(2 * LIMIT) == LIMIT - SHARE - 10
    assert owner.retain(1) == 0
    assert owner.describe(2 * LIMIT) == SHARE
    assert owner.describe(16) == 0
    owner.settle()
    assert tree.kept() == tree.taken() == owner.used() == LIMIT


def test_text_is_cut_where_it_would_be_without_sidecars(tree: Tree) -> None:
    owner = Owner(tree)
    written = 0
    while given := owner.retain(40_000):
        written += given
        owner.describe(1_000)
    assert written == LIMIT - SHARE
    owner.settle()


def test_what_is_not_used_is_given_back(tree: Tree) -> None:
    owner = Owner(tree)
    owner.retain(3)
    assert tree.taken() > 3
    owner.settle()
    assert tree.taken() == owner.used() == 3


def test_nothing_is_made_for_a_capture_that_keeps_nothing(tree: Tree) -> None:
    owner = Owner(tree)
    owner.settle()
    assert owner.allowance.facts() is None
    assert not tree.tally.parent.exists()


def test_files_of_the_tally_are_private(tree: Tree) -> None:
    for mask in (0, 0o777):
        old = os.umask(mask)
        owner = Owner(tree)
        owner.retain(1)
        owner.settle()
        modes = [path.stat().st_mode & 0o777 for path in (tree.tally.parent, tree.tally)]
        os.umask(old)
        assert modes == [0o700, 0o600]
        tree.tally.unlink()
        tree.tally.parent.rmdir()


def test_the_last_bytes_can_be_used_by_anyone(tree: Tree) -> None:
    first, second = Owner(tree, capture=0), Owner(tree, capture=0)
    given = [owner.retain(1000) for owner in (first, second) * 600]
    # Nothing is left lying with one of them while the other needs it.
    assert sum(given) == LIMIT
    first.settle()
    second.settle()
    assert tree.kept() == tree.taken() == LIMIT


def test_an_explicit_limit_counts_beside_what_others_have(tree: Tree) -> None:
    first = Owner(tree, capture=0)
    first.retain(LIMIT)
    second = Owner(tree, capture=5_000, asked=True)
    assert second.retain(5_000) == 5_000
    assert second.describe(600) == 600
    assert second.retain(9) == 0
    assert second.describe(100) == 24
    facts = second.allowance.facts()
    assert facts is not None
    assert (facts.raised_from, facts.limit_bytes) == (LIMIT, LIMIT + 5_000 + 624)
    first.settle()
    second.settle()
    assert tree.kept() == tree.taken()


def test_an_explicit_limit_that_fits_raises_nothing(tree: Tree) -> None:
    owner = Owner(tree, capture=5_000, asked=True)
    owner.retain(5_000)
    owner.settle()
    facts = owner.allowance.facts()
    assert facts is not None
    assert (facts.raised_from, facts.limit_bytes, facts.used_bytes) == (None, LIMIT, 5_000)


def test_where_nothing_can_be_counted_nothing_is_retained(tree: Tree) -> None:
    first, second = Owner(tree), Owner(tree)
    first.retain(LIMIT - SHARE - 10)
    with no_more_open_files():
        assert second.retain(100) == 0
    assert second.state() is AllowanceState.UNCOUNTED
    assert second.retain(1) == 0
    for owner in (first, second):
        owner.settle()
    assert tree.taken() == tree.kept()


def test_what_is_no_folder_or_file_of_captures_is_not_counted(tree: Tree) -> None:
    (tree.path / "tool-outputs" / "file").write_bytes(b"no folder")
    (tree.path / "tool-outputs" / "link").symlink_to(tree.path / "tool-outputs" / "shell")
    (tree.path / "tool-outputs" / "shell" / "notes.txt").write_bytes(b"no capture")
    owner = Owner(tree)
    owner.retain(5)
    owner.settle()
    assert reconcile(str(tree.path)) == 5


def test_a_folder_of_another_user_is_not_counted(open_to_nobody: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can have somebody else's folder")

    def work() -> None:
        tree = Tree(open_to_nobody / "conversation")
        owner = Owner(tree)
        owner.retain(5)
        owner.settle()

    assert as_nobody(work) == ""
    outputs = open_to_nobody / "conversation" / "tool-outputs"
    shutil.copytree(outputs / "shell", outputs / "python")
    assert kept_in(str(outputs.parent)) == 10
    (outputs / "python").chmod(0o700)  # and it is root's

    def count_again() -> None:
        assert (kept_in(str(outputs.parent)), reconcile(str(outputs.parent))) == (5, 5)

    assert as_nobody(count_again) == ""


def test_too_many_at_once_retain_nothing(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "ALLOWANCE_OWNERS", 2)
    owners = [Owner(tree) for _ in range(3)]
    assert [owner.retain(5) for owner in owners] == [5, 5, 0]
    for owner in owners:
        owner.settle()
    assert [owner.state() for owner in owners][1:] == [AllowanceState.COUNTED, AllowanceState.CROWDED]
    assert tree.taken() == tree.kept() == 10
