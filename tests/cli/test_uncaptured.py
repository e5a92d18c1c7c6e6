"""``capview run --no-capture``: each option is honoured, moot, or refused before anything runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.commands import capview

if TYPE_CHECKING:
    from pathlib import Path

LIST_CHILDREN = "import os\ntry: print('a child', os.wait())\nexcept ChildProcessError: print('no child')"


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return capview("run", "--no-capture", *words, cwd=cwd)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--json"], "--json"),
        (["--inline"], "--inline"),
        (["--detach"], "--detach"),
        (["--pty"], "--pty"),
        (["--pty=always"], "--pty"),
        (["--promote-after", "5s"], "--promote-after"),
        (["--timeout", "5s"], "--timeout"),
        (["--memory-limit", "1GiB"], "--memory-limit"),
        (["--max-output", "1GiB"], "--max-output"),
        (["--on-complete", "touch told"], "--on-complete"),
        (["--json", "--timeout", "5s", "--pty"], "--json, --timeout, --pty"),
    ],
)
def test_what_nobody_is_there_for_is_refused_before_anything_runs(tmp_path: Path, words: list[str], named: str) -> None:
    done = run(*words, "--", "touch", "ran", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"capview: --no-capture leaves nobody there to do what {named} asks for; leave out one or the other\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["--pty=never"],
        ["--pty=auto"],
        ["--timeout", "0"],
        ["--limit", "1GiB"],
        ["--label", "x"],
        ["--call-id", "x"],
        ["--mask-env", "X"],
        ["--raw-binary"],
        ["--engine", "slow"],
    ],
)
def test_what_is_moot_without_a_capture_changes_nothing(words: list[str]) -> None:
    done = run(*words, "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"err\n")


def test_the_command_reads_the_file_that_stdin_names(tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(b"from the file\n")
    command = ["capview", "run", "--no-capture", "--stdin", "given", "--", "cat"]
    done = subprocess.run(command, cwd=tmp_path, input=b"from the pipe\n", capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"from the file\n", b"")


def test_the_command_reads_nothing_where_stdin_is_closed() -> None:
    command = ["capview", "run", "--no-capture", "--stdin", "close", "--", "cat"]
    done = subprocess.run(command, input=b"from the pipe\n", capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_stdin_that_cannot_be_read_is_one_line_and_nothing_runs(tmp_path: Path) -> None:
    done = run("--stdin", "gone", "--", "touch", "ran", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        b"capview: 'gone': no such file or directory; name a file for --stdin\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_quiet_passes_nothing_through_but_the_exit_code() -> None:
    done = run("--quiet", "--", "sh", "-c", "echo out; echo err >&2; exit 4")
    assert (done.returncode, done.stdout, done.stderr) == (4, b"", b"")


def test_quiet_hides_no_word_of_what_could_not_be_run() -> None:
    done = run("--quiet", "--", "no-such-command-here")
    assert (done.returncode, done.stderr) == (127, b"capview: no-such-command-here: no such file or directory\n")


def test_merged_both_streams_are_one() -> None:
    done = run("--merge", "--", "sh", "-c", "echo one; echo two >&2; echo three")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"one\ntwo\nthree\n", b"")


def test_the_command_has_no_child_that_it_did_not_start() -> None:
    """Fails where the owner that was made ready for a capture stays with it."""
    done = run("--", sys.executable, "-c", LIST_CHILDREN)
    assert (done.stdout, done.stderr) == (b"no child\n", b"")


def test_the_command_ends_when_nobody_reads_it_on() -> None:
    """Fails where it inherits that SIGPIPE is ignored, as Python has it for itself."""
    done = run("--", "sh", "-c", "kill -PIPE $$; echo lived on")
    assert (done.returncode, done.stdout) == (-signal.SIGPIPE, b"")
