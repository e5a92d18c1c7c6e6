"""``capview errors``: bounded, with the place of each and the command that opens it, and never more than a guess."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import RepresentationFacts, RepresentationKind
from capture_core.limits.failures import FAILURE_SHOWN_LINE_BYTES, FAILURES_SHOWN
from tests.captures import Owner, finished
from tests.commands import Here

if TYPE_CHECKING:
    from pathlib import Path

GUESS = b"a guess by patterns, never evidence"
GCC = b"a.c:1:2: error: no\n    1 | int\n"
TRACE = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n'


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path, capfdbinary)


def objects(out: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_failures_of_both_streams_with_what_is_around_them(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, b"one\ntwo\nthree\n" + GCC + b"four\n", b"fatal: five\n")
    code, out, err = here("errors", "@last", "-C", "1")
    opening = f"  capview read {owner.id} --stream %s --around %d --conversation {tmp_path}\n\n"
    assert code == 0
    assert out.decode() == (
        "stdout:4-5: error, compiler (gcc)\n"
        "  three\n"
        "> a.c:1:2: error: no\n"
        ">     1 | int\n"
        "  four\n"
        f"{opening % ('stdout', 14)}"
        "stderr:1: error, message (error-message)\n"
        "> fatal: five\n"
        f"{opening % ('stderr', 0)}"
    )
    assert err == b"capview: 2 likely failures: " + GUESS + b"; how the command ended: capview show %s\n" % (
        owner.id.encode()
    )


def test_the_command_that_is_printed_opens_the_place(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"line\n" * 10_000 + TRACE)
    _, out, _ = here("errors", "@last")
    command = next(line for line in out.decode().splitlines() if line.startswith("  capview read "))
    code, passage, _ = here.bare(*shlex.split(command)[1:])
    assert code == 0
    assert b"KeyError: 1\n" in passage


def test_nothing_found_is_exit_1_and_proves_nothing(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"0 errors\n", b"")
    code, out, err = here("errors", "@last")
    assert (code, out) == (1, b"")
    assert err.startswith(b"capview: nothing looks like a failure: " + GUESS)


def test_one_stream(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"error: one\n", b"error: two\n")
    code, out, _ = here("errors", "@last", "--stream", "stderr", "--json")
    assert (code, [each["headline"] for each in objects(out)]) == (0, ["error: two"])
    code, _, err = here("errors", "@last", "--stream", "nope")
    assert code == 1
    assert b"has no stream 'nope'" in err


def test_no_more_than_asked_for_and_the_commands_that_go_on(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, *(b"".join(b"error: no %d\n" % (n + first) for n in range(7)) for first in (0, 7)))
    told: list[str] = []
    waiting = [["errors", "@last", "--conversation", str(tmp_path), "--max-count", "4", "--json"]]
    while waiting:
        code, out, err = here.bare(*waiting.pop(0))
        found = objects(out)
        assert code == 0
        assert 1 <= len(found) <= 4
        told += [str(each["headline"]) for each in found]
        more = [line.partition(": ")[2] for line in err.decode().splitlines() if " more in " in line]
        waiting += [shlex.split(line.partition(": ")[2])[1:] for line in more]
    assert sorted(told) == sorted(f"error: no {n}" for n in range(14))


def test_what_is_shown_when_nothing_is_asked_for_is_bounded(here: Here, tmp_path: Path) -> None:
    wide = b"error: " + b"x" * 100_000 + b"\n"
    long = b"Traceback (most recent call last):\n" + b"  frame\n" * 5_000 + b"KeyError: 1\n"
    finished(tmp_path, (wide + b"\n" + long) * FAILURES_SHOWN)
    code, out, err = here("errors", "@last")
    assert code == 0
    assert out.count(b"\n\n") == FAILURES_SHOWN
    assert max(map(len, out.splitlines())) <= FAILURE_SHOWN_LINE_BYTES + len("> …".encode())
    assert len(out) < 16 * 1024
    assert b"bytes left out\n" in out
    assert b">   frame\n> KeyError: 1\n" in out
    assert b" --skip 10 --max-count 10 " in err


def test_an_object_tells_all_of_it_and_that_it_is_derived(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, b"ok\n" + TRACE)
    code, out, _ = here("errors", "@last", "--json")
    assert code == 0
    assert objects(out) == [
        {
            "ref": owner.ref,
            "stream": "stdout",
            "derived": True,
            "pattern": "python-traceback",
            "tool": "Python",
            "kind": "traceback",
            "severity": "error",
            "first_line": 2,
            "last_line": 4,
            "start": 3,
            "end": 2 + len(TRACE),
            "at": 3 + TRACE.index(b"KeyError"),
            "headline": "KeyError: 1",
            "text": TRACE.decode().removesuffix("\n"),
            "text_end": 2 + len(TRACE),
            "read": f"capview read {owner.id} --stream stdout --around {3 + TRACE.index(b'KeyError')}"
            f" --conversation {tmp_path}",
        }
    ]


def test_a_headline_in_the_middle_of_a_long_failure_is_shown(here: Here, tmp_path: Path) -> None:
    cause = b"Caused by: b.Error: the cause\n"
    frames = b"\tat a.A.b(A.java:1)\n" * 500
    finished(tmp_path, b'Exception in thread "main" a.Error: no\n' + frames + cause + frames)
    _, out, _ = here("errors", "@last")
    assert b"\n> Caused by: b.Error: the cause\n" in out


def test_a_capture_that_still_grows(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stderr", b"error: one\n")
    assert here("errors", "@last")[0] == 0
    owner.release()


def test_exact_bytes_have_no_lines(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.receipt = replace(owner.receipt, representation=RepresentationFacts(kind=RepresentationKind.BINARY))
    owner.append("stdout", b"error: one\n")
    owner.announce()
    code, out, err = here("errors", "@last")
    owner.release()
    assert (code, out) == (2, b"")
    assert b"holds exact bytes" in err


@pytest.mark.parametrize(("option", "value"), [("--max-count", "0"), ("--max-count", "x"), ("-C", "1000")])
def test_what_is_no_bound_is_refused(here: Here, tmp_path: Path, option: str, value: str) -> None:
    finished(tmp_path)
    assert here("errors", "@last", option, value)[0] == 2


def test_the_help_says_that_it_is_no_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    from capview.cli.main import main

    assert main(["errors", "--help"]) == 0
    assert "never evidence" in " ".join(capsys.readouterr().out.split())
