"""The conversation's directory, as the user names it, and what comes and goes beside a start."""

from __future__ import annotations

import fcntl
import os
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core import directory
from capture_core.directory import open_own
from capture_core.errors import PlaceRefused
from capture_core.namespace import Namespace

if TYPE_CHECKING:
    from pathlib import Path


def test_the_conversation_may_be_a_link_of_the_user_s_own(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "named").symlink_to(tmp_path / "real")
    directory, made = open_own(str(tmp_path / "named"))
    directory.close()
    assert made == ()


@pytest.mark.parametrize("name", ["a file", "below a file", "a dangling link"])
def test_a_conversation_that_cannot_be_one_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    place = tmp_path / "place"
    if name == "a dangling link":
        place.symlink_to(tmp_path / "nowhere")
    else:
        place.write_text("a file")
    with pytest.raises(PlaceRefused, match="folder of your own") as refused:
        open_own(str(place / "x" if name == "below a file" else place))
    assert "\n" not in str(refused.value)


def test_a_start_that_fails_leaves_the_folders_that_another_start_is_using(tmp_path: Path) -> None:
    """The other's scratch folder went with it, and its live receipt was never replaced."""
    failing = Namespace(str(tmp_path / "conversation"), "shell")
    other = Namespace(str(tmp_path / "conversation"), "shell")
    failing.undo()
    other.replace("20261130T120000Z-aaaaaaaaaaaaaaaa.live.json", b"{}\n")
    file = other.new_file()
    other.publish(file, "20261130T120000Z-aaaaaaaaaaaaaaaa.stdout.live")
    file.discard()
    other.close()
    assert sorted(os.listdir(tmp_path / "conversation" / "tool-outputs")) == [".gitignore", "shell"]
    assert len(os.listdir(tmp_path / "conversation" / "tool-outputs" / "shell")) == 2


def test_a_folder_that_is_being_removed_is_made_anew(tmp_path: Path) -> None:
    """A start beside one that failed was refused: it had opened a folder that was gone a moment later."""
    doomed = open_own(str(tmp_path / "conversation"))[0]
    assert directory.is_ours_alone(doomed)
    begun = threading.Event()
    opened: list[Namespace] = []

    def start() -> None:
        begun.set()
        opened.append(Namespace(str(tmp_path / "conversation"), "shell"))

    thread = threading.Thread(target=start)
    thread.start()
    begun.wait()
    os.rmdir(tmp_path / "conversation")
    doomed.close()
    thread.join()
    opened[0].close()
    assert (tmp_path / "conversation" / "tool-outputs" / "shell").is_dir()


def test_a_folder_that_a_stranger_locked_is_used_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "CLAIM_TRIES", 2)
    (tmp_path / "conversation").mkdir()
    stranger = os.open(tmp_path / "conversation", os.O_RDONLY)
    fcntl.flock(stranger, fcntl.LOCK_EX)
    Namespace(str(tmp_path / "conversation"), "shell").close()
    os.close(stranger)
    assert (tmp_path / "conversation" / "tool-outputs" / "shell").is_dir()
