"""``capview run`` and what is known to be secret: masked in every file and every word that capview writes."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

VALUE = "x9Kq-0rWzL/made+up"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
Finished = subprocess.CompletedProcess[str]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


def run(place: Path, *words: str, **variables: str) -> Finished:
    return subprocess.run(
        ["capview", "run", "--conversation", str(place), *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | variables,
    )


def written(place: Path) -> str:
    """Everything in every file of the conversation."""
    return "\n".join(path.read_text(errors="replace") for path in sorted(place.rglob("*")) if path.is_file())


def representation(place: Path) -> dict[str, object]:
    [path] = (place / "tool-outputs" / "shell").glob("*Z-*.json")
    found: dict[str, object] = json.loads(path.read_text())["representation"]
    return found


def test_the_first_run_compiles_the_engine_and_keeps_it(place: Path, own_home: Path, kept_engine: Path) -> None:
    kept = own_home / "xdg_cache_home" / "capview" / kept_engine.name
    kept.unlink()
    run(place, "--", "echo", TOKEN)
    assert TOKEN not in written(place)
    assert kept.stat().st_size == kept_engine.stat().st_size


PRINTS = (
    'echo "$1"; env; printf %s "$1" | base64; printf %q "$1"; echo; python3 -c "import json; print(json.dumps(\'$1\'))"'
)


def test_a_secret_variable_is_nowhere_in_the_conversation_and_passes_through_as_it_is(place: Path) -> None:
    done = run(place, "--", "bash", "-c", PRINTS, "bash", VALUE, MADE_UP_TOKEN=VALUE)
    assert done.stdout.count(VALUE) >= 3
    text = written(place)
    for start in range(len(VALUE) - 5):
        assert VALUE[start : start + 6] not in text
    assert "\nMADE_UP_TOKEN=[redacted:env]\n" in text
    assert '"bash -c' in text, "the label is there, masked"


def test_names_and_files_that_the_user_adds_are_masked_and_what_hides_nothing_is_listed(
    place: Path, tmp_path: Path
) -> None:
    (tmp_path / "list").write_text(f"{VALUE}-1\n{VALUE}-2\nno\n")
    script = f"echo {VALUE}-1 {VALUE}-2; echo $PLAIN"
    done = run(
        place,
        *("--mask-env", "PL*", "--mask-file", str(tmp_path / "list"), "--", "sh", "-c", script),
        PLAIN="an-odd-value",
        A_PASSWORD="abc",
    )
    assert done.returncode == 0
    [text] = (place / "tool-outputs" / "shell").glob("*.stdout.txt")
    assert text.read_text() == "[redacted:mask-file] [redacted:mask-file]\n[redacted:env]\n"
    unmasked = representation(place)["unmasked_values"]
    assert isinstance(unmasked, list)
    assert {"A_PASSWORD", "list:3"} <= set(unmasked)
    shown = subprocess.run(
        ["capview", "show", "--conversation", str(place), "@last"], capture_output=True, text=True, check=True
    )
    assert "\nnot masked     the values of A_PASSWORD" in shown.stdout


def test_settings_add_to_the_options(place: Path, tmp_path: Path) -> None:
    place.mkdir(mode=0o700)
    (place / "values").write_text("value-of-a-setting")
    (place / "capview.toml").write_text('[mask]\nenv = ["ONE"]\nfiles = ["values"]\n')
    echo = ("--mask-env", "THREE", "--", "sh", "-c", "echo value-of-a-setting $ONE $TWO $THREE $FOUR")
    values = {"ONE": "value-one", "TWO": "value-two", "THREE": "value-three", "FOUR": "value-four"}
    assert run(place, *echo, CAPVIEW_MASK_ENV="NONE:TWO", **values).returncode == 0
    [text] = (place / "tool-outputs" / "shell").glob("*.stdout.txt")
    assert text.read_text() == "[redacted:mask-file] [redacted:env] [redacted:env] [redacted:env] value-four\n"


def test_a_file_of_values_may_come_through_a_pipe(place: Path) -> None:
    command = f"capview run --conversation '{place}' --mask-file <(echo {VALUE}) -- echo {VALUE}"
    subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    assert VALUE[:6] not in written(place)


@pytest.mark.parametrize(
    "make", [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_bytes(b"x" * 70_000)]
)
def test_nothing_is_run_when_a_file_of_values_cannot_be_read(place: Path, tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "values")
    done = run(place, "--mask-file", str(tmp_path / "values"), "--", "touch", str(tmp_path / "ran"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"capview: '{tmp_path}/values': ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()
    assert not place.exists()


@pytest.mark.parametrize("secret", [TOKEN, VALUE.replace("/", "")])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--", "SECRET"], 127),
        (["--", "/etc/passwd/SECRET"], 126),
        (["--no-capture", "--", "SECRET"], 127),
        (["--stdin", "/none/SECRET", "--", "true"], 2),
        (["--mask-file", "/none/SECRET", "--", "true"], 2),
        (["--tool", "SECRET/", "--", "true"], 2),
        (["--SECRET", "--", "true"], 2),
        (["--timeout", "SECRET", "--", "true"], 2),
        (["--conversation", "/dev/null/SECRET", "--", "true"], 125),
    ],
)
def test_no_error_line_repeats_a_secret(place: Path, words: list[str], code: int, secret: str) -> None:
    done = run(place, *(word.replace("SECRET", secret) for word in words), MADE_UP_TOKEN=secret)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1
    assert "[redacted:" in done.stderr
    assert not any(secret[start : start + 6] in done.stderr for start in range(len(secret) - 5))


@pytest.mark.parametrize("words", [["show"], ["read"], ["follow"], ["wait"], ["config", "--bad"], []])
def test_no_command_repeats_a_secret_in_its_errors(place: Path, words: list[str]) -> None:
    done = subprocess.run(["capview", *words, TOKEN], capture_output=True, text=True, check=False, cwd=place.parent)
    assert done.returncode != 0
    assert TOKEN[:6] not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", [TOKEN, VALUE.replace("/", "_")])
def test_a_secret_in_the_name_of_the_conversation_is_in_no_receipt(tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    assert run(place, "--", "true", MADE_UP_TOKEN=name).returncode == 0
    [receipt] = (place / "tool-outputs" / "shell").glob("*.json")
    assert json.loads(receipt.read_text())["conversation"].startswith("[redacted:")
    assert name[:6] not in written(place)
