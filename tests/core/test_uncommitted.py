"""What was not written: counted, and the last of it kept in the order in which it was made."""

from __future__ import annotations

from capture_core.uncommitted import Uncommitted


def test_nothing_is_kept_before_a_cut_and_all_is_counted() -> None:
    rest = Uncommitted()
    rest.refuse(b"refused")
    assert (rest.size, rest.last_text()) == (7, None)


def test_what_follows_a_cut_is_kept_and_not_counted() -> None:
    rest = Uncommitted()
    rest.keep_last(8)
    rest.refuse("refuse é".encode())
    rest.go_on(b"d on")
    assert (rest.size, rest.last_text()) == (9, "e éd on")


def test_what_stood_before_comes_before_what_was_told() -> None:
    rest = Uncommitted()
    rest.keep_last(8)
    rest.refuse(b"cdef")
    rest.refuse_before(b"ab")
    assert (rest.size, rest.last_text()) == (6, "abcdef")
    rest.refuse_before(b"0123456789")
    assert (rest.size, rest.last_text()) == (16, "89abcdef")
