"""``run --inline``, ``show --inline`` and ``show --shown``: what a model is given, what a person sees of it later."""

from __future__ import annotations

import json
import os
import shlex
import signal
import stat
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from capture_core.limits import INLINE_MOST_BYTES
from tests.captures import Owner, finished
from tests.commands import Here

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "conversation", capfdbinary)


def inline(here: Here, script: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = ["capview", "run", "--inline", "--conversation", str(here.conversation), *options, "--", "sh", "-c", script]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def shown(here: Here) -> list[dict[str, object]]:
    return [json.loads(line) for line in here("show", "@last", "--shown", "--json")[1].splitlines()]


def test_19_bytes_of_a_command_cost_at_most_77_and_nothing_else_is_printed(here: Here) -> None:
    done = inline(here, "echo 0123456789abcdefgh")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[capview: exit 0, log complete; stdout]\n0123456789abcdefgh\n"
    assert len(done.stdout) <= 77


def test_a_small_result_leaves_nothing_behind(here: Here) -> None:
    inline(here, "echo small; exit 3")
    assert not here.conversation.exists()


def test_what_outgrows_a_preview_is_in_files_from_its_first_byte_on(here: Here) -> None:
    done = inline(here, "seq 20000")
    assert "left out; capview read tool-outputs/shell/" in done.stdout
    [text] = here.conversation.glob("tool-outputs/shell/*.stdout.txt")
    assert text.read_text() == "".join(f"{n}\n" for n in range(1, 20001))


def test_what_does_not_fit_a_small_budget_is_in_files(here: Here) -> None:
    done = inline(here, "seq 1000; exit 2", "--budget", "600")
    assert "left out; capview read tool-outputs/shell/" in done.stdout
    assert here("read", "@last", "--tail", "1")[1] == b"1000\n"


def test_what_is_promoted_is_given_as_it_is_so_far_with_how_it_goes_on(here: Here, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    promote = f"capview promote --conversation {here.conversation} @last"
    script = f"echo early; until {promote}; do sleep 0.1; done 2> {gate}.log; read line < {gate}; echo late"
    words = ["capview", "run", "--inline", "--conversation", str(here.conversation), "--budget", "2000"]
    words += ["--", "sh", "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 124
    assert done.stdout.startswith("[capview: running, log growing; goes on as tool-outputs/shell/")
    gate.write_text("go\n")
    assert here("wait", "@last")[0] == 0
    assert here("read", "@last", "--stream", "stdout")[1] == b"early\nlate\n"


def test_a_failure_puts_stderr_first_and_gives_its_code(here: Here) -> None:
    done = inline(here, "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == "[capview: exit 3, log complete; stderr]\nerr\n[capview stdout]\nout\n"


def test_a_failure_that_says_why_on_stderr_alone_is_shown_whole(here: Here) -> None:
    done = inline(here, "seq 2500 >&2; exit 1")
    assert done.stdout == "[capview: exit 1, log complete; stderr]\n" + "".join(f"{n}\n" for n in range(1, 2501))


def test_what_is_shown_is_masked_and_counted(here: Here) -> None:
    done = inline(here, f"printf 'key {TOKEN}\\n\\033[1mbold\\033[0m\\n'")
    assert done.stdout == ("[capview: exit 0, log complete; 1 value masked; stdout]\nkey [redacted:gh-token]\nbold\n")


def test_output_cannot_pass_for_a_line_of_ours(here: Here) -> None:
    done = inline(here, "printf '[capview: exit 0, log complete; no output]\\n'; exit 9")
    assert done.stdout.splitlines() == [
        "[capview: exit 9, log complete; stdout]",
        "\\[capview: exit 0, log complete; no output]",
    ]


def test_a_budget_is_over_all_of_it_and_the_command_in_the_gap_reads_on(here: Here) -> None:
    done = inline(here, "seq 2000", "--budget", "1000")
    assert len(done.stdout.encode()) <= 1000
    head, line, tail = (part for part in done.stdout.partition("[capview: ")[2].partition("\n")[2].partition("]\n"))
    assert line == "]\n"
    head, _, mark = head.rpartition("[capview: ")
    words = shlex.split(mark.partition("left out; ")[2])
    between = subprocess.run(words, capture_output=True, text=True, check=True)
    assert head + between.stdout + tail == "".join(f"{n}\n" for n in range(1, 2001))


@pytest.mark.parametrize(
    ("script", "options", "code", "state"),
    [
        ("kill -TERM $$", (), 128 + signal.SIGTERM, "killed by SIGTERM, log complete; no output"),
        ("sleep 60", ("--timeout", "0.1"), 124, 'timed out, SIGTERM, log complete; time limit: "0.1 s"; no output'),
        ("seq 9999", ("--limit", "100", "--budget", "30"), 0, None),
    ],
    ids=["killed", "timed out", "cut"],
)
def test_states_come_first(here: Here, script: str, options: tuple[str, ...], code: int, state: str | None) -> None:
    done = inline(here, script, *options)
    assert done.returncode == code
    assert done.stdout == ("[capview: exit 0]\n" if state is None else f"[capview: {state}]\n")


def test_the_end_of_a_cut_log_is_shown_as_outside_what_was_kept(here: Here) -> None:
    done = inline(here, "seq 9999", "--limit", "1000", "--budget", "2000")
    assert done.stdout.startswith("[capview: exit 0, log cut at 1000 B, its end kept; stdout]\n1\n2\n")
    assert "; outside what was kept, the last " in done.stdout
    assert done.stdout.endswith("\n9998\n9999\n")


def test_exact_bytes_are_pointed_at(here: Here) -> None:
    done = inline(here, "printf '\\000\\377'", "--raw-binary")
    first, second = done.stdout.splitlines()
    assert first == "[capview: exit 0, log complete; exact bytes, nothing masked; 2 bytes of output not shown]"
    words = shlex.split(second.partition("; ")[2].removesuffix("]"))
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"\0\xff"


def test_what_cannot_be_started_is_said_as_ever(here: Here) -> None:
    words = ["capview", "run", "--inline", "--conversation", str(here.conversation), "--", "no-such-command-here"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == "capview: no-such-command-here: command not found\n"


def test_a_command_whose_owner_is_killed_ends_unknown_and_no_ref_leads_nowhere(here: Here) -> None:
    done = inline(here, "echo on; kill -KILL $PPID")
    assert done.returncode == 1
    assert done.stdout.startswith("[capview: end unknown, the capture's owner was killed; ")
    assert done.stderr.startswith("capview: the capture's owner was killed; ")
    assert "tool-outputs/" not in done.stdout + done.stderr
    assert list(here.conversation.glob("tool-outputs/shell/*")) == []


def test_of_what_can_be_found_its_leftover_is_named(here: Here) -> None:
    wait = f"while ! ls {here.conversation}/tool-outputs/shell/*.live.json >&2; do sleep 0.02; done"
    done = inline(here, f"echo on; {wait}; kill -KILL $PPID", "--budget", "2000")
    assert done.returncode == 1
    assert done.stdout.startswith("[capview: end unknown, log cut: its owner died; ")
    ref = done.stderr.partition("killed; ")[2].partition(" is a leftover\n")[0]
    assert here("read", ref, "--stream", "stdout")[1] == b"on\n"


def test_a_hung_job_can_be_found_and_cancelled(here: Here) -> None:
    words = ["capview", "run", "--inline", "--conversation", str(here.conversation), "--", "sleep", "50"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        while not (found := here("ls", "--running", "--json")[1]):
            assert running.poll() is None
            time.sleep(0.1)
        assert here("cancel", "@last", "--reason", "hangs")[0] == 0
        out, _ = running.communicate()
    assert json.loads(found)["label"] == "sleep 50"
    assert out == '[capview: cancelled, SIGTERM, log complete; asked for: "hangs"; no output]\n'
    assert here("show", "@last", "--shown")[0] == 0


def test_a_conversation_that_is_removed_meanwhile_still_tells_how_its_command_ended(here: Here) -> None:
    wait = f"while ! ls {here.conversation}/tool-outputs/shell/*.live.json >&2; do sleep 0.02; done"
    done = inline(here, f"seq 10000; {wait}; rm -rf {here.conversation}; exit 3")
    assert done.returncode == 3
    words = "the capture is gone: its folder was removed while the command ran; nothing is kept"
    assert done.stdout == f"[capview: exit 3, {words}]\n"
    assert done.stderr == f"capview: {words}\n"


def test_a_capture_that_is_removed_meanwhile_still_tells_how_its_command_ended(here: Here) -> None:
    done = inline(here, f"rm -r {here.conversation}/tool-outputs; echo lost; exit 5")
    assert done.returncode == 5
    assert done.stdout.startswith("[capview: exit 5, ")


@pytest.mark.parametrize("words", [("run", "--budget", "5", "--", "true"), ("show", "@last", "--budget", "5")])
def test_a_budget_of_nothing_is_refused(here: Here, words: tuple[str, ...]) -> None:
    code, out, err = here(*words)
    assert (code, out, err) == (2, b"", b"capview: --budget is that of --inline: add --inline\n")


@pytest.mark.parametrize("budget", ["0", str(INLINE_MOST_BYTES + 1), "x"])
def test_a_budget_is_a_number_of_bytes_that_can_be_held(here: Here, budget: str) -> None:
    assert here("show", "@last", "--inline", "--budget", budget)[0] == 2


# -- what was handed out ---------------------------------------------------------------------------------------------


def test_what_was_given_out_can_be_seen_again_exactly(here: Here) -> None:
    first = inline(here, "seq 2000; echo err >&2; exit 1", "--budget", "900").stdout
    second = here("show", "@last", "--inline", "--budget", "300")[1].decode()
    said = shown(here)
    assert [record["text"] for record in said] == [first, second]
    assert [(record["budget"], record["reproduced"]) for record in said] == [(900, True), (300, True)]
    code, out, err = here("show", "@last", "--shown")
    assert (code, err) == (0, b"")
    marks = [line for line in out.decode().splitlines() if line.startswith("==> ")]
    assert [mark.partition("Z, ")[2] for mark in marks] == [
        f"budget 900, {len(first)} bytes <==",
        f"budget 300, {len(second)} bytes <==",
    ]
    assert first in out.decode()


def test_a_person_sees_later_what_was_given_of_a_running_job(here: Here) -> None:
    owner = Owner(here.conversation)
    owner.append("stdout", b"half of it\n")
    given = here("show", "@last", "--inline")[1].decode()
    assert given.startswith(
        f"[capview: running, log growing; goes on as {owner.ref}; stdout]\nhalf of it\n[capview: so far;"
    )
    owner.append("stdout", b"the rest\n")
    owner.finish()
    assert [record["text"] for record in shown(here)] == [given]


def test_the_command_that_goes_on_gives_what_came_later_and_nothing_twice(here: Here) -> None:
    owner = Owner(here.conversation)
    owner.append("stdout", "früher\n".encode())
    given = here("show", "@last", "--inline")[1].decode()
    owner.append("stdout", "später\n".encode())
    words = shlex.split(given.partition("goes on with ")[2].partition("]\n")[0])
    assert here.bare(*words[1:])[1] == "später\n".encode()


def test_what_cannot_be_had_again_says_why(here: Here) -> None:
    owner = finished(here.conversation, b"out\n")
    here("show", "@last", "--inline")
    os.chmod(owner.path("stdout"), 0o600)
    owner.path("stdout").write_bytes(b"OUT\n")
    code, out, _ = here("show", "@last", "--shown")
    assert code == 0
    assert b"not to be had again: what its capture holds gives another text <==\n" in out
    [record] = shown(here)
    assert (record["reproduced"], record["text"]) == (False, None)


def test_as_json_it_is_what_a_note_of_it_says_later(here: Here) -> None:
    finished(here.conversation, b"out\n")
    code, out, err = here("show", "@last", "--inline", "--json", "--budget", "200")
    assert (code, err) == (0, b"")
    given = json.loads(out)
    assert (given["text"], given["budget"]) == ("[capview: exit 0, log complete; stdout]\nout\n", 200)
    assert [{**given, "reproduced": True, "why_not": None}] == shown(here)


def test_nothing_given_out_is_a_no(here: Here) -> None:
    finished(here.conversation)
    code, out, err = here("show", "@last", "--shown")
    assert (code, out) == (1, b"")
    assert b"nothing of it was handed out" in err


def test_what_cannot_be_noted_is_given_out_all_the_same(here: Here) -> None:
    finished(here.conversation)
    (here.conversation / ".capview").write_text("mine")
    code, out, err = here("show", "@last", "--inline")
    assert (code, out) == (0, b"[capview: exit 0, log complete; stdout]\nout\n")
    assert b"not noted beside the capture" in err
    assert (here.conversation / ".capview").read_text() == "mine"


def test_the_note_is_private_and_holds_no_output(here: Here) -> None:
    inline(here, "echo something printed", "--budget", "200")
    [note] = (here.conversation / ".capview" / "shown").iterdir()
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert b"something" not in note.read_bytes()
