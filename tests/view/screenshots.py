"""``python -m tests.view.screenshots FOLDER``: draws the scenes as SVG files, as the snapshot tests do."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.view.scenes import SCENES, SIZES, SceneApp, conversation

SHOWN = ("jobs", "jobs-light", "capture-live", "capture-failed", "capture-cut", "capture-search", "capture-receipt")
"""Those that people look at; the others differ from them in a detail."""


async def draw(name: str, folder: Path, size: tuple[int, int]) -> None:
    """Draw one scene."""
    with tempfile.TemporaryDirectory() as place, conversation(Path(place), SCENES[name]) as captures:
        app = SceneApp(captures)
        async with app.run_test(size=size) as pilot:
            await app.play(pilot, SCENES[name])
            app.save_screenshot(f"{name}.svg", str(folder))


def main(arguments: list[str]) -> int:
    """Draw all of them."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tests.view.screenshots FOLDER\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(exist_ok=True)
    for name in SHOWN:
        asyncio.run(draw(name, folder, SIZES["120x40"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
