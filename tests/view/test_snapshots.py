"""Every scene at three sizes, against the pictures of it that were looked at and kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.view.scenes import SCENES, SIZES, SceneApp, conversation

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from textual.app import App
    from textual.pilot import Pilot


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(
        self,
        app: App[None],
        *,
        terminal_size: tuple[int, int],
        run_before: Callable[[Pilot[None]], Awaitable[None]],
    ) -> bool: ...


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str, size: tuple[int, int], tmp_path: Path, snap_compare: Compare) -> None:
    with conversation(tmp_path, SCENES[name]) as place:
        app = SceneApp(place)
        assert snap_compare(app, terminal_size=size, run_before=partial(app.play, scene=SCENES[name]))
