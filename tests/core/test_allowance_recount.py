"""What a conversation keeps is counted anew: after deaths, removals, and the loss of the tally."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

import pytest

from capture_core import allowance, shared_tally
from capture_core.account import Account, Uncounted, account, kept_in
from capture_core.errors import PlaceRefused
from capture_core.facts import AllowanceState
from capture_core.limits.allowance import ALLOWANCE_UNLISTED_BYTES
from capture_core.recount import reconcile
from capture_core.shared_tally import SharedTally
from capture_core.tally import Stamp, decode
from tests.core.allowance_owner import DAMAGES, LIMIT, Owner, Tree, no_more_open_files, put_another

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_dead_owner_is_counted_by_its_files(tree: Tree) -> None:
    dead = Owner(tree)
    dead.retain(100)
    dead.reserve(400_000)
    dead.die()
    owner = Owner(tree)
    owner.retain(1)
    owner.settle()
    assert tree.taken() == tree.kept() == 101


def test_removed_captures_make_room_without_a_word(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Owner(tree, capture=0)
    first.retain(LIMIT)
    first.settle()
    (tree.path / "tool-outputs" / "shell" / f"{first.capture}.stdout.live").unlink()
    second = Owner(tree, capture=0)
    assert second.retain(1) == 0
    second.settle()
    monkeypatch.setattr(allowance, "ALLOWANCE_COUNT_AGAIN_SECONDS", 0)
    third = Owner(tree, capture=0)
    assert third.retain(LIMIT) == LIMIT
    third.settle()


def test_removed_captures_make_room_at_once_where_that_is_said(tree: Tree) -> None:
    first = Owner(tree, capture=0)
    first.retain(LIMIT)
    first.settle()
    assert account(str(tree.path)) == Account(kept=LIMIT, counted=LIMIT, owners=0)
    (tree.path / "tool-outputs" / "shell" / f"{first.capture}.stdout.live").unlink()
    assert reconcile(str(tree.path)) == 0
    second = Owner(tree, capture=0)
    assert second.retain(LIMIT) == LIMIT
    assert reconcile(str(tree.path)) == LIMIT
    assert account(str(tree.path)) == Account(kept=LIMIT, counted=LIMIT, owners=1)
    second.settle()


def test_a_conversation_without_a_tally_has_nothing_to_reconcile(tree: Tree, tmp_path: Path) -> None:
    assert reconcile(str(tree.path)) is None
    assert account(str(tree.path)) == Account(kept=0, counted=None, owners=0)
    assert reconcile(str(tmp_path)) is None
    assert kept_in(str(tmp_path)) == 0
    for path in (str(tmp_path / "missing"), "no\0name"):
        with pytest.raises(PlaceRefused):
            account(path)


def test_what_is_gone_is_not_made_to_be_counted(tree: Tree) -> None:
    owner = Owner(tree)
    owner.retain(10)
    owner.settle()
    shutil.rmtree(tree.path / "tool-outputs")
    assert reconcile(str(tree.path)) is None
    assert [path.name for path in tree.path.iterdir()] == [".capview"]


def test_an_account_that_cannot_be_had_is_refused_and_never_a_smaller_one(tree: Tree) -> None:
    owner = Owner(tree)
    owner.retain(10)
    whole, told, errors = account(str(tree.path)), set(), set()
    for spare in range(10):
        with no_more_open_files(spare):
            try:
                told.add(account(str(tree.path)))
            except (PlaceRefused, Uncounted) as error:
                errors.add(type(error))
    assert told == {whole}
    assert errors == {PlaceRefused, Uncounted}
    owner.settle()


def test_threads_line_up_for_one_file_and_leave_no_line_behind(tree: Tree) -> None:
    owner = Owner(tree)
    owner.retain(10)
    status = tree.tally.stat()
    with contextlib.closing(SharedTally(tree.place)) as shared, shared.turn(3):
        assert list(shared_tally._queues) == [(status.st_dev, status.st_ino)]
    assert list(shared_tally._queues) == []
    owner.settle()


def _of_another_boot(tree: Tree) -> None:
    tally = decode(tree.tally.read_bytes())
    assert tally is not None
    tally.taken, tally.stamp = 2**40, Stamp(b"another boot's!!", *tally.stamp[1:])
    tree.tally.write_bytes(tally.encode())


@pytest.mark.parametrize("damage", [*DAMAGES, _of_another_boot])
def test_a_lost_tally_is_made_anew_from_the_files(tree: Tree, damage: Callable[[Tree], None]) -> None:
    first = Owner(tree)
    first.retain(1234)
    first.settle()
    damage(tree)
    second = Owner(tree)
    second.retain(1)
    second.settle()
    assert tree.taken() == tree.kept() == 1235
    assert second.state() is AllowanceState.COUNTED


@pytest.mark.parametrize("damage", DAMAGES)
def test_owners_that_write_when_the_tally_is_lost_find_into_the_new_one(
    tree: Tree, damage: Callable[[Tree], None]
) -> None:
    limit = 4 * ALLOWANCE_UNLISTED_BYTES
    first, second = Owner(tree, limit=limit), Owner(tree, limit=limit)
    first.retain(100_000)
    second.retain(50)
    damage(tree)
    third = Owner(tree, limit=limit)
    third.retain(1)
    # Nobody knows what the others are about to write: as much as they may.
    assert tree.taken() > 2 * ALLOWANCE_UNLISTED_BYTES
    for owner in (first, second):
        owner.retain(300_000)
    assert tree.taken() < ALLOWANCE_UNLISTED_BYTES
    for owner in (first, second, third):
        owner.settle()
    assert tree.taken() == tree.kept() == 700_051


def test_an_owner_proves_its_life_in_a_tally_that_was_put_in_the_others_place(tree: Tree) -> None:
    owner = Owner(tree)
    # Nothing is in its files that would tell of it.
    owner.reserve(10)
    put_another(tree)
    owner.reserve(500_000)
    other = Owner(tree)
    assert 0 < other.retain(LIMIT) < LIMIT - 500_000
    owner.write()
    for each in (owner, other):
        each.settle()
    assert tree.taken() == tree.kept() <= LIMIT
