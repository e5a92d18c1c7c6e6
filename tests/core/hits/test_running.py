"""A search that is left: at any moment, by another thread, and nothing of it stays open."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from capture_core.find.matcher import Wanted
from capture_core.hits.running import RunningSearch
from capture_core.sought import Search
from tests.captures import entry_of, finished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core.hits.captures import Place


def open_files(folder: Path) -> list[str]:
    """What this process has open below ``folder``."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue  # that of the listing itself
    return [path for path in found if path.startswith(str(folder))]


def wait_until_closed(folder: Path) -> None:
    deadline = time.monotonic() + 20
    while open_files(folder):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_whoever_waits_for_hits_elsewhere_is_told_that_there_are_no_more(tmp_path: Path) -> None:
    owner, goes_on, waits = finished(tmp_path, b"hit\n"), threading.Event(), threading.Event()

    def places() -> Iterator[Place]:
        yield str(tmp_path), entry_of(tmp_path, owner)
        waits.set()
        assert goes_on.wait(20)
        yield str(tmp_path), entry_of(tmp_path, owner)

    search = RunningSearch(Search(Wanted("hit")), places)
    assert search.take()
    taken: list[object] = [""]
    other = threading.Thread(target=lambda: taken.append(search.take()))
    other.start()
    assert waits.wait(20)
    search.leave()  # waits for nobody
    goes_on.set()
    other.join()
    assert taken == ["", None]
    assert search.take() is None
    wait_until_closed(tmp_path)


def test_one_that_nobody_is_at_is_closed(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"hit\n" * 10_000)
    search = RunningSearch(Search(Wanted("hit")), lambda: [(str(tmp_path), entry_of(tmp_path, owner))])
    assert search.take()
    assert len(open_files(tmp_path)) == 1
    search.leave()
    wait_until_closed(tmp_path)
    assert search.take() is None
