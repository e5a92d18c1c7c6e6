"""The UI as it is started, on a job that `capview run` owns in another process: seen live, told of, never touched."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from capview.tui.app import CapviewApp
from capview.tui.opening import resolve
from capview.tui.screens.capture import CaptureScreen
from tests.view.waiting import press, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def job(conversation: Path, fifo: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """A job that prints what is written to its other end, and ends when that is closed."""
    os.mkfifo(fifo)
    run = (sys.executable, "-m", "capview", "run", "--quiet", "--conversation", str(conversation))
    front = subprocess.Popen((*run, "--label", "echo [1/3]", "--", "cat", str(fifo)))
    try:
        with fifo.open("wb", buffering=0) as feed:
            yield front, feed
    finally:
        front.wait()


def text(app: CapviewApp) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def opened(path: Path) -> CapviewApp:
    opening = resolve(str(path))
    return CapviewApp(opening.source, place=opening.place, wakeups=opening.wakeups)


async def test_a_job_of_another_process_is_watched_from_its_start_to_its_end(tmp_path: Path) -> None:
    conversation = tmp_path / "c"
    conversation.mkdir()
    app = opened(conversation)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "Nothing was captured here yet" in text(app))
        with job(conversation, tmp_path / "fifo") as (front, feed):
            await until(pilot, lambda: "● running" in text(app))
            await press(pilot, "enter")
            feed.write(b"one\n")
            await until(pilot, lambda: "1  one" in text(app))
            feed.write(b"two\n")
            await until(pilot, lambda: "2  two" in text(app))
            feed.close()
            await until(pilot, lambda: "✓ ok, log complete" in text(app))
            await until(pilot, lambda: len(app._notifications) == 1)
        assert front.returncode == 0


async def test_quitting_has_no_effect_on_a_job(tmp_path: Path) -> None:
    """Fails where the UI is the parent of what it shows, and ends its children as it quits: ``terminate()``."""
    conversation = tmp_path / "c"
    conversation.mkdir()
    with job(conversation, tmp_path / "fifo") as (front, feed):
        app = opened(conversation)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: app.snapshot.running)
            await press(pilot, "enter")
            await until(pilot, lambda: isinstance(app.screen, CaptureScreen))
            await pilot.press("q")
            await until(pilot, lambda: app._exit)
        assert front.poll() is None
        feed.write(b"still here\n")
    assert front.returncode == 0
    (log,) = conversation.glob("tool-outputs/shell/*.stdout.txt")
    assert log.read_bytes() == b"still here\n"
