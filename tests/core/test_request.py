"""Requests to an owner: one file, whole, where the owner looks, and only where somebody can act on it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from capture_core.catalog import Catalogue, Name
from capture_core.errors import Refused
from capture_core.facts import RequestKind
from capture_core.request import ask_owner
from capture_core.source import Entry
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from pathlib import Path


def ask(conversation: Path, owner: Owner, reason: str = "") -> None:
    entry = Catalogue(str(conversation)).fresh(Name(owner.receipt.tool, owner.id))
    assert isinstance(entry, Entry)
    ask_owner(str(conversation), entry, RequestKind.CANCEL, reason)


def test_the_owner_of_a_live_capture_is_asked(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    before = set(owner.folder.iterdir())
    ask(tmp_path, owner, "too loud \x1b[31m" + "x" * 1000)
    (path,) = set(owner.folder.iterdir()) - before
    assert path.name == f"{owner.id}.request"
    assert path.stat().st_mode & 0o777 == 0o600
    said = json.loads(path.read_bytes())
    assert said["kind"] == "cancel"
    assert said["reason"].startswith("too loud")
    assert len(said["reason"]) == 200


def test_a_secret_at_the_end_of_a_reason_is_masked_before_it_is_cut(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    ask(tmp_path, owner, "x" * 180 + " ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    said = json.loads((owner.folder / f"{owner.id}.request").read_bytes())
    assert said["reason"] == "x" * 180 + " [redacted:gh-token]"[:20]


@pytest.mark.parametrize("reason", ["", "a \udcff", "cut \ud83d", "x" * 100_000])
def test_any_reason_can_be_given(tmp_path: Path, reason: str) -> None:
    owner = Owner(tmp_path)
    ask(tmp_path, owner, reason)
    said = json.loads((owner.folder / f"{owner.id}.request").read_bytes())
    assert said["reason"] == reason[:200].replace("\udcff", "\N{REPLACEMENT CHARACTER}").replace("\ud83d", "?")


def test_a_second_request_does_not_replace_the_first(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    ask(tmp_path, owner, "first")
    with pytest.raises(Refused, match="waiting"):
        ask(tmp_path, owner, "second")
    assert json.loads((owner.folder / f"{owner.id}.request").read_bytes())["reason"] == "first"


def test_nobody_is_asked_when_nobody_is_there(tmp_path: Path) -> None:
    ended, dead, far = finished(tmp_path), Owner(tmp_path), Owner(tmp_path, host="far", boot_id="far")
    dead.release()
    far.release()
    for owner, words in ((ended, "has ended"), (dead, "has ended"), (far, "on 'far'")):
        with pytest.raises(Refused, match=words):
            ask(tmp_path, owner)
    assert not list(ended.folder.glob("*.request"))


def test_a_link_at_the_requests_place_is_not_written_through(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    target = tmp_path / "target"
    target.touch()
    os.symlink(target, owner.folder / f"{owner.id}.request")
    with pytest.raises(Refused):
        ask(tmp_path, owner)
    assert target.read_bytes() == b""
