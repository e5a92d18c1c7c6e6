"""Where there is no home: what was named is used, and what would need a home says so in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from capview import folders
from capview.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN_USER = """
import pwd, sys
def unknown(_user):
    raise KeyError
pwd.getpwuid = unknown
from capview.cli.main import main
sys.exit(main())
"""
"""``capview`` of a user whom the system has no entry for."""


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_user: object) -> object:
        raise KeyError

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)


@pytest.mark.usefixtures("no_home")
def test_without_a_home_there_are_no_settings_and_no_kept_engine() -> None:
    assert (folders.settings_folder(), folders.cache_folder()) == (None, None)
    with pytest.raises(folders.NoHome, match="name the place with --conversation"):
        folders.data_folder()


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("run", "--", "true"), 125),
        (("ls",), 2),
        (("ls", "--all"), 2),
        (("config",), 2),
        (("doctor",), 2),
        (("save", "--tool", "t"), 2),
        (("prune", "--keep", "3"), 2),
        (("verify",), 2),
        (("show", "@last"), 2),
    ],
)
def test_without_a_home_and_a_named_place_one_line_tells_how_to_mend_it(
    words: tuple[str, ...], code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("capview: no home folder is known: HOME is not set")
    assert "name the place with --conversation or CAPVIEW_CONVERSATION, or set HOME" in line


@pytest.mark.usefixtures("no_home")
def test_without_a_home_the_settings_are_listed_and_say_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(("config", "--conversation", str(tmp_path), "--json")) == 0
    listed = {item["name"]: item for item in map(json.loads, capfd.readouterr().out.splitlines())}
    for name in ("user_settings", "default_root"):
        assert (listed[name]["value"], listed[name]["origin"]) == (None, "no home folder is known")


def test_a_user_whom_the_system_does_not_know_captures_where_told(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "CAPVIEW_CONVERSATION": str(tmp_path)}
    for words in (("run", "--", "echo", "x"), ("save", "--tool", "t"), ("ls",), ("config",), ("show", "@last")):
        command = [sys.executable, "-c", UNKNOWN_USER, *words]
        done = subprocess.run(command, env=environ, input=b"text\n", capture_output=True, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
