"""Trees that were made by earlier versions are read as they were then, for ever."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from capture_core.facts import CaptureReason, CaptureState, ProcessState
from tests.commands import Here
from tests.golden.scenes import EDITED, MADE
from tests.golden.trees import BOOT, HOST, Golden, all_of_them, reading, says

if TYPE_CHECKING:
    from pathlib import Path

GOLDEN = list(all_of_them())


@pytest.fixture(params=GOLDEN, ids=lambda golden: golden.folder.name)
def golden(request: pytest.FixtureRequest) -> Golden:
    found: Golden = request.param
    return found


@pytest.fixture
def conversation(golden: Golden, tmp_path: Path) -> Path:
    golden.copy(tmp_path / "golden")
    return tmp_path / "golden"


def without_reasons_of_others(said: dict[str, Any]) -> dict[str, Any]:
    """Why something is no JSON is said by a library, in its own words."""
    return said if "record" in said or said["words"] is None else {"words": said["words"].partition(" (")[0]}


def test_every_capture_is_read_as_it_was(golden: Golden, conversation: Path) -> None:
    for name, said in golden.expected.items():
        then = {field: value for field, value in said.items() if field not in ("ref", "is_here")}
        now = reading(conversation, said["ref"])
        assert says(without_reasons_of_others(now), without_reasons_of_others(then)), name


def test_the_commands_list_all_of_them(
    golden: Golden, conversation: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    here = Here(conversation, capfdbinary)
    code, out, err = here("ls", "--json")
    listed = {json.loads(line)["ref"] for line in out.splitlines()}
    unreadable = {said["ref"] for said in golden.expected.values() if "record" not in said}
    assert (code, listed | unreadable) == (0, {said["ref"] for said in golden.expected.values()})
    assert all(ref.encode() in err for ref in unreadable)
    code, out, _ = here("verify")
    states = dict(line.split()[1::-1] for line in out.decode().splitlines())
    expected = {said["ref"]: said["verified"][0] for said in golden.expected.values() if "record" in said}
    assert code == 1
    assert states == expected | dict.fromkeys(unreadable, "damaged")


def test_looking_changes_nothing(golden: Golden, conversation: Path) -> None:
    before = {path: (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in conversation.rglob("*")}
    for said in golden.expected.values():
        reading(conversation, said["ref"])
    assert {path: (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in conversation.rglob("*")} == before


def test_there_is_one_of_every_kind() -> None:
    """Of this version."""
    expected = GOLDEN[-1].expected
    assert {*MADE, *EDITED} < expected.keys()
    records = [said["record"] for said in expected.values() if "record" in said]
    assert {record["capture"]["state"] for record in records} == set(CaptureState)
    reasons = {record["capture"]["reason"] for record in records} - {None}
    assert set(CaptureReason) - reasons <= {CaptureReason.FINALIZING}
    assert {record["process"]["state"] for record in records} == set(ProcessState)
    assert {record["liveness"] for record in records} == {"final", "owner-died", "unknown"}
    assert {record["representation"]["kind"] for record in records} == {"redacted-utf8", "binary"}


def test_no_golden_capture_names_the_machine_that_it_was_made_on(golden: Golden) -> None:
    receipts = "".join(path.read_text() for path in golden.folder.rglob("*.json"))
    assert set(re.findall(r'"host": "([^"]*)"', receipts)) == {HOST}
    assert set(re.findall(r'"boot_id": "([^"]*)"', receipts)) == {BOOT}
    assert '"/' not in receipts
