"""What the user names, opened: a conversation, a folder of them, one capture, a file, nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capture_core.errors import CaptureError, Refused
from capture_core.local import LocalSource
from capture_core.source import Address
from capview.pager.file_source import FileSource
from capview.tui.app import open_ui
from capview.tui.opening import resolve
from tests.captures import finished

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_conversation(tmp_path: Path) -> None:
    finished(tmp_path, label="x")
    opening = resolve(str(tmp_path))
    assert [entry.receipt.label for entry in (await opening.source.list()).entries] == ["x"]
    assert opening.first is None


async def test_a_folder_of_conversations(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        finished(tmp_path / name, label=name)
    opening = resolve(str(tmp_path))
    assert {entry.receipt.label for entry in (await opening.source.list()).entries} == {"one", "two"}


async def test_a_file_of_a_capture_opens_that_capture(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    opening = resolve(str(owner.path("stdout")))
    assert opening.first == Address(tmp_path.name, owner.ref)
    assert (await opening.source.receipt(opening.first)).receipt.ref == owner.ref


async def test_any_other_file(tmp_path: Path) -> None:
    path = tmp_path / "build.log"
    path.write_bytes(b"x")
    opening = resolve(str(path))
    assert isinstance(opening.source, FileSource)
    assert opening.only
    assert opening.first == opening.source.address


async def test_nothing_named_is_the_default_root(tmp_path: Path) -> None:
    opening = resolve(None)
    assert isinstance(opening.source, LocalSource)
    assert (await opening.source.list()).entries == ()


def test_what_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CaptureError) as caught:
        resolve(str(tmp_path / "missing"))
    assert "\n" not in str(caught.value)


def test_without_a_terminal_it_says_what_to_do_instead(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="capview ls"):
        open_ui(str(tmp_path))
