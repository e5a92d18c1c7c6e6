"""What an owner does to the terminal of a front that is gone, on a real one."""

from __future__ import annotations

import os
import termios
from typing import TYPE_CHECKING

import pytest

from capture_core.front_terminal import FrontTerminal
from capture_core.link import Lent, Returned
from capture_core.tty_settings import raw

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def slave() -> Iterator[int]:
    """A terminal that is set as at login."""
    master, slave = os.openpty()
    yield slave
    os.close(slave)
    os.close(master)


def lend(slave: int, *, keeping: int = 0) -> Lent:
    """What the front says of it."""
    saved = termios.tcgetattr(slave)
    return Lent(saved, raw(saved, keeping=keeping, flow=0, shows=True))


def set_to(slave: int, attributes: list[int | list[bytes | int]]) -> None:
    termios.tcsetattr(slave, termios.TCSANOW, attributes)


@pytest.mark.parametrize("is_later", [False, True], ids=["as-told-last", "as-told-before"])
def test_what_the_front_had_set_is_restored(slave: int, *, is_later: bool) -> None:
    """It may have been killed before the settings that it told of last were there."""
    lent = lend(slave, keeping=termios.ISIG)
    terminal = FrontTerminal(os.dup(slave), lent)
    set_to(slave, lent.applied)
    if is_later:
        terminal.heard(Lent(lent.saved, raw(lent.saved, keeping=0, flow=0, shows=True)))
    terminal.give_back()
    assert termios.tcgetattr(slave) == lent.saved


def test_what_somebody_else_has_set_since_stays(slave: int) -> None:
    lent = lend(slave)
    terminal = FrontTerminal(os.dup(slave), lent)
    own = termios.tcgetattr(slave)
    assert isinstance(own[3], int)
    own[3] &= ~termios.ECHO
    set_to(slave, own)
    terminal.give_back()
    assert termios.tcgetattr(slave) == own


def test_what_was_returned_is_nobody_s_to_restore(slave: int) -> None:
    """A shell may set it to just the same."""
    lent = lend(slave)
    terminal = FrontTerminal(os.dup(slave), lent)
    terminal.heard(Returned())
    set_to(slave, lent.applied)
    terminal.give_back()
    assert termios.tcgetattr(slave) == lent.applied


def test_a_terminal_that_is_gone_is_let_go() -> None:
    master, slave = os.openpty()
    lent = lend(slave)
    terminal = FrontTerminal(slave, lent)
    os.close(master)
    terminal.give_back()
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(slave)
