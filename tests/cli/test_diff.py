"""``capview diff``: exit codes as diff(1) has them, the first difference, what each has alone, slower steps."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.difference import walk
from capture_core.errors import EngineUnavailable
from capture_core.facts import RepresentationFacts, RepresentationKind
from capture_core.sidecar import encode
from capview.cli import diff
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Here

ONE = b"[17:58:03] start\ncc a.c\ncc b.c\nb.c:1: no\ndone in 0.5s\n"
OTHER = b"[08:01:00] start\ncc a.c\ncc b.c\nb.c:1: yes\ncc c.c\ndone in 1.5s\n"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    return finished(tmp_path, ONE, second=1).id, finished(tmp_path, OTHER, second=2).id


def test_what_differs(here: Here, pair: tuple[str, str]) -> None:
    code, out, err = here("diff", *pair)
    assert code == 1
    assert out.decode().splitlines() == [
        "==> stdout <==",
        "first difference: line 4 (byte 31) and line 4 (byte 31)",
        "  [17:58:03] start",
        "  cc a.c",
        "  cc b.c",
        "- b.c:1: no",
        "+ b.c:1: yes",
        "only in the first: 1 line",
        "- 4  b.c:1: no",
        "only in the second: 2 lines",
        "+ 4  b.c:1: yes",
        "+ 5  cc c.c",
    ]
    assert err == b"capview: derived from the outputs, never evidence\n"


def test_what_differs_in_every_run_is_the_same(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, ONE, second=1)
    finished(tmp_path, ONE.replace(b"0.5s", b"9.5s"), second=2)
    code, out, err = here("diff", "@-2", "@last")
    assert (code, out) == (0, b"")
    assert b"but for 1 lines" in err
    code, out, _ = here("diff", "@-2", "@last", "--exact")
    assert code == 1
    assert b"- 5  done in 0.5s\n" in out
    assert here("diff", "@last", "@last", "--exact")[:2] == (0, b"")


def test_the_folders_that_they_ran_in(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"cc /srv/a/x.c\n", second=1)
    finished(tmp_path, b"cc /srv/b/x.c\n", second=2)
    assert here("diff", "@-2", "@last")[0] == 1
    assert here("diff", "@-2", "@last", "--folder1", "/srv/a", "--folder2", "/srv/b/")[0] == 0


def test_one_object(here: Here, pair: tuple[str, str]) -> None:
    code, out, _ = here("diff", *pair, "--json", "--max-count", "1")
    found = json.loads(out)
    assert (code, found["same"], found["derived"]) == (1, False, True)
    stdout, stderr = found["streams"]["stdout"], found["streams"]["stderr"]
    assert stderr["same"]
    assert [side["lines"] for side in stdout["only"]] == [1, 2]
    assert [len(side["shown"]) for side in stdout["only"]] == [1, 1]
    assert stdout["normalised_lines"] == 2
    assert stdout["gave_up"] is None
    for first, text in zip(stdout["first"], (ONE, OTHER), strict=True):
        assert here.bare(*shlex.split(first["read"])[1:])[:2] == (0, text[first["offset"] :])


def test_lines_that_are_not_shown_are_counted_with_the_command_that_shows_them(here: Here, tmp_path: Path) -> None:
    more = b"".join(b"more %d\n" % number for number in range(50))
    finished(tmp_path, b"a\n", second=1)
    finished(tmp_path, b"a\n" + more, second=2)
    code, out, _ = here("diff", "@-2", "@last", "--max-count", "3")
    assert code == 1
    lines = out.decode().splitlines()
    assert lines[2:5] == ["  a", "- (it ends here)", "+ more 0"]
    assert "only in the second: 50 lines" in lines
    command = lines[-1].partition(" and 47 more; from the last one shown on: capview ")[2]
    assert here.bare(*shlex.split(command))[1] == more[more.index(b"more 2\n") :]
    assert here("diff", "@-2", "@last", "--max-count", "0")[0] == 1


def test_where_it_gives_up_it_says_so(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "DIFFERENCE_MOST_WINDOW_LINES", 1)
    monkeypatch.setattr(walk, "DIFFERENCE_WINDOW_LINES", 4)
    finished(tmp_path, b"".join(b"one %d\n" % number for number in range(99)), second=1)
    finished(tmp_path, b"".join(b"other %d\n" % number for number in range(99)), second=2)
    code, _, err = here("diff", "@-2", "@last")
    assert code == 1
    assert b"stdout: nothing in common from there on as far as was looked; 683 and 881 bytes were not compared" in err
    _, out, _ = here("diff", "@-2", "@last", "--json")
    assert [place["line"] for place in json.loads(out)["streams"]["stdout"]["gave_up"]] == [1, 1]


def test_steps_that_got_slower(here: Here, tmp_path: Path) -> None:
    log = b"::group::A\n::endgroup::\n::group::B\n::endgroup::\n"
    for second, took in ((1, 1), (2, 9)):
        owner = finished(tmp_path, log, second=second)
        marks = [(0, 0), (11, took * 10**9), (24, took * 10**9), (35, (took + 1) * 10**9)]
        (owner.folder / f"{owner.id}.stdout.times").write_bytes(encode(marks))
    code, out, _ = here("diff", "@-2", "@last")
    assert code == 0
    assert out.decode().splitlines() == ["==> slower steps of stdout <==", "1.0 s → 9.0 s  line 1  group  A"]
    _, out, _ = here("diff", "@-2", "@last", "--json")
    [slower] = json.loads(out)["streams"]["stdout"]["slower"]
    assert (slower["title"], slower["seconds"]) == ("A", [1.0, 9.0])


def test_failures_that_are_new(here: Here, tmp_path: Path) -> None:
    error = "a.c:{}:5: error: ‘x’ undeclared (first use in this function)\n"
    finished(tmp_path, error.format(12).encode(), second=1)
    other = f"one more line\n{error.format(13)}b.c:1:1: error: expected ‘;’ before ‘}}’ token\n".encode()
    finished(tmp_path, other, second=2)
    code, out, _ = here("diff", "@-2", "@last")
    assert code == 1
    [heading, failure] = out.decode().splitlines()[-2:]
    assert heading == "==> new likely failures in stdout <=="
    assert failure.startswith("line 3  ")
    assert failure.endswith("b.c:1:1: error: expected ‘;’ before ‘}’ token")
    _, out, _ = here("diff", "@-2", "@last", "--json")
    found = json.loads(out)["streams"]["stdout"]
    assert found["new_failures_total"] == 1
    [new] = found["new_failures"]
    assert here.bare(*shlex.split(new["read"])[1:])[1] == other[new["start"] : new["end"]]
    assert json.loads(here("diff", "@last", "@-2", "--json")[1])["streams"]["stdout"]["new_failures"] == []


def test_without_an_engine_for_failures_the_rest_is_told(
    here: Here, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise EngineUnavailable("no engine")

    monkeypatch.setattr(diff, "failures", refuse)
    code, out, err = here("diff", *pair)
    assert (code, out.count(b"\n")) == (1, 12)
    assert b"no engine" in err
    assert b"stdout: which likely failures are new is not known" in err


def test_a_stream_that_only_one_has_is_compared_with_nothing(here: Here, tmp_path: Path) -> None:
    other = finished(tmp_path, b"a\n")
    owner = Owner(tmp_path, streams=("output",))
    owner.append("output", b"a\n")
    code, out, err = here("diff", other.id, owner.id)
    assert code == 1
    assert out.count(b"(it ends here)") == 2
    assert b"is still running" in err
    owner.release()


def test_what_a_terminal_would_obey_is_made_safe(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"a\x1b[2J\xff\n", second=1)
    finished(tmp_path, b"b" * 1_000 + b"\n", second=2)
    code, out, _ = here("diff", "@-2", "@last")
    assert code == 1
    assert b"\x1b" not in out
    assert ("b" * 400 + "…\n").encode() in out


@pytest.mark.parametrize(
    "options", [("--stream", "content"), ("--exact", "--folder1", "/a"), ("--conversation", "/nowhere")]
)
def test_bad_input(here: Here, pair: tuple[str, str], options: tuple[str, ...]) -> None:
    code, out, err = here("diff", *pair, *options)
    assert (code, out) == (2, b"")
    assert err.count(b"\n") == 1


def test_exact_bytes_and_files_that_are_gone(here: Here, tmp_path: Path) -> None:
    gone = finished(tmp_path, second=1)
    gone.path("stdout").unlink()
    owner = Owner(tmp_path)
    owner.receipt = replace(owner.receipt, representation=RepresentationFacts(kind=RepresentationKind.BINARY))
    owner.announce()
    for refs, words in (((owner.id, gone.id), b"exact bytes"), ((gone.id, gone.id), b"missing")):
        code, out, err = here("diff", *refs)
        assert (code, out) == (2, b"")
        assert words in err
    owner.release()
