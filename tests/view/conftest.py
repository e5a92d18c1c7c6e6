"""What the tests of the UI stand on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.view.files import File

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_idle_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual's pilot waits for the process to be idle, by the clock; our tests wait for conditions."""

    async def soon(*_: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("textual.app.wait_for_idle", soon)
    monkeypatch.setattr("textual.pilot.wait_for_idle", soon)


@pytest.fixture
def file(tmp_path: Path) -> File:
    """An empty file that a test appends to."""
    path = tmp_path / "log"
    path.write_bytes(b"")
    return File(path)
