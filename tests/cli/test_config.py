"""``capview config`` and ``capview completion``."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from capview.settings import NAMES
from tests.commands import Here, capview

if TYPE_CHECKING:
    from pathlib import Path


def test_every_setting_its_value_and_where_it_comes_from(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "capview.toml").write_text("[limits]\ndrain_seconds = 3\n")
    monkeypatch.setenv("CAPVIEW_CAPTURE_BYTES", "1GiB")
    code, out, err = here("config")
    assert (code, err) == (0, b"")
    rows = {row.split()[0]: row.split(None, 3)[1:] for row in out.decode().splitlines()}
    assert set(NAMES) < set(rows)
    assert rows["capture_bytes"] == ["1", "GiB", "environment CAPVIEW_CAPTURE_BYTES"]
    assert rows["drain_seconds"] == ["3", "s", str(tmp_path / "capview.toml")]
    assert rows["conversation"][0] == str(tmp_path)


def test_as_json(here: Here, tmp_path: Path) -> None:
    _, out, _ = here("config", "--json")
    settings = {line["name"]: line for line in map(json.loads, out.splitlines())}
    assert settings["capture_bytes"] == {
        "name": "capture_bytes",
        "value": 256 << 20,
        "origin": "default",
        "variable": "CAPVIEW_CAPTURE_BYTES",
    }
    assert settings["conversation"]["value"] == str(tmp_path)


def test_a_bad_setting_is_one_clear_line(here: Here, tmp_path: Path) -> None:
    (tmp_path / "capview.toml").write_text("[limits]\nnope = 3\n")
    code, out, err = here("config")
    assert (code, out) == (2, b"")
    assert b"no setting is called 'nope'" in err
    assert err.count(b"\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_completion_script_names_every_command(here: Here, shell: str) -> None:
    code, out, _ = here.bare("completion", shell)
    assert code == 0
    for word in (b"follow", b"conversation", b"max-bytes", b"since"):
        assert word in out


def test_bash_completes(tmp_path: Path) -> None:
    script = tmp_path / "capview.bash"
    script.write_bytes(capview("completion", "bash").stdout)
    complete = (
        f"source '{script}'; COMP_WORDS=(capview fo); COMP_CWORD=1; COMP_LINE='capview fo'; COMP_POINT=10; "
        "$(complete -p capview | sed 's/.*-F \\([^ ]*\\).*/\\1/') capview fo capview; echo ${COMPREPLY[*]}"
    )
    done = subprocess.run(["bash", "-c", complete], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["follow"]


def test_rules_of_ones_own_are_listed_with_their_file(here: Here, tmp_path: Path) -> None:
    (tmp_path / "capview.toml").write_text('[[redact.rules]]\nname = "staff-id"\npattern = "EMP-[0-9]{6}\\u001b"\n')
    code, out, _ = here("config")
    assert code == 0
    row = next(row for row in out.decode().splitlines() if row.startswith("redact.staff-id "))
    assert row.split() == ["redact.staff-id", "EMP-[0-9]{6}\\e", str(tmp_path / "capview.toml")]
    listed = [json.loads(line) for line in here("config", "--json")[1].splitlines()]
    assert {
        "name": "redact.staff-id",
        "value": "EMP-[0-9]{6}\x1b",
        "origin": row.split()[2],
        "variable": None,
    } in listed


def test_a_run_is_not_started_with_a_rule_that_is_none(here: Here, tmp_path: Path) -> None:
    (tmp_path / "capview.toml").write_text("[[redact.rules]]\nname = 'staff-id'\n")
    done = capview("run", "--conversation", str(here.conversation), "--", "touch", str(tmp_path / "ran"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"capview: '{tmp_path}/capview.toml': redact.rules, rule 1: needs a pattern\n"
    assert not (tmp_path / "ran").exists()


def test_what_is_masked_beside_the_rules_is_listed_with_its_file(here: Here, tmp_path: Path) -> None:
    (tmp_path / "capview.toml").write_text('[mask]\nenv = ["*_CODE"]\n')
    _, out, _ = here("config")
    row = next(row for row in out.decode().splitlines() if row.startswith("mask.env "))
    assert row.split() == ["mask.env", "*_CODE", str(tmp_path / "capview.toml")]
