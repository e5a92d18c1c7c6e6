"""``capview search``: what it prints of which lines, the bound, the command that goes on, and its exit codes."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState
from capview.limits import SEARCH_PRINTED_BYTES, SEARCH_PRINTED_HITS
from tests import ripgrep
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Here

LOG = b"begin\nerror: one\nok\nError: two\nok\nno errors\nend\n"


def objects(printed: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["error"], ["stdout:2:6:11:error: one", "stdout:6:37:42:no errors"]),
        (["-w", "error"], ["stdout:2:6:11:error: one"]),
        (["-i", "error:"], ["stdout:2:6:12:error: one", "stdout:4:20:26:Error: two"]),
        (["-S", "ERROR"], []),
        (["-S", "error:"], ["stdout:2:6:12:error: one", "stdout:4:20:26:Error: two"]),
        (["-F", "o e"], ["stdout:6:35:38:no errors"]),
        (["-v", "e|k"], ["stdout:4:20:20:Error: two"]),
        (["-v", "[rkg]"], ["stdout:7:44:44:end"]),
        (["--backward", "error"], ["stdout:6:37:42:no errors", "stdout:2:6:11:error: one"]),
        (["--from", "7", "error"], ["stdout:6:37:42:no errors"]),
        (["--from", "37", "--backward", "error"], ["stdout:2:6:11:error: one"]),
        (["--stream", "stderr", "r"], []),
        (["--max-count", "1", "error"], ["stdout:2:6:11:error: one"]),
        (["-C", "1", "two"], ["stdout-3-17-19-ok", "stdout:4:27:30:Error: two", "stdout-5-31-33-ok"]),
        (["--count", "error"], ["2"]),
        (["--count", "-v", "error"], ["5"]),
        (["--count-matches", "o"], ["8"]),
        (["--count", "nothing"], ["0"]),
    ],
)
def test_lines(here: Here, tmp_path: Path, words: list[str], expected: list[str]) -> None:
    finished(tmp_path, LOG)
    code, out, _ = here("search", *words, "@last")
    assert out.decode().splitlines() == expected
    assert code == (0 if expected and expected != ["0"] else 1)


def test_context_is_printed_once_and_gaps_are_marked(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"a\nhit\nb\nhit\nc\nd\ne\nf\nhit\n")
    _, out, _ = here("search", "-C", "1", "hit", "@last")
    lines = [line.rsplit(":" if ":" in line else "-", 1)[-1] for line in out.decode().splitlines()]
    assert lines == ["a", "hit", "b", "hit", "c", "", "f", "hit"]


def test_several_captures_newest_first_or_as_named(here: Here, tmp_path: Path) -> None:
    old = finished(tmp_path, b"error\n", b"error\n", second=1)
    new = finished(tmp_path, b"fine\nerror\n", second=2)
    _, out, _ = here("search", "error")
    expected = [f"{new.id}:stdout:2:5:10:error", f"{old.id}:stdout:1:0:5:error", f"{old.id}:stderr:1:0:5:error"]
    assert out.decode().splitlines() == expected
    _, out, _ = here("search", "error", old.id, new.id)
    assert out.decode().splitlines() == [*expected[1:], expected[0]]
    _, out, _ = here("search", "--backward", "error")
    assert out.decode().splitlines() == expected[::-1]
    assert here("search", "--count", "error")[1].decode() == f"{new.id}\t1\n{old.id}\t2\n"
    assert here("search", "--count", "fine")[1].decode() == f"{new.id}\t1\n"
    assert here("search", "--count", "fine", old.id, new.id)[1].decode() == f"{old.id}\t0\n{new.id}\t1\n"


@pytest.mark.parametrize("options", [[], ["--backward"], ["-v"], ["-C", "1"]])
def test_what_does_not_fit_is_told_with_the_command_that_goes_on(
    here: Here, tmp_path: Path, options: list[str]
) -> None:
    for second in range(2):
        finished(tmp_path, b"".join(b"-hit %d\n" % n for n in range(70)), b"-hit\n" * 90, second=second)
    pattern = "x" if "-v" in options else "-hit"
    words = ["search", "--conversation", str(tmp_path), *options, "--", pattern]
    _, whole, err = here.bare(*words[:-2], "--max-count", "1000", "--", pattern)
    assert err == b""
    pages: list[bytes] = []
    while words:
        code, out, err = here.bare(*words)
        assert code == 0
        pages += out.splitlines()
        _, _, command = err.decode().strip().partition(" more: ")
        words = shlex.split(command)[1:]
        assert sum(b":-hit" in line for line in out.splitlines()) <= SEARCH_PRINTED_HITS
    hits = [line for line in pages if b":-hit" in line]
    assert hits == [line for line in whole.splitlines() if b":-hit" in line]
    assert len(hits) == 320


def test_long_lines_count_by_their_bytes(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, (b"x" * 9_000 + b"hit" + b"y" * 9_000 + b"\n") * 50)
    _, out, err = here("search", "hit", "@last")
    assert SEARCH_PRINTED_BYTES <= len(out) < 2 * SEARCH_PRINTED_BYTES
    assert b"there are more: capview search" in err
    first = out.splitlines()[0]
    assert first.startswith(b"stdout:1:9000:9003:[")
    assert b"hit" in first
    assert first.endswith(b" bytes]")


def test_objects_for_scripts(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, b"before\nhit and hit\nafter\nhit\n")
    hit, end = objects(here("search", "hit", "@last", "--json", "-C", "1", "--max-count", "1")[1])
    assert hit["ref"] == owner.ref
    assert (hit["stream"], hit["line"], hit["line_start"], hit["line_end"]) == ("stdout", 2, 7, 18)
    assert (hit["start"], hit["end"], hit["matches"]) == (7, 10, [[7, 10], [15, 18]])
    assert (hit["text"], hit["text_start"]) == ("hit and hit", 7)
    assert [line["text"] for line in hit["before"]] == ["before"]
    assert [(line["line"], line["text"]) for line in hit["after"]] == [(3, "after")]
    assert (end["type"], end["hits"], end["rest"]) == ("end", 1, f"{owner.ref}:stdout:1:19")
    last, end = objects(here.bare(*shlex.split(end["command"])[1:])[1])
    assert (last["line"], end["rest"], end["command"]) == (4, None, None)
    assert objects(here("search", "hit", "--count", "--json")[1])[0]["count"] == 2


def test_counts_are_those_of_rg(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, b"one two\n\xff\xfetwo\n\ntwo" * 40)
    for pattern in ("two", "o", "^$", "[^o]$"):
        expected = ripgrep.count(owner.path("stdout"), pattern)
        assert here("search", "--count", pattern, "@last")[1] == b"%d\n" % expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["(", "@last"], "pattern"),
        (["x", "@last", "--from", "nowhere"], "no place where a search stopped"),
        (["x", "--from", "5"], "one REF"),
        (["x", "--all", "@last"], "without REF"),
        (["x", "--max-count", "0"], "none"),
        (["x", "--count", "--max-count", "3"], "counted whole"),
        (["x", "@last", "--from", "tool-outputs/shell/20261130T120000Z-aaaaaaaaaaaaaaaa:stdout:1:5"], "not among"),
        (["x", "no-such-ref"], "no capture"),
        (["x", "@last", "--stream", "stdin"], "stdin"),
    ],
)
def test_what_is_of_no_use_is_one_line_and_2(here: Here, tmp_path: Path, words: list[str], said: str) -> None:
    finished(tmp_path)
    code, out, err = here("search", *words)
    assert (code, out) == (2, b"")
    assert said in err.decode()
    assert len(err.splitlines()) == 1


def test_nothing_found_says_what_was_not_searched(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, capture=CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.QUOTA))
    running = Owner(tmp_path)
    code, out, err = here("search", "nothing")
    assert (code, out) == (1, b"")
    assert b"1 still running and 1 with a log that is not whole" in err
    running.append("stdout", b"nothing yet\n")
    assert here("search", "nothing")[0] == 0
    running.release()


def test_a_log_that_is_missing_is_named(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, b"hit\n", b"hit\n")
    owner.path("stdout").unlink()
    code, out, err = here("search", "hit", "@last")
    assert (code, out) == (0, b"stderr:1:0:3:hit\n")
    assert b"missing" in err


def test_every_conversation(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    root = tmp_path / "capview" / "conversations"
    owners = [finished(root / name, b"hit\n" * 60, second=second) for second, name in enumerate(("one", "two"))]
    _, out, err = here.bare("search", "--all", "hit")
    _, rest, _ = here.bare(*shlex.split(err.decode().partition(" more: ")[2])[1:])
    lines = (out + rest).decode().splitlines()
    assert len(lines) == 120
    assert lines[0].startswith(f"{root}/two/{owners[1].ref}:stdout:1:0:3:hit")
