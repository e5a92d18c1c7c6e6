"""A consumer's folder: private, of its own name, and for one process at a time."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.consumers import Consumer, Turn
from capture_core.errors import BadName, ConsumerBusy, PlaceRefused
from tests.death.stepped import end_of, forked

if TYPE_CHECKING:
    from pathlib import Path


def folder(place: Path, name: str = "planner") -> Path:
    return place / ".capview" / "consumers" / name


def test_it_is_made_private_under_any_umask(place: Path) -> None:
    before = os.umask(0)
    try:
        Consumer(str(place), "planner").close()
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o7777 for path in (place, folder(place).parent, folder(place))] == [0o700] * 3
    assert (folder(place) / "lock").stat().st_mode & 0o7777 == 0o600


@pytest.mark.parametrize("name", ["", "../x", "A", ".hidden", "a/b", "x" * 65, "con"])
def test_what_is_no_name_is_refused_before_anything_is_made(place: Path, name: str) -> None:
    with pytest.raises(BadName, match="consumer name"):
        Consumer(str(place), name)
    assert not place.exists()


@pytest.mark.parametrize("what", ["a file", "a link", "others may write"])
def test_a_strange_folder_is_refused_in_one_line(place: Path, tmp_path: Path, what: str) -> None:
    folder(place).parent.mkdir(mode=0o700, parents=True)
    match what:
        case "a file":
            folder(place).write_text("mine")
        case "a link":
            (tmp_path / "elsewhere").mkdir()
            folder(place).symlink_to(tmp_path / "elsewhere")
        case _:
            folder(place).mkdir()
            folder(place).chmod(0o777)
    with pytest.raises(PlaceRefused):
        Consumer(str(place), "planner")
    assert not (tmp_path / "elsewhere" / "lock").exists()


def test_a_turn_is_one_process_s_and_the_next_one_waits_for_it(place: Path) -> None:
    held, go = os.pipe(), os.pipe()

    def hold() -> None:
        with Consumer(str(place), "planner") as other, other.turn(Turn.NOTICES):
            os.write(held[1], b"!")
            os.read(go[0], 1)

    pid = forked(hold)
    os.read(held[0], 1)
    with Consumer(str(place), "planner") as consumer:
        with pytest.raises(ConsumerBusy, match="another process is at it"), consumer.turn(Turn.NOTICES, 0.01):
            pass
        with consumer.turn(Turn.CURSORS, 0.01):
            pass  # whoever waits for notices keeps nobody from polling
        with Consumer(str(place), "critic") as another, another.turn(Turn.NOTICES, 0.01):
            pass
        threading.Timer(0.01, os.write, (go[1], b"!")).start()
        with consumer.turn(Turn.NOTICES, 30):
            pass
    assert end_of(pid) == 0
    for fd in (*held, *go):
        os.close(fd)


def test_two_of_one_process_exclude_each_other_and_a_killed_one_lets_go(place: Path) -> None:
    with Consumer(str(place), "planner") as one, Consumer(str(place), "planner") as two:
        with one.turn(Turn.CURSORS), pytest.raises(ConsumerBusy), two.turn(Turn.CURSORS, 0.01):
            pass
        with two.turn(Turn.CURSORS, 0.01):
            pass


def test_a_removed_lock_is_no_lock(place: Path) -> None:
    """Who locks the inode that it once opened would be alone with it, beside one who made the file anew."""
    with Consumer(str(place), "planner") as one:
        (folder(place) / "lock").unlink()
        with (
            Consumer(str(place), "planner") as two,
            two.turn(Turn.NOTICES),
            pytest.raises(ConsumerBusy),
            one.turn(Turn.NOTICES, 0.01),
        ):
            pass


def test_a_fork_of_the_host_keeps_nobody_out(place: Path) -> None:
    go = os.pipe()
    with Consumer(str(place), "planner") as one, one.turn(Turn.NOTICES):
        pid = forked(lambda: os.read(go[0], 1))
    with Consumer(str(place), "planner") as two, two.turn(Turn.NOTICES, 0.01):
        pass
    os.write(go[1], b"!")
    assert end_of(pid) == 0
    for fd in go:
        os.close(fd)
