"""README tells the truth: its commands are run as they stand, its tables are compared with the code."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import termios
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core.redact.rules import RULES
from capview.cli.commands import COMMANDS
from tests.commands import capview
from tests.markdown import blocks, links, literals, table
from tests.terminals import PROMPT, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
SHELL = {block.marker.removeprefix("test: "): block.text for block in blocks(README, "sh")}

MAKEFILE = """\
all:
\t@echo compiling
\t@echo 'warning: unused' >&2
check:
\t@echo 'check failed' >&2; exit 1
slow: all
\t@read line < gate
"""

# .ci/run installs them; elsewhere they may be missing.
needs_tools = pytest.mark.skipif(not (shutil.which("jq") and shutil.which("rg")), reason="needs jq and rg (ripgrep)")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project with a Makefile, and a FIFO that holds the slow target up."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    os.mkfifo(folder / "gate")
    yield folder
    # Whoever still waits there goes on and ends.
    gate = os.open(folder / "gate", os.O_RDWR)
    os.write(gate, b"go\n")
    os.close(gate)


@contextmanager
def desk(folder: Path) -> Iterator[Terminal]:
    """A terminal as people have one, with a shell in ``folder``."""
    terminal = Terminal(folder, os.environ)
    termios.tcsetwinsize(terminal.fd, (24, 80))
    try:
        yield terminal
    finally:
        terminal.close()


def bash(script: str, folder: Path) -> str:
    """Run lines of a block, each of which must succeed; what they print."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def processes_with(text: str) -> list[str]:
    """The command lines of all processes in whose environment ``text`` stands."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if text.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode().replace("\0", " "))
    return found


# -- the commands ---------------------------------------------------------------------------------------------------


def test_every_block_of_commands_is_run_by_a_test() -> None:
    assert set(SHELL) == {"try", "run", "watch", "files", "script", "consumers", "inline", "settings", "masking", "tee"}


def test_make_demo_shows_the_samples_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = SHELL["try"].splitlines()[0]
    assert command.startswith("make demo ")
    with desk(ROOT) as terminal:
        terminal.type(f"{command}\n")
        # What is told of its progress takes its room from the label.
        terminal.expect("compile the standard libr")
        terminal.expect("settings of the deployment")
        terminal.type("q")
        terminal.expect(PROMPT)
        assert "code 0" in terminal.run("echo code $?")
        terminal.run("exec env -u TMPDIR bash --norc --noprofile --noediting -i")
        deadline = time.monotonic() + 20
        while left := [*processes_with(f"TMPDIR={tmp_path}"), *os.listdir(tmp_path)]:
            assert time.monotonic() < deadline, left
            time.sleep(0.01)


def test_the_other_make_command_is_there() -> None:
    [_, line] = SHELL["try"].splitlines()
    # Not run: it is what runs this.
    assert "pytest" in bash(f"make --dry-run {line.removeprefix('make ')}", ROOT)


def test_a_run_is_watched_from_a_second_terminal(project: Path) -> None:
    assert bash(SHELL["run"], project) == "compiling\n"
    ui, *others = SHELL["watch"].splitlines(keepends=True)
    with desk(project) as terminal:
        terminal.type(ui)
        terminal.expect(r"make -j8")
        terminal.type("q")
        terminal.expect(PROMPT)
    printed = bash("".join(others), project)
    assert [line.split()[:2] for line in printed.splitlines() if "make -j8" in line] == [["✓", "ok"]]
    assert printed.count("compiling\n") == 2


@needs_tools
def test_the_usual_tools_work_on_the_files_while_they_grow_and_after(project: Path) -> None:
    capview("run", "--detach", "--", "make", "slow", cwd=project)
    go_there, follow, *others = SHELL["files"].splitlines(keepends=True)
    with subprocess.Popen(
        ["bash", "-euc", go_there + follow], cwd=project, stdout=subprocess.PIPE, start_new_session=True
    ) as tail:
        assert tail.stdout is not None
        assert tail.stdout.readline() == b"compiling\n"
        os.killpg(tail.pid, signal.SIGTERM)
    (project / "gate").write_text("go\n")
    assert capview("wait", "@last", cwd=project).returncode == 0
    hits, facts = bash("".join((go_there, *others)), project).splitlines()
    assert hits.endswith("stderr.txt:warning: unused")
    assert facts == "0\tcomplete\tmake slow"


@needs_tools
def test_a_script_waits_and_reads_why_it_failed(project: Path) -> None:
    printed = bash(SHELL["script"], project)
    assert printed.startswith("check failed\n")
    assert printed.endswith("\nmake check\n")


def test_what_is_piped_is_captured_and_goes_on(project: Path) -> None:
    assert bash(SHELL["tee"], project) == "warning: unused\n"
    assert b"a build" in capview("ls", cwd=project).stdout
    assert capview("read", "@last", cwd=project).stdout.endswith(b"compiling\nwarning: unused\n")


def test_a_model_is_given_how_it_ended_first(project: Path) -> None:
    given = subprocess.run(["bash", "-c", SHELL["inline"]], cwd=project, capture_output=True, text=True, check=False)
    assert given.returncode == 2
    assert given.stdout.startswith("[capview: exit 2, log complete; stderr]\ncheck failed\n")
    assert capview("ls", cwd=project).returncode == 1


def test_one_who_comes_back_is_told_what_is_new(project: Path) -> None:
    ref, *printed = bash(SHELL["consumers"], project).splitlines()
    assert printed[-1] == f"{ref}  failed, log complete  make check"
    ended = project / "ended.txt"
    deadline = time.monotonic() + 20
    while not (ended.exists() and ended.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert ended.read_text() == "make check: 2\n"


def test_a_setting_is_shown_with_where_it_comes_from(project: Path) -> None:
    first = bash(SHELL["settings"], project).splitlines()[0]
    assert first.split(None, 1) == ["capture_bytes", "2 GiB    environment CAPVIEW_CAPTURE_BYTES"]


def test_what_is_masked_and_what_is_not(project: Path) -> None:
    [expected] = [block.text for block in blocks(README, "text") if block.marker == "output: masking"]
    assert bash(SHELL["masking"], project) == expected


# -- the tables -----------------------------------------------------------------------------------------------------


def test_the_table_of_commands_is_that_of_the_code() -> None:
    rows = table(README, "command")
    assert rows[0][0] == "`capview [PATH]`"
    words = {literals(cell)[0].split()[1]: does for cell, does in rows[1:]}
    assert words == {name: command.help for name, command in COMMANDS.items()}
    assert list(words) == list(COMMANDS)


EXITS = {
    "the code of CMD": ("run -- sh -c 'exit 7'", 7),
    "128 + N": ("run -- sh -c 'kill -TERM $$'", 128 + signal.SIGTERM),
    "124": ("run --timeout 0.1 -- sleep 60", 124),
    "143": ("run --max-output 1 -- sh -c 'trap \"exit 0\" TERM; echo out; while :; do sleep 0.1; done'", 143),
    "125": ("run --conversation /dev/null/below -- true", 125),
    "126": ("run -- /", 126),
    "127": ("run -- no-such-command-here", 127),
    "2": ("run --no-such-option -- true", 2),
    "1": ("run -- sh -c 'kill -KILL $PPID'", 1),
}


def test_the_table_of_exit_codes_is_the_one_tested_here() -> None:
    assert [row[0] for row in table(README, "`capview run` exits with")] == list(EXITS)


@pytest.mark.parametrize("words", EXITS)
def test_the_exit_codes_are_true(words: str, project: Path) -> None:
    command, code = EXITS[words]
    done = subprocess.run(["bash", "-c", f"capview {command}"], cwd=project, capture_output=True, check=False)
    assert done.returncode == code, done.stderr


def test_the_limits_are_those_of_a_run(project: Path) -> None:
    shown = capview("config", cwd=project).stdout.decode().splitlines()
    defaults = {name: value for name, value, *_ in (re.split(" {2,}", line) for line in shown)}
    rows = {literals(cell)[0]: value for cell, value, _ in table(README, "setting")}
    assert rows.items() <= defaults.items()
    assert "capture_bytes" in rows


def test_the_table_of_rules_is_that_of_the_code() -> None:
    rows = {literals(cell)[0]: literals(masks) for cell, masks in table(README, "rule")}
    assert list(rows) == list(dict.fromkeys(rule.name for rule in RULES))
    for name, examples in rows.items():
        tokens = [rule.token for rule in RULES if rule.name == name and rule.token]
        for begun in (text.removesuffix("…") for text in examples if text.endswith("…") and tokens):
            assert any(re.match(token.context + token.introducer, begun) for token in tokens), begun


def test_every_link_leads_somewhere() -> None:
    assert [target for target in links(README) if not (ROOT / target).exists()] == []
