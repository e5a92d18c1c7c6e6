"""The same with an event loop, also cancelled while it waits."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest

from capture_core import awaiting
from capture_core.polling import Cursor
from tests.captures import FAILED, Owner, finished

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "conversation"
    made.mkdir(mode=0o700)
    return made


async def test_poll_wait_follow_and_notices(place: Path) -> None:
    owner = Owner(place)
    owner.append("stdout", b"one")
    path, cursor = str(place), Cursor(str(place), owner.ref, "planner")
    news = await awaiting.poll(cursor)
    assert news.parts[0].data == b"one"
    await awaiting.ack(news)
    assert await awaiting.wait(path, owner.ref, timeout=0) is None
    followed = awaiting.follow(path, owner.ref)
    assert (await anext(followed)).parts[0].data == b"one"
    owner.append("stdout", b"two")
    threading.Timer(0.01, partial(owner.finish, FAILED)).start()
    entry = await awaiting.wait(path, owner.ref)
    assert entry is not None
    assert entry.process.exit_code == 2
    assert b"".join([part.data async for news in followed for part in news.parts]) == b"two"
    assert (await awaiting.poll(cursor)).parts[0].data == b"two"
    async for notice in awaiting.notices(path, "planner"):
        assert notice.ref == owner.ref
        await awaiting.ack(notice)
    assert [notice async for notice in awaiting.notices(path, "planner")] == []


async def test_those_to_come_are_told_until_it_is_cancelled(place: Path) -> None:
    one, heard = finished(place), list[str]()
    running = Owner(place)

    all_heard = anyio.Event()

    async def listen() -> None:
        async for notice in awaiting.notices(str(place), "planner", follow=True):
            heard.append(notice.notice_id)
            await awaiting.ack(notice)
            if len(heard) == 1:
                threading.Thread(target=running.finish, name="owner").start()
            else:
                all_heard.set()

    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        await all_heard.wait()
        # It waits for the next one, and nothing comes.
        group.cancel_scope.cancel()
    assert heard == [one.id, running.id]
    assert [notice async for notice in awaiting.notices(str(place), "planner")] == []


async def test_a_break_lets_go_of_the_consumer(place: Path) -> None:
    finished(place)
    found = awaiting.notices(str(place), "planner")
    await anext(found)
    await found.aclose()
    assert len([notice async for notice in awaiting.notices(str(place), "planner")]) == 1
