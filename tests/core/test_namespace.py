"""The tree that a capture makes, and what it is not made through: as root, as an unprivileged user, under any umask."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from capture_core.catalog import Catalogue, Name
from capture_core.conversation import Conversation
from capture_core.directory import open_own
from capture_core.errors import BadName, PlaceRefused
from capture_core.facts import CaptureState
from capture_core.namespace import Namespace
from tests.captures import finished
from tests.core.test_durable import NOBODY, as_nobody, open_to_nobody
from tests.death.conversations import seen
from tests.death.stepped import StoppedOwner, recorded, run_job
from tests.markdown import blocks
from tests.test_docs import DOCS, modes

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_to_nobody"]

CAPTURE = "20261130T120000Z-aaaaaaaaaaaaaaaa"
PAGE = dict(re.findall(r"^ *(\S+) +(0[0-7]{3})\b", blocks((DOCS / "format.md").read_text(), "")[0].text, re.MULTILINE))


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
