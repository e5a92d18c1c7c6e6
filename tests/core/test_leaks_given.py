"""Nothing of a secret that is given with a command is in any file of a conversation, nor in what capview says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from capture_core import Conversation
from capture_core.catalog import Catalogue
from capture_core.facts import RequestKind
from capture_core.names import request_file
from capture_core.request import ask_owner
from tests.captures import Owner, Relay
from tests.commands import Here
from tests.onlooker import Onlooker, said
from tests.shapes import OWN, OWN_RULE, VARIABLE, Secret, leaks, windows

GIVEN = {
    "token": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "known": "x9Kq-0rWzL",
    "word": "hunter2hunter2",
    "own": OWN,
}


@pytest.mark.parametrize("text", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("where", ["label", "argv", "cwd", "path", "call_id", "reason", "files"])
def test_a_secret_in_what_is_given_with_a_command_is_nowhere(
    where: str, text: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    named = tmp_path / text
    named.mkdir()
    (named / text).write_text("no-such-value\n")
    conversation = Conversation.open(str(named if where == "path" else tmp_path / "conversation"), rules=[OWN_RULE])
    secret = Secret("", text, "", frozenset(windows(text)))
    with Onlooker(Path(conversation.path), secret) as onlooker:
        relay = Relay(
            lambda argv: conversation.start(
                [*argv, text] if where == "argv" else argv,
                label=text if where == "label" else None,
                cwd=str(named) if where == "cwd" else None,
                call_id=text if where == "call_id" else None,
                mask_files=[str(named / text)] if where == "files" else (),
                env={"PATH": os.environ["PATH"], VARIABLE: text, text.replace("-", "_") + "_TOKEN": "short"},
            ),
            tmp_path,
        )
        relay.job.cancel(text if where == "reason" else "")
        receipt = relay.job.wait()
        relay.close()
    assert not onlooker.found
    assert receipt is not None
    assert not leaks(secret, said(Here(Path(conversation.path), capfdbinary), receipt.capture_id))


@pytest.mark.parametrize("given", ["token", "known", "word"])
def test_a_secret_in_the_reason_of_a_request_is_nowhere(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = GIVEN[given]
    monkeypatch.setenv(VARIABLE, "" if given == "token" else text)
    owner = Owner(tmp_path)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    secret = Secret("", text, "", frozenset(windows(text)))
    ask_owner(str(tmp_path), catalogue.listing().entries[0], RequestKind.CANCEL, f"as {text} is over")
    request = (owner.folder / request_file(owner.id)).read_bytes()
    owner.release()
    assert b"as [redacted:" in request
    assert not leaks(secret, request)
