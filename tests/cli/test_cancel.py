"""``capview cancel`` and ``capview promote``: real jobs, owners that have gone, and owners that do not look."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import ProcessFacts, ProcessState
from capture_core.limits.capturing import REQUEST_SECONDS
from capture_core.request import is_waiting
from capview.cli import asking
from capview.cli.pick import pick
from capview.limits import REQUEST_PATIENCE_SECONDS
from tests.captures import COMPLETE, FAILED, PENDING, Owner, finished
from tests.commands import Here, capview, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    """A pipe that a command waits at; whoever still does goes on at the end."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    yield path
    fd = os.open(path, os.O_RDWR)
    os.write(fd, b"go\n")
    os.close(fd)


def process(here: Here) -> dict[str, object]:
    found: dict[str, object] = json.loads(here("show", "@last", "--json")[1])["process"]
    return found


def test_a_detached_command_is_cancelled_with_the_reason_beside_what_was_seen(here: Here, gate: Path) -> None:
    capview("run", "--detach", "--conversation", str(here.conversation), "--", "sh", "-c", f"read line < {gate}")
    code, out, err = here(
        "cancel", "@last", "--reason", "the branch is gone; key ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    )
    assert (code, out) == (0, b"")
    assert b": its owner ends the command; capview wait 2" in err
    assert here("wait", "@last")[0] == 128 + 15
    said = process(here)
    assert (said["state"], said["exit_code"], said["signal"]) == ("cancelled", None, 15)
    assert said["reason"] == {"kind": "user", "words": "the branch is gone; key [redacted:gh-token]"}


def test_when_it_returns_the_owner_has_heard_it(here: Here, gate: Path) -> None:
    capview("run", "--detach", "--conversation", str(here.conversation), "--", "sh", "-c", f"read line < {gate}")
    assert here("cancel", "@last")[0] == 0
    assert not list(here.conversation.rglob("*.request"))


def test_a_promoted_run_gives_its_ref_and_124_and_its_command_goes_on(here: Here, gate: Path) -> None:
    script = f"echo on; read line < {gate}; exit 7"
    with running("--conversation", str(here.conversation), "--", "sh", "-c", script) as shell:
        code, out, err = here("promote", "@last")
        assert (code, out) == (0, b"")
        assert err.endswith(b": it goes on in the background; nobody waits for it any more\n")
        rest, _ = shell.communicate()
    assert shell.returncode == 124
    assert rest.startswith(b"tool-outputs/shell/")
    gate.write_text("go\n")
    assert here("wait", "@last")[0] == 7


def test_what_is_in_the_background_is_not_promoted_again(here: Here, gate: Path) -> None:
    capview("run", "--detach", "--conversation", str(here.conversation), "--", "sh", "-c", f"read line < {gate}")
    for _ in range(2):
        code, _, err = here("promote", "@last")
        assert code == 0
        assert err.endswith(b": it is in the background already\n")
    gate.write_text("go\n")
    assert here("wait", "@last")[0] == 0
    assert here("promote", "@last")[0] == 1


def test_a_command_that_ends_before_it_is_promoted_is_not_called_promoted(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(here.conversation)
    request = owner.folder / f"{owner.id}.request"

    def take_and_end(_: float) -> None:
        request.unlink()
        owner.finish()

    monkeypatch.setattr("time.sleep", take_and_end)
    code, _, err = here("promote", "@last")
    assert code == 1
    assert b"it has ended, and nobody is there to be asked; ok, log complete" in err


@pytest.mark.parametrize("command", ["cancel", "promote"])
def test_who_has_ended_cannot_be_asked(here: Here, command: str) -> None:
    killed = ProcessFacts(state=ProcessState.EXITED, signal=9)
    owner = finished(here.conversation, process=killed, capture=COMPLETE)
    code, out, err = here(command, "@last")
    assert (code, out) == (1, b"")
    assert err.decode() == (
        f"capview: {owner.ref}: it has ended, and nobody is there to be asked; killed by SIGKILL, log complete\n"
    )


@pytest.mark.parametrize("command", ["cancel", "promote"])
def test_who_died_cannot_be_asked(here: Here, command: str) -> None:
    Owner(here.conversation).release()
    code, _, err = here(command, "@last")
    assert code == 1
    assert b"its owner died, and nobody is there to be asked; end unknown" in err
    assert not list(here.conversation.rglob("*.request"))


def test_an_owner_of_another_machine_is_not_asked(here: Here) -> None:
    Owner(here.conversation, host="far", boot_id="far").release()
    code, _, err = here("cancel", "@last")
    assert code == 2
    assert b"cancel it on 'far'" in err


def test_a_command_that_has_ended_is_not_cancelled_while_its_output_is_held_open(
    here: Here, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAPVIEW_DRAIN_SECONDS", "60")
    script = f"read x < {gate} & exit 3"
    capview("run", "--detach", "--conversation", str(here.conversation), "--", "sh", "-c", script)
    code, out, err = here("cancel", "@last")
    assert (code, out) == (1, b"")
    assert b": its command has ended (failed); its owner waits only for what holds its output open\n" in err
    gate.write_text("go\n")
    assert here("wait", "@last")[0] == 3
    assert process(here)["reason"] is None


def test_whoever_sees_the_request_taken_sees_the_end_that_came_before_it(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(here.conversation)
    request = owner.folder / f"{owner.id}.request"

    def take(_: float) -> None:
        owner.say(FAILED, PENDING)
        request.unlink()

    monkeypatch.setattr("time.sleep", take)
    code, _, err = here("cancel", "@last")
    assert code == 1
    assert b": its command has ended (failed); its owner waits only" in err


# Who returns when the file was written says "done" of what nobody has heard.


def test_an_owner_that_dies_before_it_looks_is_told_of_and_no_request_stays(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(here.conversation)
    monkeypatch.setattr("time.sleep", lambda _: owner.release())
    code, _, err = here("cancel", "@last")
    assert code == 1
    assert b"its owner died, and nobody is there" in err
    assert not list(here.conversation.rglob("*.request"))


def test_an_owner_that_does_not_look_is_told_of_and_the_request_stands(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    Owner(here.conversation)
    monkeypatch.setattr(asking, "REQUEST_PATIENCE_SECONDS", 0.0)
    code, _, err = here("promote", "@last")
    assert code == 1
    assert b"its owner has not heard it yet; the request stands" in err
    picked = pick("@last", str(here.conversation))
    assert is_waiting(picked.catalogue.path, picked.entry)
    assert b"a request is waiting there already" in here("cancel", "@last")[2]


def test_an_owner_looks_often_enough_for_who_waits() -> None:
    assert REQUEST_SECONDS * 4 < REQUEST_PATIENCE_SECONDS


def test_nothing_is_asked_of_what_is_not_there(here: Here) -> None:
    assert here("cancel", "@last")[0] == 2
