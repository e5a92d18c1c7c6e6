"""``capview outline``: steps with their times and ranges, bounded, each with the command that opens it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import RepresentationFacts, RepresentationKind
from capture_core.sidecar import encode
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from tests.commands import Here

LOG = (Path(__file__).parents[1] / "raw/outline/make.log").read_bytes()
SECOND = 1_000_000_000


def built(conversation: Path, *, times: bool = True) -> Owner:
    owner = finished(conversation, LOG)
    if times:
        line_starts = [0, *(at + 1 for at, byte in enumerate(LOG[:-1]) if byte == ord("\n"))]
        marks = [(start, second * SECOND) for second, start in enumerate(line_starts)]
        (owner.folder / f"{owner.id}.stdout.times").write_bytes(encode(marks))
    return owner


def test_steps_with_the_time_that_each_took(here: Here, tmp_path: Path) -> None:
    built(tmp_path)
    code, out, err = here("outline", "@last")
    assert code == 0
    rows = [line.split(maxsplit=4) for line in out.decode().splitlines()]
    assert [[time, lines, title] for time, _, _, lines, title in rows] == [
        ["16.0", "1-17", "make-directory  /home/user/project/mk"],
        ["2.0", "3-5", "make-directory    /home/user/project/mk/lib"],
        ["9.0", "7-16", "make-directory    /home/user/project/mk/app"],
        ["1.0", "14-15", "make-directory      /home/user/project/mk"],
    ]
    assert rows[0][2] == f"0:{len(LOG)}"
    assert b"never evidence" in err


def test_an_object_a_step_and_its_command_opens_it(here: Here, tmp_path: Path) -> None:
    owner = built(tmp_path)
    code, out, _ = here("outline", owner.id, "--json", "--slowest")
    steps = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [step["seconds"] for step in steps] == [16.0, 9.0, 2.0, 1.0]
    assert [step["parent"] for step in steps] == [None, 0, 0, 2]
    assert all(step["derived"] and step["ref"] == owner.ref and step["ended"] for step in steps)
    for step in steps:
        code, text, _ = here.bare(*shlex.split(step["read"])[1:])
        assert (code, text) == (0, LOG[step["start"] : step["end"]])


def test_what_is_not_shown_is_named_with_the_command_that_shows_it(here: Here, tmp_path: Path) -> None:
    built(tmp_path)
    found, words = b"", ["outline", "@last", "--conversation", str(tmp_path), "--max-count", "1", "--depth", "2"]
    turns = 0
    while words:
        code, out, err = here.bare(*words)
        assert code == 0
        found, turns = found + out, turns + 1
        more = [line for line in err.decode().splitlines() if " more in stdout: " in line]
        words = shlex.split(more[0].partition(": capview outline")[2]) if more else []
        words = ["outline", *words] if words else []
    assert turns == 3
    assert [line.split()[-1][-3:] for line in found.decode().splitlines()] == ["/mk", "lib", "app"]


def test_times_that_were_not_kept_are_unknown_and_said_so(here: Here, tmp_path: Path) -> None:
    built(tmp_path, times=False)
    code, out, err = here("outline", "@last")
    assert code == 0
    assert {line.split()[0] for line in out.decode().splitlines()} == {"–"}
    assert b"stdout: no arrival times were kept" in err
    _, out, _ = here("outline", "@last", "--json")
    assert {json.loads(line)["seconds"] for line in out.splitlines()} == {None}


def test_no_steps_are_an_answer(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"hello\n")
    code, out, err = here("outline", "@last")
    assert (code, out) == (1, b"")
    assert b"no steps" in err


def test_titles_cannot_move_the_cursor(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"::group::a\x1b[2Jb\xff\n", b"::group::[red]\n")
    code, out, _ = here("outline", "@last")
    assert code == 0
    assert b"\x1b" not in out
    assert b"==> stderr <==" in out
    assert b"[red]" in out
    assert b"[open]" in out


@pytest.mark.parametrize("options", [("--max-count", "0"), ("--depth", "0")])
def test_bad_input(here: Here, tmp_path: Path, options: tuple[str, ...]) -> None:
    built(tmp_path)
    code, out, err = here("outline", "@last", *options)
    assert (code, out) == (2, b"")
    assert err.count(b"\n") == 1


def test_exact_bytes_have_no_steps(here: Here, tmp_path: Path) -> None:
    from dataclasses import replace

    owner = Owner(tmp_path)
    owner.receipt = replace(owner.receipt, representation=RepresentationFacts(kind=RepresentationKind.BINARY))
    owner.announce()
    code, _, err = here("outline", "@last")
    assert code == 2
    assert b"exact bytes" in err
    owner.release()
