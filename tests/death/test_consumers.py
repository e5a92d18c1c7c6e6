"""SIGKILL of a consumer before each call by which it changes its disk: what was given comes again, none is lost."""

from __future__ import annotations

import os
import shutil
from itertools import count
from typing import TYPE_CHECKING

import pytest

from capture_core import notices, polling
from capture_core.notices import Inbox
from capture_core.polling import Cursor
from tests.captures import finished
from tests.core.test_notices import told
from tests.death.stepped import StoppedOwner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TEXT = b"0123456789"


def deaths(template: Path, work: Callable[[Path, int], object]) -> Iterator[tuple[str, Path, list[bytes]]]:
    """Where each consumer was killed, its conversation, and what it had handed over; the last one came to its end."""
    for number in count():
        # In a folder of its own: calls are stopped below the one that the conversation is in.
        place = template.parent / str(number) / "c"
        shutil.copytree(template, place)
        read, write = os.pipe()
        stopped = StoppedOwner(place, number, lambda: work(place, write))  # noqa: B023 — it forks at once
        stopped.kill()
        os.close(write)
        with open(read, "rb") as handed:
            lines = handed.read().split()
        yield f"{number}, {stopped.before}", place, lines
        if not stopped.before:
            return


def tell(place: Path, hand: int) -> None:
    with Inbox(str(place), "planner") as inbox:
        for notice in inbox.look():
            os.write(hand, f"{notice.notice_id}\n".encode())
            notice.ack()


@pytest.fixture
def template(tmp_path: Path) -> Path:
    made = tmp_path / "template"
    made.mkdir(mode=0o700)
    return made


def test_notices(template: Path) -> None:
    """Who marks first loses one; who marks all at the end tells all of them again."""
    wanted = sorted(finished(template, second=second).id for second in range(3))
    repeated = set()
    for where, place, handed in deaths(template, tell):
        first, second = [line.decode() for line in handed], told(place)
        assert sorted({*first, *second}) == wanted, f"{where}: lost"
        again = set(first) & set(second)
        assert len(again) <= 1, f"{where}: {again}"
        repeated.add(len(again))
        assert told(place) == [], where
    assert repeated == {0, 1}, "somewhere it was killed between hand-over and mark"


def test_notices_while_what_is_known_is_written_anew(template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "CONSUMER_STALE_LINES", 2)
    stays = finished(template, second=50)
    for second in range(5):
        finished(template, second=second)
    assert len(told(template)) == 6
    for path in stays.folder.iterdir():
        if not path.name.startswith(stays.id):
            path.unlink()
    new = finished(template, second=51).id
    steps = set()
    for where, place, handed in deaths(template, tell):
        steps.add(where.partition(", ")[2])
        assert {line.decode() for line in handed} | set(told(place)) == {new}, where
        assert told(place) == [], where
        assert len((place / ".capview/consumers/planner/delivered").read_text().splitlines()) == 3
    assert {"replace", "fsync"} <= steps


def take(place: Path, hand: int, ref: str) -> None:
    while True:
        with Cursor(str(place), ref, "planner").polled(4) as news:
            if news.is_empty:
                return
            os.write(hand, news.parts[0].data + b"\n")


@pytest.mark.parametrize("stale", [256, 2], ids=["growing", "written anew"])
def test_polls(template: Path, monkeypatch: pytest.MonkeyPatch, stale: int) -> None:
    """Who moves the cursor first loses a piece; none but the last one that was given comes again."""
    monkeypatch.setattr(polling, "CONSUMER_STALE_LINES", stale)
    ref = finished(template, TEXT).ref
    repeated = set()
    for where, place, handed in deaths(template, lambda place, hand: take(place, hand, ref)):
        rest, cursor = b"", Cursor(str(place), ref, "planner")
        while not (news := cursor.poll()).is_empty:
            rest += news.parts[0].data
        given = b"".join(handed)
        assert TEXT.startswith(given), where
        again = len(given) + len(rest) - len(TEXT)
        assert TEXT.endswith(rest), where
        assert 0 <= again <= 4, where
        repeated.add(again)
    assert 0 in repeated
    assert repeated > {0}, "somewhere it was killed between hand-over and mark"
