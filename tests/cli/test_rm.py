"""``capview rm``: what is named goes, with a word on what that frees; what is in use stays, with a word on why."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.captures import Owner, finished
from tests.commands import Here, capview
from tests.strangers import Stranger
from tests.terminals import PROMPT, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNITS = {"B": 1, "KiB": 1024}


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "c", capfdbinary)


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    somebody = Stranger()
    yield somebody
    somebody.close()


def tree(conversation: Path) -> dict[str, tuple[int, int, int]]:
    """What stands where, and since when."""
    status = {path: path.lstat() for path in (conversation, *conversation.rglob("*"))}
    return {str(path): (each.st_ino, each.st_mtime_ns, each.st_ctime_ns) for path, each in status.items()}


def test_it_says_what_goes_and_what_that_frees(here: Here) -> None:
    finished(here.conversation, second=1, label="kept")
    gone = finished(here.conversation, b"x" * 102_400, second=2, label="make [red]")
    code, out, err = here("rm", "@last")
    assert (code, err) == (0, b"capview: removing 1 capture, 102 KiB\n")
    assert out.decode().split("  ") == [gone.ref, "102 KiB", "make [red]\n"]
    assert here("ls", "--json")[1].count(b"\n") == 1
    assert here("show", gone.id)[0] == 2


def test_a_dry_run_changes_nothing(here: Here) -> None:
    owner = finished(here.conversation)
    before = tree(here.conversation)
    code, out, err = here("rm", "@last", "--dry-run")
    assert (code, out.split()[0].decode()) == (0, owner.ref)
    assert b"would remove 1 capture, " in err
    assert err.endswith(b"; nothing is changed\n")
    assert tree(here.conversation) == before


def test_a_real_running_job_is_refused_in_one_line_and_runs_on(tmp_path: Path) -> None:
    conversation = str(tmp_path / "c")
    started = capview("run", "--detach", "--conversation", conversation, "--", "sleep", "600")
    ref = started.stdout.decode().strip()
    done = capview("rm", "--conversation", conversation, ref)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"capview: {ref} is kept: it is running\n"
    (tmp_path / "c" / f"{ref}.request").write_text('{"kind": "cancel", "reason": ""}')
    assert capview("wait", "--conversation", conversation, ref).returncode == 128 + signal.SIGTERM
    assert capview("rm", "--conversation", conversation, ref).returncode == 0


def test_what_a_real_ui_shows_is_kept_until_it_is_left(tmp_path: Path, own_home: Path) -> None:
    owner = finished(tmp_path / "c", b"seen in the view\n")
    terminal = Terminal(tmp_path, os.environ)
    try:
        terminal.type(f"capview {owner.path('stdout')}\n")
        terminal.expect("seen in the view")
        done = capview("rm", str(owner.path("stdout")))
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == f"capview: {owner.ref} is kept: a view shows it; leave that first\n"
        terminal.type("q")
        terminal.expect(PROMPT)
        assert "code 0" in terminal.run("echo code $?")
        assert capview("rm", str(owner.path("stdout"))).returncode == 0
    finally:
        terminal.close()


def test_several_are_resolved_before_any_goes(here: Here) -> None:
    owners = [finished(here.conversation, second=second) for second in range(4)]
    assert here("rm", "@last", "@-2", owners[3].id)[0] == 0
    assert not any(owner.path("stdout").exists() for owner in owners[2:])
    assert all(owner.path("stdout").exists() for owner in owners[:2])


def test_a_ref_that_names_nothing_or_several_removes_nothing(here: Here) -> None:
    finished(here.conversation)
    finished(here.conversation)
    before = tree(here.conversation)
    for words in (["@last", "zzzz"], ["@last", "2026"], ["@last", "../../etc"]):
        code, out, err = here("rm", *words)
        assert (code, out) == (2, b"")
        assert err.startswith(b"capview: ")
    assert tree(here.conversation) == before


def test_some_go_and_some_stay(here: Here) -> None:
    gone, running = finished(here.conversation, second=1), Owner(here.conversation)
    code, out, err = here("rm", gone.id, running.id)
    assert (code, len(out.splitlines())) == (1, 1)
    assert f"{running.ref} is kept: it is running".encode() in err
    assert b"removed 1 capture, " in err.splitlines()[-1]
    assert running.path("stdout").exists()


def test_json_tells_of_each(here: Here) -> None:
    gone, running = finished(here.conversation, b"x" * 1000, second=1, label=None), Owner(here.conversation)
    _, out, _ = here("rm", gone.id, running.id, "--json", "--dry-run")
    first, second = map(json.loads, out.splitlines())
    assert first.pop("bytes") > 1000
    where = str(here.conversation)
    assert first == {
        "ref": gone.ref, "conversation": where, "label": None, "state": "would-remove", "reason": None
    }  # fmt: skip
    assert (second["state"], second["bytes"], second["reason"]) == ("kept", 0, "it is running")
    _, out, _ = here("rm", gone.id, "--json")
    assert json.loads(out)["state"] == "removed"


def test_a_receipt_that_cannot_be_believed_is_refused(here: Here) -> None:
    owner = finished(here.conversation)
    (owner.folder / f"{owner.id}.json").write_text("{}")
    code, out, err = here("rm", "@last")
    assert (code, out) == (1, b"")
    assert err.startswith(f"capview: {owner.ref} is kept: its receipt".encode())
    assert len(err.splitlines()) == 1
    assert owner.path("stdout").exists()


def test_what_an_owner_left_that_died_before_its_receipt_can_be_removed(here: Here) -> None:
    owner = Owner(here.conversation, announce=False)
    owner.release()
    assert here("rm", owner.id)[0] == 0
    assert list(owner.folder.iterdir()) == []


def test_a_folder_that_may_not_be_written_is_told_of(stranger: Stranger) -> None:
    owner = finished(stranger.folder)
    owner.folder.chmod(0o500)
    stranger.take()
    done = stranger.capview("rm", "--conversation", str(stranger.folder), "@last")
    assert done.returncode == 1
    assert b"cannot be removed: permission denied\n" in done.stderr
    assert owner.path("stdout").exists()
