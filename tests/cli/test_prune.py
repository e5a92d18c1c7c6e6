"""``capview prune``: what is chosen goes, oldest first, and nothing without being asked."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from capture_core import names
from capture_core.account import account
from capview.cli import place
from tests.captures import Owner, finished
from tests.commands import Here, capview


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "c", capfdbinary)


def labels(here: Here) -> list[str]:
    """The labels of what is there, newest first."""
    return [json.loads(line)["label"] for line in here("ls", "--json")[1].splitlines()]


def ended_ago(owner: Owner, seconds: float) -> None:
    """Let the capture have ended then."""
    ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
    owner.receipt = replace(owner.receipt, times=replace(owner.receipt.times, ended=ended))
    owner._put(names.final_receipt_file(owner.id))


def test_nothing_goes_without_a_word_on_what(here: Here) -> None:
    finished(here.conversation)
    code, out, err = here("prune")
    assert (code, out) == (2, b"")
    assert err == b"capview: prune: say what is to go: --older-than 30d, --keep 20 or --to-size 1GiB\n"


def test_keep(here: Here) -> None:
    for second in range(5):
        finished(here.conversation, second=second, label=str(second))
    code, out, err = here("prune", "--keep", "2")
    assert (code, len(out.splitlines())) == (0, 3)
    assert err.startswith(b"capview: removing 3 captures, ")
    assert labels(here) == ["4", "3"]
    assert here("prune", "--keep", "2") == (0, b"", b"capview: nothing to remove\n")


def test_older_than_counts_from_the_end(here: Here) -> None:
    for second, days in enumerate((31, 29, 1)):
        ended_ago(finished(here.conversation, second=second, label=str(days)), days * 86_400)
    assert here("prune", "--older-than", "30d")[0] == 0
    assert labels(here) == ["1", "29"]


def test_to_size_takes_the_oldest(here: Here) -> None:
    for second in range(4):
        finished(here.conversation, b"x" * 10_240, second=second, label=str(second))
    assert here("prune", "--to-size", "30KiB")[0] == 0
    assert labels(here) == ["3", "2"]
    code, _, err = here("prune", "--to-size", "1KiB", "--keep", "1")
    assert code == 1
    assert b" is left, which is more than 1 KiB: the rest may not go" in err
    assert labels(here) == ["3"]


def test_what_runs_stays_and_is_told_of(here: Here) -> None:
    finished(here.conversation, second=9, label="ended")
    Owner(here.conversation, label="running")
    unreadable = finished(here.conversation)
    (unreadable.folder / names.final_receipt_file(unreadable.id)).write_text("{")
    code, out, err = here("prune", "--keep", "0")
    assert (code, len(out.splitlines())) == (0, 1)
    assert err.startswith(b"capview: left alone: 1 running, 1 unreadable\n")
    assert labels(here) == ["running"]


def test_a_dry_run_changes_nothing(here: Here) -> None:
    finished(here.conversation, label="one")
    assert here("prune", "--keep", "0", "--dry-run")[0] == 0
    assert labels(here) == ["one"]


def test_every_conversation_keeps_its_newest(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    here = Here(tmp_path, capfdbinary)
    root = Path(place.default_root())
    for name in ("a", "b"):
        for second in range(2):
            finished(root / name, second=second)
    code, out, _ = here.bare("prune", "--all", "--keep", "1", "--json")
    assert code == 0
    assert [json.loads(line)["conversation"] for line in out.splitlines()] == [str(root / "a"), str(root / "b")]
    code, out, _ = here.bare("prune", "--all", "--keep", "0")
    assert {line.partition(b"/")[0] for line in out.splitlines()} == {b"a", b"b"}
    assert here.bare("prune", "--all", "--conversation", str(tmp_path), "--keep", "1")[0] == 2


def test_where_nothing_was_captured_there_is_nothing_to_do(here: Here, tmp_path: Path) -> None:
    done = capview("prune", "--keep", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"capview: nothing captured here yet\n")
    assert here("prune", "--keep", "1")[0] == 2


@pytest.mark.parametrize("words", [["--keep", "-1"], ["--older-than", "soon"], ["--to-size", "much"], ["--keep"]])
def test_bad_values_are_told_in_one_line(here: Here, words: list[str]) -> None:
    code, out, err = here("prune", *words)
    assert (code, out, err.count(b"\n")) == (2, b"", 1)


def test_the_allowance_knows_the_room_at_once(here: Here) -> None:
    run = ("run", "--quiet", "--conversation", str(here.conversation), "--conversation-limit", "40KiB", "--")
    fill = ("sh", "-c", "yes 0123456789abcdef | head -c 30000")
    for _ in range(2):
        capview(*run, *fill)
    states = [json.loads(line)["capture"]["reason"] for line in here("ls", "--json")[1].splitlines()]
    assert states == ["conversation-quota", None]
    assert here("prune", "--keep", "0")[0] == 0
    assert account(str(here.conversation))[:2] == (0, 0)
    capview(*run, *fill)
    [receipt] = map(json.loads, here("ls", "--json")[1].splitlines())
    assert receipt["capture"]["state"] == "complete"
