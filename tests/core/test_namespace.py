"""The tree that a capture makes, and what it is not made through: as root, as an unprivileged user, under any umask."""

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
from capture_core.durable import open_own
from capture_core.errors import BadName, NameTaken, PlaceRefused, Refused
from capture_core.facts import CaptureState
from capture_core.namespace import Namespace
from capture_core.source import Entry, Unreadable
from tests.captures import finished
from tests.core.test_durable import NOBODY, as_nobody, open_to_nobody
from tests.death.conversations import seen
from tests.death.stepped import StoppedOwner, recorded, run_job
from tests.markdown import blocks
from tests.test_docs import DOCS, modes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["open_to_nobody"]

CAPTURE = "20261130T120000Z-aaaaaaaaaaaaaaaa"
PAGE = dict(re.findall(r"^ *(\S+) +(0[0-7]{3})\b", blocks((DOCS / "format.md").read_text(), "")[0].text, re.MULTILINE))

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: it makes what belongs to somebody else")


# -- modes ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory, kept_engine: object) -> int:
    """The number of the call by which an owner begins to publish; all that it needs is loaded, as nobody cannot."""
    calls = recorded(tmp_path_factory.mktemp("c"), lambda: None)
    assert calls == []
    run_job(tmp_path_factory.mktemp("warm") / "c")
    calls = recorded(place := tmp_path_factory.mktemp("numbered") / "c", lambda: run_job(place))
    return next(number for number, call in enumerate(calls) if call.name == "fsync")


def become(user: int, umask: int) -> None:
    if user != os.geteuid():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    os.umask(umask)


def of_the_page(found: dict[str, str], also: dict[str, str]) -> None:
    page = PAGE | also
    for name, bits in found.items():
        # What else there is lies in .capview.
        assert bits == page.get(name, "0700" if name.endswith("/") else "0600"), name


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777], ids=["000", "077", "777"])
@pytest.mark.parametrize("user", ["root", "nobody"])
def test_a_tree_has_the_modes_of_the_format_page(open_to_nobody: Path, user: str, umask: int, loaded: int) -> None:
    if user == "root" and os.geteuid() != 0:
        pytest.skip("needs root: the same tree is made as root and as nobody")
    number = NOBODY if user == "nobody" and os.geteuid() == 0 else os.geteuid()
    conversation = open_to_nobody / "c"
    if number == 0:
        os.chown(open_to_nobody, 0, 0)

    def work() -> None:
        become(number, umask)
        run_job(conversation)

    owner = StoppedOwner(conversation, loaded, work)
    assert owner.before
    running = modes(conversation)
    owner.kill()
    other = open_to_nobody / "ended"

    def work_to_the_end() -> None:
        become(number, umask)
        run_job(other)

    whole = StoppedOwner(other, 10_000, work_to_the_end)
    assert not whole.before
    whole.kill()
    ended = modes(other)
    of_the_page(running, {"<capture-id>.stdout.sgr": "0600", "<capture-id>.stdout.times": "0600"})
    of_the_page(ended, {"<capture-id>.stderr.times": "0400"})
    assert {"<capture-id>.live.json", "<capture-id>.stdout.live", "<tool>/"} <= running.keys()
    assert {"<capture-id>.json", "<capture-id>.stdout.txt", "<capture-id>.stdout.sgr"} <= ended.keys()
    for folder in (conversation, other):
        assert {path.lstat().st_uid for path in (folder, *folder.rglob("*"))} == {number}


def test_a_folder_in_which_one_may_only_write_is_enough(open_to_nobody: Path) -> None:
    """It cannot be synced, and the log was called partial for it."""
    open_to_nobody.chmod(0o300)

    def work() -> None:
        run_job(open_to_nobody / "a" / "b")
        [entry] = seen(open_to_nobody / "a" / "b").entries
        assert entry.capture.state is CaptureState.COMPLETE

    assert as_nobody(work) == ""


# -- names from outside ---------------------------------------------------------------------------------------------

BAD_TOOLS = (
    *("", ".", "..", "../x", "/etc", "a/b", "a\\b", "a\0b", "x" * 65, "x" * 300, "Shell", "-x", ".x", " shell"),
    *("shell\n", "shell ", "ѕhell", "shell\u200b", "ｓhell", "shéll", "sh\u0065\u0301ll", "shell\udce9", "\u202eshell"),
    *("con", "CON", "nul.txt", "aux", "prn.log", "com1", "lpt9.x", "shell.", "a..", "shell:x"),
)


@pytest.mark.parametrize("tool", BAD_TOOLS, ids=ascii)
def test_a_tool_name_that_is_none_makes_nothing(tmp_path: Path, tool: str) -> None:
    with pytest.raises(BadName) as refused:
        Conversation.open(str(tmp_path / "c"), slow_engine=True).start(["true"], tool=tool)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tool", ["shell", "0", "a.b_c-d", "console", "com", "com10", "null", "x" * 64])
def test_other_tool_names_do(tmp_path: Path, tool: str) -> None:
    Namespace(str(tmp_path / "c"), tool).close()
    assert (tmp_path / "c" / "tool-outputs" / tool).is_dir()


BAD_IDS = (
    "",
    "..",
    f"../{CAPTURE}",
    f"/{CAPTURE}",
    f"{CAPTURE}\0",
    CAPTURE.upper(),
    f"{CAPTURE}.x",
    "x" * 300,
    "２026",
)


@pytest.mark.parametrize("capture_id", BAD_IDS, ids=ascii)
def test_a_capture_id_that_is_none_is_refused_before_anything_is_opened(tmp_path: Path, capture_id: str) -> None:
    finished(tmp_path)
    with pytest.raises(BadName):
        Catalogue(str(tmp_path)).fresh(Name("shell", capture_id))
    with pytest.raises(BadName):
        Catalogue(str(tmp_path)).fresh(Name("../shell", CAPTURE))


@pytest.mark.parametrize("path", ["a\0b", "a\udc00b", "\ud800", "x" * 300, "x" * 5000], ids=lambda p: ascii(p)[:20])
def test_a_conversation_s_path_that_is_none_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for look in (lambda: open_own(path), lambda: Catalogue(path).refresh(), lambda: Catalogue(path).names()):
        with pytest.raises(PlaceRefused) as refused:
            look()
        assert "\n" not in str(refused.value)
    assert os.listdir(tmp_path) == [] or "\udc00" in path


# -- what stands at our names ---------------------------------------------------------------------------------------


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
