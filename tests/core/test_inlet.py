"""One pipe: what is read of it, and what of that still belongs to its stream; real pipes and terminals."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core.inlet import Inlet

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pair() -> Iterator[tuple[Inlet, int]]:
    """An inlet that reads four bytes at once, and the end to write to, which the test closes."""
    read, write = os.pipe()
    yield Inlet("stdout", read, None, 4), write
    os.close(read)


def test_a_read_takes_so_much_and_nothing_at_the_end(pair: tuple[Inlet, int]) -> None:
    inlet, write = pair
    os.write(write, b"123456")
    os.close(write)
    assert [inlet.read() for _ in range(3)] == [b"1234", b"56", b""]
    assert inlet.is_hung_up()


def test_a_pipe_in_which_nothing_is_has_not_ended(pair: tuple[Inlet, int]) -> None:
    """Another reader of a pipe that does not block was faster."""
    inlet, write = pair
    os.set_blocking(inlet.fd, False)
    assert inlet.read() is None
    assert not inlet.is_hung_up()
    os.close(write)


def test_a_terminal_that_nobody_has_open_has_ended() -> None:
    master, slave = os.openpty()
    os.close(slave)
    assert Inlet("output", master, None, 4).read() == b""
    os.close(master)


def test_what_comes_after_the_window_is_parted_from_what_lay_in_the_pipe(pair: tuple[Inlet, int]) -> None:
    inlet, write = pair
    os.write(write, b"123456")
    assert inlet.close_window() == 6
    os.write(write, b"late")
    os.close(write)
    parted = [inlet.part(data) for data in iter(inlet.read, b"") if data is not None]
    assert b"".join(own for own, _ in parted) == b"123456"
    assert b"".join(late for _, late in parted) == b"late"
    assert inlet.left == 0


def test_a_stream_is_over_when_it_is_told(pair: tuple[Inlet, int]) -> None:
    inlet, write = pair
    os.close(write)
    assert not inlet.over
    inlet.ended = True
    assert inlet.over
