"""``capview run --on-complete``: when it is run, what it is told, how long it may take, and what its failure is."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.commands import capview, running
from tests.terminals import PROMPT, Terminal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAPVIEW_CONVERSATION", str(tmp_path / "c"))
    return tmp_path


def told(place: Path, *words: str, command: str = "env | grep ^CAPVIEW_ > told") -> dict[str, str]:
    """What the command found in its environment."""
    done = capview("run", "--quiet", "--on-complete", command, *words, cwd=place)
    assert b"on-complete" not in done.stderr, done.stderr
    return dict(line.split("=", 1) for line in (place / "told").read_text().splitlines())


def test_it_is_told_the_facts_when_the_receipt_can_be_read(place: Path) -> None:
    command = 'test -r "$CAPVIEW_CONVERSATION/$CAPVIEW_REF.json" && capview show "$CAPVIEW_REF" >&2 && env > told'
    facts = told(place, "--label", "nightly", "--call-id", "call_42", "--", "sh", "-c", "exit 7", command=command)
    expected = {
        "CAPVIEW_STATE": "exited",
        "CAPVIEW_EXIT_CODE": "7",
        "CAPVIEW_SIGNAL": "",
        "CAPVIEW_CAPTURE_STATE": "complete",
        "CAPVIEW_CAPTURE_REASON": "",
        "CAPVIEW_CONVERSATION": str(place / "c"),
        "CAPVIEW_LABEL": "nightly",
        "CAPVIEW_CALL_ID": "call_42",
    }
    assert {name: facts[name] for name in expected} == expected
    assert facts["CAPVIEW_REF"] == f"tool-outputs/shell/{facts['CAPVIEW_CAPTURE_ID']}"
    assert float(facts["CAPVIEW_DURATION_SECONDS"]) > 0


def test_a_signal_a_time_limit_and_a_cut_log_are_told(place: Path) -> None:
    facts = told(place, "--", "sh", "-c", "kill -KILL $$")
    assert (facts["CAPVIEW_EXIT_CODE"], facts["CAPVIEW_SIGNAL"]) == ("", "9")
    facts = told(place, "--timeout", "0.1", "--", "sleep", "600")
    assert (facts["CAPVIEW_STATE"], facts["CAPVIEW_SIGNAL"]) == ("timeout", "15")
    facts = told(place, "--limit", "5", "--", "echo", "0123456789")
    assert (facts["CAPVIEW_CAPTURE_STATE"], facts["CAPVIEW_CAPTURE_REASON"]) == ("partial", "quota")


def test_a_capture_that_could_not_be_finished_is_told_too(place: Path) -> None:
    facts = told(place, "--", "sh", "-c", f"rm -r '{place}/c/tool-outputs'; exit 4")
    assert (facts["CAPVIEW_EXIT_CODE"], facts["CAPVIEW_CAPTURE_STATE"]) == ("4", "")


def test_nothing_of_a_job_is_run(place: Path) -> None:
    """Who puts facts into the command runs what a stranger chose."""
    label = "$(touch ran); `touch ran`; touch ran"
    facts = told(place, "--label", label, "--", "true")
    assert facts["CAPVIEW_LABEL"] == label
    assert not (place / "ran").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("exit 3", b"--on-complete failed (exit code 3)"),
        ("no-such-command-here 2> /dev/null", b"--on-complete could not be run (exit code 127)"),
        ("kill -TERM $$", b"--on-complete was ended by signal 15"),
        ("kill -KILL 0", b"--on-complete was killed"),
    ],
)
def test_its_failure_is_a_word_and_never_the_exit_code(place: Path, command: str, words: bytes) -> None:
    done = capview("run", "--quiet", "--on-complete", command, "--", "sh", "-c", "exit 5")
    assert (done.returncode, done.stdout) == (5, b"")
    assert done.stderr.splitlines()[-1] == b"capview: " + words


def test_what_takes_too_long_is_ended_with_all_that_it_started(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPVIEW_ON_COMPLETE_SECONDS", "0.2")
    monkeypatch.setenv("CAPVIEW_KILL_GRACE_SECONDS", "0.2")
    fifo = place / "fifo"
    os.mkfifo(fifo)
    held = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    command = f"exec > '{fifo}'; trap '' TERM; sleep 600 & sleep 600"
    done = capview("run", "--quiet", "--on-complete", command, "--", "true")
    assert (done.returncode, done.stderr) == (0, b"capview: --on-complete was ended after 0.2 s\n")
    os.set_blocking(held, True)
    assert os.read(held, 1) == b"", "nobody has it open any more"
    os.close(held)


def test_its_output_is_no_output_of_the_command(place: Path) -> None:
    done = capview("run", "--json", "--on-complete", "echo out; echo err >&2; cat", "--", "echo", "hello")
    assert b'"exit_code":0' in done.stdout.replace(b" ", b"")
    assert b"out" not in done.stdout.splitlines()
    assert done.stderr.splitlines()[:2] == [b"out", b"err"]
    assert capview("read", "@last").stdout == b"hello\n"


def test_a_detached_job_runs_it_by_itself_and_silently(place: Path) -> None:
    fifo = place / "fifo"
    os.mkfifo(fifo)
    command = f"echo noise; echo noise >&2; echo $CAPVIEW_EXIT_CODE > '{fifo}'"
    done = capview("run", "--detach", "--on-complete", command, "--", "sh", "-c", "exit 6")
    assert (done.returncode, done.stderr) == (0, b"")
    assert fifo.read_text() == "6\n"


def test_it_is_run_when_the_front_was_killed(place: Path) -> None:
    fifo, gate = place / "fifo", place / "gate"
    os.mkfifo(fifo)
    os.mkfifo(gate)
    script = f"echo on; read x < '{gate}'"
    with running("--on-complete", f"echo done > '{fifo}'", "--", "sh", "-c", script) as front:
        front.send_signal(signal.SIGKILL)
    gate.write_text("go\n")
    assert fifo.read_text() == "done\n"


def test_a_signal_ends_the_wait_for_it_and_not_the_command_s_own_end(place: Path) -> None:
    fifo = place / "fifo"
    os.mkfifo(fifo)
    command = f"echo under way >&2; read x < '{fifo}'; echo $x > told"
    words = ["capview", "run", "--quiet", "--on-complete", command, "--", "sh", "-c", "exit 8"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, cwd=place) as front:
        assert front.stderr is not None
        assert front.stderr.readline() == b"under way\n"
        front.send_signal(signal.SIGTERM)
        assert front.wait() == 8
        fifo.write_text("still there\n")
        front.stderr.read()
    assert (place / "told").read_text() == "still there\n"


def test_at_a_terminal_the_keyboard_ends_the_wait(place: Path) -> None:
    fifo = place / "fifo"
    os.mkfifo(fifo)
    terminal = Terminal(place, os.environ)
    try:
        terminal.type("capview run --on-complete 'echo under way; read x < fifo' -- sh -c 'read line; exit 9'\n")
        terminal.type("go\n")
        terminal.expect(r"\nunder way")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        assert "code 9" in terminal.run("echo code $?")
        fifo.write_text("go\n")
    finally:
        terminal.close()


@pytest.mark.parametrize("pty", ["never", "always"])
def test_it_has_no_terminal_to_read(place: Path, pty: str) -> None:
    """Nobody sits there: it was stopped, or waited, until its time was over, and ``^Z`` did nothing meanwhile."""
    terminal = Terminal(place, os.environ)
    try:
        hook = "read word < /dev/tty || echo nobody > answer"
        terminal.run(f"capview run --pty={pty} --quiet --on-complete '{hook}' -- true")
        assert "nobody" in terminal.run("cat answer")
    finally:
        terminal.close()


def test_a_small_inline_result_names_no_capture_that_is_not_there(place: Path) -> None:
    done = capview("run", "--inline", "--on-complete", "env > told", "--", "sh", "-c", "echo hi; exit 3", cwd=place)
    assert done.returncode == 3
    facts = (place / "told").read_text().splitlines()
    assert "CAPVIEW_EXIT_CODE=3" in facts
    [ref] = [line for line in facts if line.startswith("CAPVIEW_REF=")]
    assert ref == "CAPVIEW_REF=" or (place / "c" / f"{ref.partition('=')[2]}.json").exists()
