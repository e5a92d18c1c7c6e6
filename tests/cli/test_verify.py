"""``capview verify``: one line a capture, and an exit code that a script can stand on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from capture_core.conversation import Conversation
from tests.captures import Owner
from tests.commands import Here

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "c", capfdbinary)


def capture(here: Here) -> Path:
    """Keep what a command prints; its stdout's file, without the end of its name."""
    job = Conversation.open(str(here.conversation), slow_engine=True).start(["echo", "hi"])
    job.wait()
    job.join()
    return here.conversation / job.ref


def test_all_are_ok(here: Here) -> None:
    refs = {str(capture(here).relative_to(here.conversation)) for _ in range(2)}
    code, out, err = here("verify")
    assert (code, err) == (0, b"capview: 2 captures: 2 ok\n")
    assert {tuple(line.split()) for line in out.decode().splitlines()} == {("ok", ref) for ref in refs}


def test_one_is_damaged_and_one_of_a_dead_owner(here: Here) -> None:
    place = capture(here)
    sound = capture(here)
    Owner(here.conversation).release()
    file = place.with_name(f"{place.name}.stdout.txt")
    file.chmod(0o600)
    file.write_bytes(b"ho\n")
    code, out, err = here("verify")
    assert (code, err) == (1, b"capview: 3 captures: 1 ok, 1 not-final, 1 damaged\n")
    states = dict(line.split()[1::-1] for line in out.decode().splitlines())
    assert sorted(states.values()) == ["damaged", "not-final", "ok"]
    assert here("verify", sound.name)[0] == 0
    code, out, _ = here("verify", place.name, "--json")
    said = json.loads(out)
    assert (code, said["state"], said["files"][file.name]["state"]) == (1, "damaged", "damaged")


def test_a_receipt_that_cannot_be_believed_is_damage(here: Here) -> None:
    place = capture(here)
    receipt = place.with_name(f"{place.name}.json")
    receipt.chmod(0o600)
    receipt.write_bytes(b"{\x1b")
    code, out, _ = here("verify")
    assert (code, out.split()[0]) == (1, b"damaged")
    assert b"not JSON" in out
    assert b"\x1b" not in out


def test_nothing_there(here: Here, tmp_path: Path) -> None:
    here.conversation.mkdir()
    assert here("verify") == (0, b"", b"capview: nothing captured here yet\n")
    assert here("verify", "@last")[0] == 2
    assert here.bare("verify", "--conversation", str(tmp_path / "none"))[0] == 2
