"""Private files, published whole and never over anything, on a real file system, as the user that the rules are for."""

from __future__ import annotations

import fcntl
import os
import resource
import stat
import struct
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core import durable
from capture_core.directory import open_own
from capture_core.durable import NewFile, is_at, rename, reserve, write_all
from capture_core.errors import NameTaken, PlaceRefused
from capture_core.namespace import Namespace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOBODY = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def as_nobody(work: Callable[[], object], *, umask: int = 0o022) -> str:
    """Do ``work`` in a fork that is an unprivileged user: root passes every permission test vacuously.

    Returns the words of what it raised, or nothing.  A fork, because the user may not reach the interpreter's files.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        words = "never ran"
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os.umask(umask)
            work()
            words = ""
        except BaseException as error:  # noqa: BLE001 — told to the parent
            words = f"{type(error).__name__}: {error}"
        finally:
            os.write(write, words.encode())
            os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as answer:
        words = answer.read()
    os.waitpid(pid, 0)
    return words


@pytest.fixture
def open_to_nobody() -> Iterator[Path]:
    """A folder that the unprivileged user owns and reaches.

    Not below pytest's own, which every session that begins shuts to others.
    """
    with tempfile.TemporaryDirectory() as above:
        Path(above).chmod(0o711)
        place = Path(above, "nobody")
        place.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(place, NOBODY, NOBODY)
        yield place


def make_files(conversation: Path) -> None:
    place = Namespace(str(conversation), "shell")
    file = place.new_file()
    place.publish(file, "made")
    place.replace("replaced", b"{}")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_modes_hold_under_any_umask(open_to_nobody: Path, umask: int) -> None:
    conversation = open_to_nobody / "new" / "conversation"
    assert as_nobody(lambda: make_files(conversation), umask=umask) == ""
    outputs = conversation / "tool-outputs"
    for folder in (conversation.parent, conversation, outputs, outputs / "shell", conversation / ".capview"):
        assert mode(folder) == 0o700, folder
    for file in (outputs / ".gitignore", outputs / "shell" / "made", outputs / "shell" / "replaced"):
        assert mode(file) == 0o600, file
    assert (outputs / ".gitignore").read_bytes() == b"*\n"


@pytest.mark.parametrize("what", ["link", "file", "fifo"])
@pytest.mark.parametrize("step", ["tool-outputs", "tool-outputs/shell", ".capview"])
def test_what_is_not_a_directory_of_ours_is_refused_and_left_alone(tmp_path: Path, what: str, step: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    planted = tmp_path / "conversation" / step
    planted.parent.mkdir(parents=True, mode=0o700)
    if what == "link":
        planted.symlink_to(elsewhere)
    elif what == "fifo":
        os.mkfifo(planted)
    else:
        planted.write_text("mine")
    with pytest.raises(PlaceRefused, match=planted.name):
        Namespace(str(tmp_path / "conversation"), "shell")
    assert list(elsewhere.iterdir()) == []
    assert planted.is_symlink() == (what == "link")


@pytest.mark.parametrize(("bits", "accepted"), [(0o755, True), (0o775, True), (0o777, False), (0o757, False)])
def test_existing_folders_are_judged_by_who_may_write(tmp_path: Path, bits: int, *, accepted: bool) -> None:
    outputs = tmp_path / "tool-outputs"
    outputs.mkdir()
    outputs.chmod(bits)
    if accepted:
        Namespace(str(tmp_path), "shell").close()
    else:
        with pytest.raises(PlaceRefused, match="chmod go-w"):
            Namespace(str(tmp_path), "shell")
    assert mode(outputs) == bits, "what we did not make is never chmod-ed"


def test_a_folder_of_somebody_else_is_refused() -> None:
    """A folder of root's is somebody else's for the unprivileged user, whoever runs the tests."""
    before = os.listdir("/usr")
    assert "belongs to another user" in as_nobody(lambda: make_files(Path("/usr")))
    assert os.listdir("/usr") == before


@pytest.mark.parametrize("tmpfile", [True, False], ids=["O_TMPFILE", "named temporary"])
def test_publishing_never_replaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, tmpfile: bool) -> None:
    if not tmpfile:
        monkeypatch.setattr(durable, "_O_TMPFILE", None)
    directory, _ = open_own(str(tmp_path))
    scratch = directory.step("scratch")
    (tmp_path / "taken").write_text("theirs")
    file = NewFile(directory, scratch, "random")
    write_all(file.fd, b"ours")
    with pytest.raises(NameTaken):
        file.publish(directory, "taken")
    file.publish(directory, "free")
    file.discard()
    assert (tmp_path / "taken").read_text() == "theirs"
    assert (tmp_path / "free").read_text() == "ours"
    assert os.listdir(tmp_path / "scratch") == []


@pytest.mark.parametrize("system_call", [True, False], ids=["renameat2", "link and unlink"])
def test_renaming_never_replaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, system_call: bool) -> None:
    if not system_call:
        monkeypatch.setattr(durable, "_renameat2", lambda *_: False)
    directory, _ = open_own(str(tmp_path))
    (tmp_path / "live").write_text("data")
    (tmp_path / "taken").write_text("theirs")
    inode = (tmp_path / "live").stat().st_ino
    with pytest.raises(FileExistsError):
        rename(directory, "live", directory, "taken")
    rename(directory, "live", directory, "final")
    assert (tmp_path / "final").stat().st_ino == inode
    assert sorted(os.listdir(tmp_path)) == ["final", "taken"]


def probe(path: Path) -> int:
    with path.open("rb") as file:
        asked = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        return int(struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0])


def test_a_lock_is_seen_while_held_survives_a_stranger_s_close_and_not_a_fork(tmp_path: Path) -> None:
    directory, _ = open_own(str(tmp_path))
    file = NewFile(directory, directory, "random")
    assert durable.lock(file.fd)
    file.publish(directory, "stream")
    (tmp_path / "stream").open("rb").close()
    assert probe(tmp_path / "stream") == fcntl.F_WRLCK
    read, write = os.pipe()
    up_read, up_write = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(write)
        os.write(up_write, b"up")
        os.read(read, 1)
        os._exit(0)
    os.read(up_read, 2)
    file.discard()
    assert probe(tmp_path / "stream") == fcntl.F_UNLCK, "a forked worker of the host must not keep the owner alive"
    os.close(write)
    os.waitpid(worker, 0)


def test_what_stands_at_a_name_is_ours_or_not(tmp_path: Path) -> None:
    place, _ = open_own(str(tmp_path))
    file = NewFile(place, place, "scratch")
    assert not is_at(place, "name", file.fd)
    file.publish(place, "name")
    assert is_at(place, "name", file.fd)
    (tmp_path / "name").unlink()
    (tmp_path / "name").write_text("not ours")
    assert not is_at(place, "name", file.fd)
    file.discard()
    place.close()


def reserve_read_only(path: Path) -> None:
    with path.open("rb") as file:
        reserve(file.fileno(), 1)


def test_room_is_reserved_or_refused(tmp_path: Path) -> None:
    """On a disk that is full in truth the fault matrix tests it; here, that nothing else is taken for that."""
    with (tmp_path / "file").open("wb") as file:
        reserve(file.fileno(), 100_000)
        assert os.fstat(file.fileno()).st_blocks * 512 >= 100_000
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
        try:
            reserve(file.fileno(), 300_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with pytest.raises(OSError, match="Bad file descriptor"):
        reserve_read_only(tmp_path / "file")
