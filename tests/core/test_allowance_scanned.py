"""Where there can be no tally the files are counted, and what stands in its way is left alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core import byte_locks
from capture_core.facts import AllowanceState
from tests.core.allowance_owner import LIMIT, Owner, Tree

if TYPE_CHECKING:
    from collections.abc import Callable


def _no_locks(_fd: int, _at: int) -> bool:
    raise OSError(37, "No locks available")


def _link(tree: Tree) -> None:
    tree.tally.parent.mkdir(0o700)
    tree.tally.symlink_to(tree.path / "elsewhere")


def _fifo(tree: Tree) -> None:
    tree.tally.parent.mkdir(0o700)
    os.mkfifo(tree.tally)


def _folder(tree: Tree) -> None:
    tree.tally.mkdir(parents=True)


def _open_to_others(tree: Tree) -> None:
    tree.tally.parent.mkdir(0o700)
    tree.tally.touch()
    tree.tally.chmod(0o622)


def _hard_link(tree: Tree) -> None:
    tree.tally.parent.mkdir(0o700)
    (tree.path / "precious").write_bytes(b"precious")
    tree.tally.hardlink_to(tree.path / "precious")


def _linked_folder(tree: Tree) -> None:
    (tree.path / "elsewhere").mkdir()
    tree.tally.parent.symlink_to(tree.path / "elsewhere")


@pytest.mark.parametrize("obstacle", [_link, _fifo, _folder, _open_to_others, _hard_link, _linked_folder])
def test_what_stands_in_the_way_is_left_alone_and_the_files_are_counted(
    tree: Tree, obstacle: Callable[[Tree], None]
) -> None:
    obstacle(tree)
    before = {path: path.lstat() for path in tree.path.rglob("*") if "shell" not in path.parts}
    _files_are_counted(tree)
    after = {path: path.lstat() for path in before}
    assert [status.st_mtime_ns for status in before.values()] == [status.st_mtime_ns for status in after.values()]
    assert not any((tree.path / "elsewhere").rglob("*"))


def test_the_files_are_counted_where_there_are_no_locks(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few file systems lack them.
    monkeypatch.setattr(byte_locks, "lock", _no_locks)
    _files_are_counted(tree)


def _files_are_counted(tree: Tree) -> None:
    first = Owner(tree, capture=0)
    first.retain(LIMIT // 2)
    first.settle()
    assert (first.state(), first.used()) == (AllowanceState.SCANNED, LIMIT // 2)
    second = Owner(tree, capture=0)
    assert second.retain(LIMIT) == LIMIT // 2
    assert second.retain(1) == 0
    second.settle()
    assert tree.kept() == LIMIT


def test_a_tally_that_goes_for_good_leaves_the_files_to_be_counted(tree: Tree) -> None:
    owner = Owner(tree, capture=0)
    owner.retain(10)
    tree.tally.unlink()
    tree.tally.parent.rmdir()
    tree.tally.parent.symlink_to(tree.path)
    assert owner.retain(LIMIT) == LIMIT - 10
    owner.settle()
    assert owner.state() is AllowanceState.SCANNED
