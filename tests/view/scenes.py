"""What snapshots and screenshots show: real captures, and one that goes on while one looks, at a fixed time."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from capture_core.feed import Wake
from capture_core.local import LocalSource
from capview.tui.app import CapviewApp
from capview.tui.wakeups import BY_HAND
from tests.captures import Owner
from tests.view.driving import ByHand
from tests.view.waiting import press, settled, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.pilot import Pilot

RECORDED = Path(__file__).parents[1] / "raw" / "conversations" / "greeting"
NOW = 1_796_056_800.0
"""2026-11-30T16:40:00Z, a minute after the last of the recorded captures."""
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Keys pressed on the Jobs screen; ``is_empty``: on a conversation in which nothing was captured yet."""

    keys: tuple[str, ...] = ()
    is_empty: bool = False


SCENES = {
    "jobs": Scene(keys=("j",)),
    "jobs-light": Scene(keys=("T", "j", "j", "j")),
    "jobs-filtered": Scene(keys=("slash", *"make")),
    "jobs-empty": Scene(is_empty=True),
    "capture-live": Scene(keys=("enter",)),
    "capture-failed": Scene(keys=("j", "enter", "3")),
    "capture-cut": Scene(keys=("j", "j", "j", "enter", "G")),
    "capture-redraws": Scene(keys=("j", "j", "j", "j", "enter")),
    "capture-search": Scene(keys=("j", "j", "enter", "2", "slash", *"warning")),
    "capture-receipt": Scene(keys=("j", "j", "j", "enter", "4")),
    "help": Scene(keys=("enter", "question_mark")),
}


class SceneApp(CapviewApp):
    """The app on a scene's conversation; :meth:`play` brings it to what the scene shows."""

    def __init__(self, conversation: Path) -> None:
        self.feed = ByHand()
        source = LocalSource([str(conversation)], feed=self.feed)
        super().__init__(source, place="~/greeting", clock=lambda: NOW, wakeups=BY_HAND)

    async def play(self, pilot: Pilot[None], scene: Scene) -> None:
        self.feed.queue.put_nowait(Wake(watching=True))
        await until(pilot, lambda: self.snapshot.watching)
        await settled(pilot)
        await press(pilot, *scene.keys)
        await settled(pilot)
        for widget in self.screen.query("Input"):
            widget.cursor_blink = False  # type: ignore[attr-defined]


@contextmanager
def conversation(folder: Path, scene: Scene) -> Iterator[Path]:
    """The recorded captures, and one that goes on."""
    place = folder / "greeting"
    if scene.is_empty:
        place.mkdir()
        yield place
        return
    shutil.copytree(RECORDED, place)
    owner = Owner(place, capture="20261130T163930Z-k3v7q2mzt4w6x5ya", label="make dist", announce=False)
    times = replace(owner.receipt.times, started="2026-11-30T16:39:30.000Z")
    owner.announce(replace(owner.receipt, times=times))
    owner.append("stdout", b"".join(b"[%3d/340] CC  src/module_%03d.c\n" % (n, n) for n in range(1, 208)))
    for stream in ("stdout", "stderr"):
        # A file's own time says for how long nothing was printed.
        os.utime(owner.path(stream), (NOW, NOW))
    try:
        yield place
    finally:
        owner.release()
