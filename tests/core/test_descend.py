"""The reader's way down: what stands in the way is named by its path and its kind, with how to mend it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core.descend import NotOurs, conversation, open_file, tool_folder, tool_outputs
from capture_core.errors import PlaceRefused
from tests.strangers import Stranger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MAKES: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to("/etc"),
    "a pipe": os.mkfifo,
    "a file": lambda path: path.write_text(""),
}


@pytest.mark.parametrize("kind", _MAKES)
def test_what_stands_for_a_folder_is_named_by_its_path_and_kind(tmp_path: Path, kind: str) -> None:
    _MAKES[kind](tmp_path / "tool-outputs")
    with pytest.raises(NotOurs) as caught, tool_outputs(str(tmp_path)):
        pass
    expected = f"'{tmp_path}/tool-outputs': {kind}, not a folder, and not followed; capview doctor says how to mend it"
    assert str(caught.value) == expected


@pytest.mark.parametrize("kind", ["a link", "a pipe", "a folder"])
def test_what_stands_for_a_file_is_named_by_its_path_and_kind(tmp_path: Path, kind: str) -> None:
    {**_MAKES, "a folder": os.mkdir}[kind](tmp_path / "x")
    with conversation(str(tmp_path)) as fd, pytest.raises(NotOurs) as caught:
        open_file(fd, "x")
    assert str(caught.value).startswith(f"'{tmp_path}/x': {kind}, not a regular file, and not followed; ")


def test_a_place_that_has_gone_is_named_too(tmp_path: Path) -> None:
    folder = tmp_path / "tool-outputs" / "shell"
    folder.mkdir(parents=True)
    with tool_folder(str(tmp_path), "shell") as fd:
        assert fd is not None
        (folder / "x").symlink_to("y")
        folder.rename(tmp_path / "elsewhere")
        with pytest.raises(PlaceRefused, match=f"{tmp_path}/elsewhere/x"):
            open_file(fd, "x")


@pytest.mark.parametrize("command", ["verify", "ls", "show", "read", "rm", "prune"])
def test_a_tools_folder_that_its_user_may_not_enter_is_named_by_its_path(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    stranger = Stranger()
    try:
        folder = stranger.folder / "c" / "tool-outputs" / "shell"
        folder.mkdir(parents=True)
        stranger.take()
        folder.chmod(0)
        words = {"show": ["@last"], "read": ["@last"], "rm": ["@last"], "prune": ["--keep", "1"]}.get(command, [])
        done = stranger.capview(command, "--conversation", str(stranger.folder / "c"), *words)
    finally:
        stranger.close()
    assert f"'{folder}': permission denied; its owner mends it with: chmod u+rwx '{folder}'" in done.stderr.decode()
