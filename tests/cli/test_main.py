"""The command line as a whole: one clear line for what cannot be, and nothing imported that was not asked for."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from capview.cli.commands import COMMANDS
from capview.cli.main import main
from tests.captures import Owner, finished
from tests.commands import Here, capview


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(here: Here, name: str) -> None:
    code, out, err = here.bare(name, "--help")
    assert (code, err) == (0, b"")
    # Some read what another command prints.
    assert re.search(rf"examples:\n  (?:[^\n]*\| )?(?:capview {name}\b|CAPVIEW)".encode(), out)
    assert (b"--conversation PATH" in out) is COMMANDS[name].has_conversation


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "'nope' is neither a command nor a path"),
        (["nope", "--json"], "'nope' is no command"),
        (["ls", "--nope"], "unrecognized arguments: --nope"),
        (["ls", "extra"], "unrecognized arguments: extra"),
        (["ls", "--since", "soon"], "argument --since: 'soon' is no time span"),
        (["ls", "--all", "--conversation", "x"], "give it without --conversation"),
        (["show"], "required: REF"),
        (["show", "@last"], "no capture matches '@last' (of 0"),
        (["read", "@last", "--bytes", "9:1"], "9:1 ends before it begins"),
        (["read", "@last", "--lines", "0:1"], "lines count from 1"),
        (["read", "@last", "--head", "-1"], "--head"),
        (["read", "@last", "--max-bytes", "0"], "at least 1"),
        (["read", "@last", "--head", "1", "--tail", "1"], "not allowed with"),
        (["show", "\x1b[31m\n"], "no capture matches '\\x1b[31m\\n'"),
        (["http://localhost:1/"], "not supported"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_2(here: Here, words: list[str], said: str) -> None:
    code, out, err = here.bare(*words)
    assert (code, out) == (2, b"")
    assert said in err.decode()
    assert err.startswith(b"capview")
    assert err.count(b"\n") == 1
    assert b"\x1b" not in err


@pytest.mark.parametrize("command", ["ls", "show", "read", "follow", "wait"])
def test_a_conversation_that_is_a_file_or_missing_is_one_clear_line(here: Here, command: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    refs = [] if command == "ls" else ["@last"]
    code, _, err = here.bare(command, "--conversation", str(file), *refs)
    assert code == 2
    assert b"not a directory" in err
    assert err.count(b"\n") == 1


def test_names_that_are_no_text_are_shown_and_found(tmp_path: Path) -> None:
    conversation = os.fsencode(tmp_path) + b"/caf\xe9\n"
    os.mkdir(conversation)
    done = capview("ls", b"--conversation", conversation)
    assert done.returncode == 1
    owner = finished(Path(os.fsdecode(conversation)))
    done = capview("show", owner.id, b"--conversation", conversation, b"--json")
    assert done.returncode == 0, done.stderr
    missing = capview("ls", "--conversation", b"caf\xe9\x1b[31m")
    assert missing.returncode == 2
    assert b"\x1b" not in missing.stderr


def test_a_reader_that_stops_reading_hears_nothing_more(tmp_path: Path) -> None:
    finished(tmp_path, b"x" * 10_000_000)
    command = f"capview read @last --max-bytes 1GiB --conversation '{tmp_path}' | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (141, b"xxxxxxxxxx", b"")


def test_output_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    finished(tmp_path)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            ["capview", "ls", "--conversation", str(tmp_path)], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == b"capview: No space left on device"


def test_an_interrupt_ends_quietly(tmp_path: Path) -> None:
    Owner(tmp_path).append("stdout", b"first\n")
    with subprocess.Popen(
        ["capview", "follow", "@last", "--conversation", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == b"first\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate()
    assert (child.returncode, err) == (130, b"")


@pytest.mark.parametrize(
    ("variable", "value", "coloured"), [("X", "", True), ("NO_COLOR", "1", False), ("TERM", "dumb", False)]
)
def test_colours_are_for_terminals_that_want_them(tmp_path: Path, variable: str, value: str, coloured: bool) -> None:  # noqa: FBT001
    finished(tmp_path, label="make " + "\u202e[red]日本" * 99)
    main_end, end = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "80", variable: value}
    child = subprocess.Popen(["capview", "ls", "--conversation", str(tmp_path)], stdout=end, stderr=end, env=environ)
    os.close(end)
    assert child.wait() == 0
    seen = os.read(main_end, 100_000).decode()
    os.close(main_end)
    assert ("\x1b[32m✓ ok" in seen) is coloured
    assert ("\x1b[" in seen) is coloured
    assert "\u202e" not in seen
    row = re.sub(r"\x1b\[[0-9;]*m", "", seen.splitlines()[1])
    assert row.endswith("…")
    assert len(row) + row.count("日") + row.count("本") <= 80


def test_without_a_terminal_there_are_no_colours_and_labels_are_whole(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, label="make " + "x" * 190)
    code, out, _ = here("ls")
    assert code == 0
    assert b"\x1b" not in out
    assert b"x" * 190 in out


def test_a_latin_terminal_gets_escapes_not_tracebacks(tmp_path: Path) -> None:
    finished(tmp_path, label="日本")
    environ = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        ["capview", "ls", "--conversation", str(tmp_path)], capture_output=True, env=environ, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u65e5\\u672c" in done.stdout


def test_the_path_of_a_running_command_stays_light() -> None:
    probe = (
        "import sys; from capview.cli.main import main; main(['run', '--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert loaded & {"argparse", "capview.cli.run"}
    light = {f"capview.cli.{name}" for name in ("main", "standard", "commands", "kept_options", "quantities", "run")}
    assert not {name for name in loaded if name.startswith("capview.cli.")} - light
    assert not loaded & {
        "msgspec",
        "anyio",
        "asyncio",
        "rich",
        "platformdirs",
        "hyperscan",
        "tomllib",
        "json",
        "pathlib",
        "dataclasses",
    }


def test_the_ui_is_opened_without_a_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[tuple[str | None, bool]] = []

    def open_ui(path: str | None, *, read_only: bool = False) -> int:
        opened.append((path, read_only))
        return 7

    monkeypatch.setattr("capview.tui.app.open_ui", open_ui)
    assert main([]) == 7
    assert main([str(tmp_path), "--read-only"]) == 7
    assert opened == [(None, False), (str(tmp_path), True)]
