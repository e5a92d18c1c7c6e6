"""``capview cancel`` of a job that has filled its disk: a request that needs no room, or the way without one."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

import pytest

from capture_core.catalog import Catalogue, Name
from capture_core.errors import Refused
from capture_core.facts import RequestKind
from capture_core.request import ask_owner
from capture_core.source import Entry
from tests.captures import Owner
from tests.commands import capview
from tests.faults.grounds import tmpfs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with tmpfs(tmp_path / "disk", "size=1m,nr_inodes=100,mode=0700") as place:
        yield place


def started(disk: Path) -> str:
    job = ("--conversation", str(disk), "--", "sleep", "60")
    return capview("run", "--detach", *job).stdout.decode().strip()


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def take_all_names(disk: Path) -> None:
    with contextlib.suppress(OSError):
        for number in range(200):
            (disk / f"n{number}").touch()


@pytest.mark.parametrize("reason", ["", "it eats the disk"])
def test_a_job_that_has_filled_the_disk_is_cancelled(disk: Path, reason: str) -> None:
    ref = started(disk)
    fill(disk)
    done = capview("cancel", "@last", "--conversation", str(disk), "--reason", reason)
    assert done.returncode == 0, done.stderr
    assert (b"no room for the reason" in done.stderr) is bool(reason)
    assert capview("wait", "@last", "--conversation", str(disk)).returncode == 128 + 15
    process = json.loads((disk / f"{ref}.json").read_text())["process"]
    assert (process["state"], process["reason"]) == ("cancelled", {"kind": "user", "words": ""})


def test_a_job_is_not_promoted_by_an_empty_request(disk: Path) -> None:
    """It would be cancelled."""
    owner = Owner(disk)
    fill(disk)
    entry = Catalogue(str(disk)).fresh(Name(owner.receipt.tool, owner.id))
    assert isinstance(entry, Entry)
    with pytest.raises(Refused, match=r"cannot be written: no space left on device$"):
        ask_owner(str(disk), entry, RequestKind.PROMOTE, "")
    assert not list(disk.rglob("*.request"))


def test_where_no_name_can_be_had_the_way_without_is_named(disk: Path) -> None:
    ref = started(disk)
    while (pid := json.loads((disk / f"{ref}.live.json").read_text())["process"]["pid"]) is None:
        pass
    take_all_names(disk)
    done = capview("cancel", "@last", "--conversation", str(disk))
    assert done.returncode == 2
    said = re.search(r"no space left on device; kill -TERM -- -(\d+) ends", done.stderr.decode())
    assert said is not None
    assert int(said[1]) == pid
    for number in range(200):
        (disk / f"n{number}").unlink(missing_ok=True)
    assert capview("cancel", "@last", "--conversation", str(disk)).returncode == 0
