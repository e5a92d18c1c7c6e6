"""What stands at our names already, or is put there meanwhile: refused in one line, and never touched."""

from __future__ import annotations

import os
import re
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from capture_core import capture
from capture_core.catalog import Catalogue, Name
from capture_core.conversation import Conversation
from capture_core.errors import NameTaken, PlaceRefused, Refused
from capture_core.facts import CaptureState
from capture_core.namespace import Namespace
from capture_core.source import Entry, Unreadable
from tests.captures import finished
from tests.core.test_durable import NOBODY, as_nobody, open_to_nobody
from tests.death.stepped import run_job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["open_to_nobody"]

CAPTURE = "20261130T120000Z-aaaaaaaaaaaaaaaa"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: it makes what belongs to somebody else")


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        made.bind(path.name)
        os.chdir(here)


def make_hard_link(path: Path) -> None:
    path.with_name("elsewhere").write_text("mine")
    path.hardlink_to(path.with_name("elsewhere"))


def make_link(path: Path) -> None:
    path.with_name("elsewhere").write_text("mine")
    path.symlink_to(path.with_name("elsewhere"))


def make_device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


PLANTS = [
    pytest.param(lambda path: path.write_text("mine"), id="file"),
    pytest.param(make_hard_link, id="hard link"),
    pytest.param(make_link, id="link"),
    pytest.param(lambda path: path.symlink_to("nowhere"), id="dangling link"),
    pytest.param(os.mkfifo, id="fifo"),
    pytest.param(make_socket, id="socket"),
    pytest.param(make_device, id="device", marks=needs_root),
]


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_mode, status.st_size)
    return found


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("step", ["tool-outputs", "tool-outputs/shell", ".capview", ".capview/tmp"])
def test_what_is_no_folder_at_a_folder_s_name(tmp_path: Path, plant: Callable[[Path], None], step: str) -> None:
    planted = tmp_path / "c" / step
    planted.parent.mkdir(parents=True)
    plant(planted)
    before = snapshot(tmp_path)
    with pytest.raises(PlaceRefused, match=planted.name) as refused:
        Conversation.open(str(tmp_path / "c"), slow_engine=True).start(["true"])
    assert "\n" not in str(refused.value)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("end", ["stdout.live", "stderr.live", "live.json"])
def test_what_stands_at_a_file_s_name_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Callable[[Path], None], end: str
) -> None:
    monkeypatch.setattr(capture, "new_capture_id", lambda: CAPTURE)
    planted = tmp_path / "tool-outputs" / "shell" / f"{CAPTURE}.{end}"
    planted.parent.mkdir(parents=True)
    plant(planted)
    before = snapshot(tmp_path)
    with pytest.raises(NameTaken, match=end) as refused:
        Conversation.open(str(tmp_path), slow_engine=True).start(["true"])
    assert "\n" not in str(refused.value)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("end", ["stdout.txt", "json"])
def test_what_is_put_at_a_final_name_meanwhile_is_not_touched_and_nothing_is_called_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Callable[[Path], None], end: str
) -> None:
    monkeypatch.setattr(capture, "new_capture_id", lambda: CAPTURE)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = Conversation.open(str(tmp_path / "c"), slow_engine=True).start(["sh", "-c", f"echo hi; read x < {gate}"])
    planted = tmp_path / "c" / f"{job.ref}.{end}"
    plant(planted)
    before = planted.lstat()
    gate.write_text("go\n")
    words = ""
    try:
        job.wait()
    except (Refused, OSError) as error:
        words = str(error)
    job.join()
    assert "\n" not in words
    after = planted.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)
    found = Catalogue(str(tmp_path / "c")).fresh(Name("shell", CAPTURE))
    assert isinstance(found, Unreadable) or (
        isinstance(found, Entry) and found.capture.state is not CaptureState.COMPLETE
    )
    texts = [path.read_bytes() for path in planted.parent.glob(f"{CAPTURE}.stdout.*") if path.is_file()]
    assert b"hi\n" in texts


@needs_root
@pytest.mark.parametrize("step", ["", "tool-outputs", "tool-outputs/shell", ".capview", ".capview/tmp"])
@pytest.mark.parametrize("bits", [0o000, 0o700, 0o777])
def test_a_folder_of_somebody_else_is_refused_to_nobody(open_to_nobody: Path, step: str, bits: int) -> None:
    foreign = open_to_nobody / "c" / step
    foreign.mkdir(parents=True)
    for folder in (open_to_nobody / "c", *(open_to_nobody / "c").rglob("*")):
        os.chown(folder, NOBODY, NOBODY)
    os.chown(foreign, 0, 0)
    foreign.chmod(bits)
    words = as_nobody(lambda: Namespace(str(open_to_nobody / "c"), "shell"))
    assert words.startswith("PlaceRefused: ")
    assert re.search("another user|permission denied", words)
    assert "\n" not in words
    assert stat.S_IMODE(foreign.stat().st_mode) == bits
    assert list(foreign.iterdir()) == []


@needs_root
@pytest.mark.parametrize("end", ["json", "stdout.txt", "live.json"])
def test_a_file_that_nobody_may_read_is_named_not_hidden(open_to_nobody: Path, end: str) -> None:
    owner = finished(open_to_nobody)
    if end == "live.json":
        (owner.folder / f"{owner.id}.json").rename(owner.folder / f"{owner.id}.live.json")
    for path in open_to_nobody.rglob("*"):
        os.chown(path, NOBODY, NOBODY)
    foreign = owner.folder / f"{owner.id}.{end}"
    foreign.chmod(0)
    os.chown(foreign, 0, 0)

    def look() -> None:
        catalogue = Catalogue(str(open_to_nobody))
        catalogue.refresh()
        listing = catalogue.listing()
        if end == "stdout.txt":
            [entry] = listing.entries
            assert entry.receipt.ref == owner.ref
        else:
            [bad] = listing.unreadable
            assert "permission denied" in bad.words, bad.words

    assert as_nobody(look) == ""


@pytest.mark.parametrize("plant", PLANTS)
def test_what_stands_at_the_ignore_file_s_name_stays(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    outputs = tmp_path / "c" / "tool-outputs"
    outputs.mkdir(parents=True)
    plant(outputs / ".gitignore")
    before = (outputs / ".gitignore").lstat()
    run_job(tmp_path / "c")
    assert (outputs / ".gitignore").lstat() == before
