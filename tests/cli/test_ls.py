"""``capview ls``: what is listed, in which order, which of it, and what is said beside it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core import liveness
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState
from capview.cli import place
from tests.captures import FAILED, Owner, finished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.commands import Here

CUT = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.QUOTA)


def labels(out: bytes) -> list[str]:
    return [json.loads(line)["label"] for line in out.splitlines()]


def test_a_table_newest_first_with_totals_beside_it(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"x" * 2048, second=1, label="make")
    finished(tmp_path, second=2, label="pytest [1/300]", process=FAILED)
    Owner(tmp_path, capture="20261130T130000Z-aaaaaaaaaaaaaaaa", label="sleep").append("stdout", b"zz")
    code, out, err = here("ls")
    rows = [line.split("  ") for line in out.decode().splitlines()]
    assert code == 0
    assert [row[-1] for row in rows] == ["LABEL", "sleep", "pytest [1/300]", "make"]
    assert [row[0].strip() for row in rows] == ["STATE", "● running", "✗ failed", "✓ ok"]
    assert "2 KiB" in rows[3]
    assert err == b"capview: 3 captures, 1 running, 2.0 KiB kept\n"


def test_which_ones(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, label="ok", second=1)
    finished(tmp_path, label="failed", second=2, process=FAILED)
    finished(tmp_path, label="cut", second=3, capture=CUT)
    Owner(tmp_path, label="running", capture="20261130T120004Z-aaaaaaaaaaaaaaaa")
    died = Owner(tmp_path, label="died", capture="20261130T120005Z-aaaaaaaaaaaaaaaa")
    died.release()
    for options, expected in (
        ([], ["died", "running", "cut", "failed", "ok"]),
        (["--running"], ["running"]),
        (["--failed"], ["died", "failed"]),
        (["--partial"], ["died", "cut"]),
        (["--running", "--failed"], ["died", "running", "failed"]),
    ):
        code, out, _ = here("ls", "--json", *options)
        assert code == 0
        assert labels(out) == expected


def test_since_when(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, label="long ago").folder.touch()
    Owner(tmp_path, label="running")
    recent = Owner(tmp_path, label="recent")
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 600))
    recent.announce(replace(recent.receipt, times=replace(recent.receipt.times, started=started)))
    recent.release()
    for since, expected in (("5m", {"running"}), ("1h", {"running", "recent"})):
        _, out, _ = here("ls", "--json", "--since", since)
        assert set(labels(out)) == expected
    code, out, err = here("ls", "--since", "0", "--failed")
    assert (code, out) == (1, b"")
    assert err.startswith(b"capview: 0 of 3 captures")


def test_json_is_one_receipt_a_line_with_the_states_of_now(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path, label="a\nb")
    owner.append("stdout", b"12345")
    owner.release()
    _, out, _ = here("ls", "--json")
    (line,) = out.splitlines()
    said = json.loads(line)
    assert said["ref"] == owner.ref
    assert said["liveness"] == "owner-died"
    assert said["capture"] == {"state": "partial", "reason": "owner-died"}
    assert said["process"]["state"] == "unknown"
    assert said["process"]["exit_code"] is None
    assert said["streams"]["stdout"]["committed"] == 5
    assert said["directory"] == str(owner.folder)


def test_nothing_is_said_in_a_clear_word_and_exit_1(here: Here) -> None:
    for command in ((here("ls")), here.bare("ls"), here.bare("ls", "--all")):
        assert command[:2] == (1, b"")
        assert command[2] == b"capview: nothing captured here yet; start with: capview run -- COMMAND\n"


def test_every_conversation_below_the_root(here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(place, "default_root", lambda: str(tmp_path))
    finished(tmp_path / "one", label="a", second=1)
    finished(tmp_path / "two", label="b", second=2)
    _, out, _ = here.bare("ls", "--all")
    assert [line.split()[-2:] for line in out.decode().splitlines()[1:]] == [["two", "b"], ["one", "a"]]


def test_what_cannot_be_read_is_named_beside_the_rest(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, label="good")
    bad = finished(tmp_path)
    (bad.folder / f"{bad.id}.json").write_bytes(b'{"schema": 2}')
    code, out, err = here("ls", "--json")
    assert code == 0
    assert labels(out) == ["good"]
    assert f"capview: {bad.ref}: its receipt is of schema 2".encode() in err


def test_an_allowance_that_is_nearly_used_up_is_warned_of(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"x" * 900)
    (tmp_path / "capview.toml").write_text("[limits]\nconversation_bytes = 1000\n")
    _, _, err = here("ls")
    assert b"900 B of the 1000 B that it may keep" in err
    (tmp_path / "capview.toml").write_text("[limits]\nconversation_bytes = 2000\n")
    _, _, err = here("ls")
    assert b"may keep" not in err


def test_what_cannot_be_counted_is_named_beside_the_rest(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The system refuses some calls of many: no file system here fails just those that count.
    monkeypatch.setattr("capture_core.account.kept_bytes", _not_counted)
    finished(tmp_path, label="make")
    code, out, err = here("ls", "--json")
    assert code == 0
    assert labels(out) == ["make"]
    assert f"{str(tmp_path)!r}: the captures here cannot be counted: input/output error".encode() in err
    assert "1 capture, 0 running, – kept".encode() in err


def _not_counted(_outputs: int, *, unlisted: int) -> int:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.fixture
def worker() -> Iterator[int]:
    """The id of a process that has worked, and prints on a pipe."""
    work = "import sys, time\nwhile time.process_time() < 0.4: pass\nsys.stderr.write('.')\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-uc", work], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.read(1)
        yield process.pid
        process.kill()


def test_what_running_jobs_seem_to_be_doing(here: Here, tmp_path: Path, worker: int) -> None:
    """Fails where it is read of more than the end, or told of what is over."""
    build = Owner(tmp_path, capture="20261130T130003Z-aaaaaaaaaaaaaaaa", label="build")
    build.append("stdout", b"x" * 100_000 + b"\n[12/340] CC a.c\n")
    asks = Owner(tmp_path, capture="20261130T130002Z-aaaaaaaaaaaaaaaa", label="asks")
    asks.append("stdout", b"Overwrite? [y/N] ")
    silent = Owner(tmp_path, capture="20261130T130001Z-aaaaaaaaaaaaaaaa", label="silent")
    silent.append("stdout", b"begun\n")
    process = replace(silent.receipt.process, pid=worker)
    silent.receipt = replace(
        silent.receipt, process=process, host=liveness.here().host, boot_id=liveness.here().boot_id
    )
    now = time.time()
    for owner, ago in ((build, 0), (asks, 5), (silent, 40)):
        for stream in ("stdout", "stderr"):
            os.utime(owner.path(stream), (now - ago, now - ago))
        # A start that lies behind: silence counts from the last print.
        owner.announce(replace(owner.receipt, times=replace(owner.receipt.times, started="2026-01-01T00:00:00Z")))
    finished(tmp_path, second=1, label="[12/340]")
    _, out, _ = here("ls")
    rows = {line.split()[-1]: line for line in out.decode().splitlines()}
    assert "NOW" in rows["LABEL"]
    assert "running  12/340 " in rows["build"]
    assert "running  input? " in rows["asks"]
    assert "running  silent 40 s, buffering? " in rows["silent"]
    _, out, _ = here("ls", "--json")
    told = {found["label"]: found["activity"] for found in map(json.loads, out.splitlines())}
    assert told["[12/340]"] is None
    assert told["build"]["progress"] == {"percent": 3.53, "done": 12, "total": 340}
    assert told["asks"]["waits_for_input"] == "asks"
    assert (told["silent"]["silent_seconds"] >= 40, told["silent"]["may_be_buffering"]) == (True, True)


def test_no_column_where_there_is_nothing_to_tell(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, label="make")
    assert b"NOW" not in here("ls")[1]
