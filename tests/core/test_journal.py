"""A file of lines that grows: what is torn never counts, what is not ours is refused in one line, nothing is lost."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from capture_core import journal
from capture_core.directory import Directory, open_own
from capture_core.errors import NameTaken, PlaceRefused
from capture_core.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEADER = "capview test 1"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Directory]:
    directory, _ = open_own(str(tmp_path / "folder"))
    yield directory
    directory.close()


@pytest.fixture
def opened(folder: Directory) -> Iterator[Journal]:
    found = Journal(folder, "lines", HEADER)
    yield found
    found.close()


def file_of(folder: Directory) -> str:
    return os.path.join(folder.path, "lines")


def test_nothing_is_there_then_it_is_made_private_and_grows(opened: Journal, folder: Directory) -> None:
    assert opened.load() is None
    opened.make(["one"])
    assert opened.load() == (True, ["one"])
    opened.append(["two", "three"])
    assert opened.count == 3
    assert opened.load() == (False, [])
    with open(file_of(folder), "rb") as file:
        assert file.read() == b"capview test 1\none\ntwo\nthree\n"
    assert os.stat(file_of(folder)).st_mode & 0o7777 == 0o600


def test_only_what_another_has_added_is_read_again(opened: Journal, folder: Directory) -> None:
    opened.make(["one"])
    opened.load()
    other = Journal(folder, "lines", HEADER)
    other.load()
    other.append(["two"])
    assert opened.load() == (False, ["two"])
    other.rewrite(["three"])
    assert opened.load() == (True, ["three"]), "another file stands there: what was known does not count any more"
    other.close()


@pytest.mark.parametrize("how", ["added", "wrote anew"])
def test_what_another_has_written_since_is_never_overwritten(opened: Journal, folder: Directory, how: str) -> None:
    """It was cut off, for the end of the file as it was read last."""
    opened.make(["one"])
    opened.load()
    other = Journal(folder, "lines", HEADER)
    other.load()
    other.append(["two"])
    if how == "wrote anew":
        other.rewrite(["one", "two"])
    with pytest.raises(OSError, match="another has written"):
        opened.append(["three"])
    opened.load()
    opened.append(["three"])
    assert Journal(folder, "lines", HEADER).load() == (True, ["one", "two", "three"])
    other.close()


def test_a_torn_line_never_counts_and_the_next_one_replaces_it(opened: Journal, folder: Directory) -> None:
    """Who only appends would glue the next line to what a killed one left behind, and lose both."""
    opened.make(["one"])
    with open(file_of(folder), "ab") as file:
        file.write(b"torn and very long")
    assert opened.load() == (True, ["one"])
    opened.append(["two"])
    assert Journal(folder, "lines", HEADER).load() == (True, ["one", "two"])


def test_a_file_that_was_cut_is_read_anew(opened: Journal, folder: Directory) -> None:
    opened.make(["one", "two"])
    opened.load()
    os.truncate(file_of(folder), len(HEADER) + 1 + 4)
    assert opened.load() == (True, ["one"])


def test_a_write_that_the_disk_refuses_leaves_no_half_line(
    opened: Journal, folder: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.make(["one"])
    opened.load()

    def full(fd: int, data: bytes) -> int:
        os.write(fd, data[:2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "write_all", full)
        with pytest.raises(OSError, match="No space"):
            opened.append(["two"])
    opened.append(["three"])
    assert Journal(folder, "lines", HEADER).load() == (True, ["one", "three"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "damaged"),
        (b"\0\0\0\0", "damaged"),
        (b"capview test 1", "damaged"),
        (b"{}\n", "damaged"),
        (b"capview test 2\nx\n", "of a newer capview"),
    ],
)
def test_what_is_not_its_own_is_refused_with_a_way_on(
    opened: Journal, folder: Directory, content: bytes, words: str
) -> None:
    with open(file_of(folder), "wb") as file:
        file.write(content)
    with pytest.raises(PlaceRefused, match=f"{words}.*move it away"):
        opened.load()
    os.rename(file_of(folder), file_of(folder) + ".away")
    assert opened.load() is None


@pytest.mark.parametrize("what", ["a link", "a second name", "a pipe", "a folder", "others may write"])
def test_strange_things_at_its_name_are_refused_and_not_touched(
    opened: Journal, folder: Directory, tmp_path: Path, what: str
) -> None:
    path, elsewhere = file_of(folder), tmp_path / "elsewhere"
    elsewhere.write_text(f"{HEADER}\n")
    match what:
        case "a link":
            os.symlink(elsewhere, path)
        case "a second name":
            os.link(elsewhere, path)
        case "a pipe":
            os.mkfifo(path)
        case "a folder":
            os.mkdir(path)
        case _:
            elsewhere.rename(path)
            os.chmod(path, 0o622)  # noqa: S103 — it is what must be refused
    with pytest.raises(PlaceRefused, match="move it away"):
        opened.load()
    with pytest.raises(NameTaken):
        opened.make(["one"])
    assert what == "others may write" or elsewhere.read_text() == f"{HEADER}\n"


def test_what_a_killed_rewrite_left_does_not_hinder_the_next(opened: Journal, folder: Directory) -> None:
    opened.make(["one"])
    opened.load()
    with open(os.path.join(folder.path, ".lines.new"), "wb") as file:
        file.write(b"half")
    opened.rewrite(["two"])
    assert os.listdir(folder.path) == ["lines"]
    opened.append(["three"])
    assert Journal(folder, "lines", HEADER).load() == (True, ["two", "three"])
