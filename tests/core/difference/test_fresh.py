"""A failure is new when the earlier run has none like it, or fewer; that it moved or took longer makes it no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.difference import fresh as room
from capture_core.difference.fresh import Failure, fresh

if TYPE_CHECKING:
    import pytest


def failure(headline: bytes, name: str = "gcc") -> Failure:
    return Failure(name, headline, 0, len(headline), 1)


OLD = [failure(b"a.c:12:5: error: no x"), failure(b"timeout after 3.5s"), failure(b"E   line 7")]


def test_only_what_is_new_is_told() -> None:
    moved = [failure(b"a.c:14:1: error: no x"), failure(b"timeout after 9.9s"), failure(b"E   line 8")]
    new = failure(b"a.c:12:5: error: no y")
    assert fresh(OLD, [*moved, new]) == ((new,), 1)
    assert fresh(OLD, moved).total == 0
    assert fresh([], moved).total == 3


def test_one_more_of_a_kind_is_new_and_so_is_another_kind() -> None:
    assert fresh(OLD, [OLD[0], OLD[0]]).total == 1
    assert fresh(OLD, [OLD[0]._replace(name="clang")]).total == 1


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "NEW_FAILURES_KEPT", 2)
    found = fresh([], [failure(b"no %c" % letter) for letter in b"abcde"])
    assert (len(found.failures), found.total) == (2, 5)
    monkeypatch.setattr(room, "FAILURES_COMPARED", 2)
    assert fresh(OLD, OLD) == ((), None)
