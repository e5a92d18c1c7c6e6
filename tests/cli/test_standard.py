"""``capview`` with its own three descriptors closed, full, or without anybody at their far end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

Finished = subprocess.CompletedProcess[bytes]

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
_JOB = "sh -c 'cat; echo out; echo err >&2; exit 3'"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


def shell(place: Path, line: str) -> Finished:
    """Run ``line`` with ``$capture`` for a captured job."""
    environment = {**os.environ, "CAPVIEW_CONVERSATION": str(place), "capture": f"capview run -- {_JOB}"}
    return subprocess.run(["sh", "-c", line], input=b"", env=environment, capture_output=True, check=False, timeout=50)


def test_a_closed_stdin_is_none_for_the_child_and_does_not_hang(place: Path) -> None:
    """The next pipe that was made took its place, and the owner put /dev/null over it."""
    done = shell(place, 'eval "$capture" <&-')
    assert (done.returncode, done.stdout) == (3, b"out\n")
    assert b"ad file descriptor" in done.stderr.splitlines()[0]


def test_a_closed_stdout_takes_nothing_and_costs_nothing(place: Path) -> None:
    done = shell(place, 'eval "$capture" >&-')
    first, second = done.stderr.decode().splitlines()
    assert (done.returncode, first) == (3, "err")
    assert "log complete" in second


def test_the_receipt_line_does_not_go_to_stdout_where_stderr_is_closed(place: Path) -> None:
    done = shell(place, 'eval "$capture" 2>&-')
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"")


@pytest.mark.parametrize("how", [">&- 2>&-", "<&- >&- 2>&-", pytest.param(">/dev/full 2>/dev/full", marks=needs_full)])
def test_the_exit_code_is_the_child_s_whatever_cannot_be_printed(place: Path, how: str) -> None:
    assert shell(place, f'eval "$capture" {how}').returncode == 3
    assert shell(place, "exec capview read @last --stream stdout").stdout == b"out\n"


def test_a_receipt_line_that_nobody_reads_does_not_change_the_exit_code(place: Path, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        ["capview", "run", "--conversation", place, "--", "sh", "-c", "exit 3"], stderr=write, check=False
    )
    os.close(write)
    assert done.returncode == 3


@pytest.mark.parametrize("to", [">&-", pytest.param(">/dev/full", marks=needs_full)])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("ls", 1),
        ("show @last", 1),
        ("read @last", 1),
        ("run --json -- true", 0),
        ("run --json -- sh -c 'exit 3'", 3),
        ("run --detach -- true", 1),
    ],
)
def test_data_that_cannot_be_printed_is_one_clear_line(place: Path, words: str, code: int, to: str) -> None:
    """Which changes nothing of how a command ended."""
    shell(place, "capview run --quiet -- echo hi")
    done = shell(place, f"capview {words} {to}")
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith(b"capview: ")


@needs_full
@pytest.mark.parametrize(("words", "code"), [("show nope", 2), ("ls --nope", 2), ("nope", 2)])
def test_words_that_cannot_be_said_do_not_change_the_exit_code(place: Path, words: str, code: int) -> None:
    assert shell(place, f"capview {words} 2>/dev/full").returncode == code
    assert shell(place, f"capview {words} 2>&-").returncode == code


@pytest.mark.parametrize("files", [5, 6])
def test_too_few_descriptors_to_start_is_125_and_one_line(place: Path, files: int) -> None:
    done = shell(place, f'ulimit -n {files}; eval "$capture"')
    assert (done.returncode, done.stdout) == (125, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line == "capview: too many open files; or run it with --no-capture"


def test_a_working_directory_that_is_gone_is_125_and_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    line = f"mkdir {gone}; cd {gone}; rmdir {gone}; unset CAPVIEW_CONVERSATION; capview run -- touch {tmp_path}/ran"
    done = shell(tmp_path / "unused", line)
    assert done.returncode == 125
    assert len(done.stderr.splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_an_empty_command_name_is_not_found(place: Path) -> None:
    done = shell(place, "capview run -- ''")
    assert (done.returncode, done.stderr) == (127, b"capview: '': command not found\n")
    assert not place.exists()


def test_with_a_directory_as_stdin_python_does_not_start_as_the_readme_says(place: Path) -> None:
    done = shell(place, "capview run -- true < /")
    assert done.returncode == 1
    assert b"<stdin> is a directory" in done.stderr
