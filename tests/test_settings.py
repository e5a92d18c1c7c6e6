"""Where a setting comes from, in their order; quantities as people write them; and the folders of a user."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import platformdirs
import pytest

from capture_core.limits import FOR_PEOPLE, GIB, KIB, LIBRARY, MIB, SETTINGS_FILE_BYTES
from capture_core.user_rule import UserRule
from capview import folders
from capview.settings import BadSetting, load, rule_setting, variable
from capview.units import parse_duration, parse_size

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def user_file(own_home: Path) -> Path:
    path = own_home / "xdg_config_home" / "capview" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_without_anything_said_the_defaults_hold() -> None:
    settings = load(environ={})
    assert settings.limits == FOR_PEOPLE
    assert set(settings.origins.values()) == {"default"}
    assert load(environ={}, defaults=LIBRARY).limits == LIBRARY


def test_each_source_gives_way_to_the_next(tmp_path: Path, user_file: Path) -> None:
    user_file.write_text("[limits]\ncapture_bytes = '1MiB'\nread_bytes = 1024\ndrain_seconds = 2\nqueue_bytes = '1k'\n")
    (tmp_path / "capview.toml").write_text("[limits]\ncapture_bytes = '2MiB'\nread_bytes = 2048\ndrain_seconds = 2.5\n")
    environ = {"CAPVIEW_CAPTURE_BYTES": "3MiB", "CAPVIEW_READ_BYTES": "4k", "CAPVIEW_PIPE_BYTES": ""}
    settings = load({"capture_bytes": 4 * MIB, "pipe_bytes": None}, conversation=str(tmp_path), environ=environ)
    limits, origins = settings.limits, settings.origins
    assert (limits.capture_bytes, origins["capture_bytes"]) == (4 * MIB, "option")
    assert (limits.read_bytes, origins["read_bytes"]) == (4 * KIB, "environment CAPVIEW_READ_BYTES")
    assert (limits.drain_seconds, origins["drain_seconds"]) == (2.5, str(tmp_path / "capview.toml"))
    assert (limits.queue_bytes, origins["queue_bytes"]) == (1 * KIB, str(user_file))
    assert (limits.pipe_bytes, origins["pipe_bytes"]) == (FOR_PEOPLE.pipe_bytes, "default")
    assert isinstance(limits.capture_bytes, int)


def test_the_environment_is_the_process_own_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable("capture_bytes"), "1GiB")
    assert load().limits.capture_bytes == GIB


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[limits]\ncaptur_bytes = 1", "no setting is called 'captur_bytes'"),
        ("[limits]\ncapture_bytes = 'lots'", "capture_bytes: 'lots' is no size"),
        ("[limits]\ncapture_bytes = -1", "capture_bytes: '-1' is no size"),
        ("[limits]\ncapture_bytes = true", "must be a number"),
        ("[limits]\ndrain_seconds = []", "must be a number"),
        ("[limits]\ndrain_seconds = 'x'", "is no time span"),
        ("[limits]\npreview_stdout_chars = 1.5", "no whole number"),
        ("limits = 3", "must be a table"),
        ("capture_bytes", "not TOML"),
        ("x" * (SETTINGS_FILE_BYTES + 1), "larger than"),
    ],
)
def test_a_bad_file_is_named_in_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "capview.toml").write_text(text)
    with pytest.raises(BadSetting, match=words) as caught:
        load(conversation=str(tmp_path), environ={})
    assert str(tmp_path / "capview.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "capview.toml"
    os.mkfifo(path)
    with pytest.raises(BadSetting, match="not a regular file"):
        load(conversation=str(tmp_path), environ={})
    path.unlink()
    path.mkdir()
    with pytest.raises(BadSetting, match="not a regular file"):
        load(conversation=str(tmp_path), environ={})
    path.rmdir()
    path.write_bytes(b"\xff")
    with pytest.raises(BadSetting, match="not UTF-8"):
        load(conversation=str(tmp_path), environ={})


def test_a_bad_variable_is_named() -> None:
    with pytest.raises(BadSetting, match="'CAPVIEW_CAPTURE_BYTES': capture_bytes: 'many' is no size"):
        load(environ={"CAPVIEW_CAPTURE_BYTES": "many"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("4096", 4096),
        ("1k", 1024),
        ("64KiB", 64 * KIB),
        ("64 kib", 64 * KIB),
        ("1.5g", GIB * 3 // 2),
        ("2GB", 2 * GIB),
        (" 7B ", 7),
        ("1TiB", 1024 * GIB),
    ],
)
def test_sizes(text: str, expected: int) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", ["", "k", "-1", "1e9", "0x10", "1 2", "1 PiB", "٣", "1kk", "inf"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is no size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", 90),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5),
        ("500ms", 0.5),
        ("5m", 300),
        ("5 min", 300),
        ("2h", 7200),
        ("1d", 86_400),
        ("1w", 604_800),
    ],
)
def test_time_spans(text: str, expected: float) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["", "h", ".", ".s", "-1", "1y", "1h30m", "nan", "inf"])
def test_what_is_no_time_span(text: str) -> None:
    with pytest.raises(ValueError, match="is no time span"):
        parse_duration(text)


@pytest.mark.parametrize("value", ["/data", "/da ta/", "relative", "", None])
def test_folders_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        if value is None:
            monkeypatch.delenv(name)
        else:
            monkeypatch.setenv(name, value)
    for home in ("/home/ada", "relative", ""):
        monkeypatch.setenv("HOME", home)
        theirs = platformdirs.PlatformDirs("capview", appauthor=False)
        assert os.path.normpath(folders.data_folder()) == os.path.normpath(theirs.user_data_dir)
        assert os.path.normpath(folders.settings_folder() or "") == os.path.normpath(theirs.user_config_dir)
        assert os.path.normpath(folders.cache_folder() or "") == os.path.normpath(theirs.user_cache_dir)


def test_a_settings_file_that_cannot_be_read_says_how_to_mend_it(tmp_path: Path, user_file: Path) -> None:
    own = tmp_path / "capview.toml"
    for file, words in ((own, "name another --conversation"), (user_file, "set HOME or XDG_CONFIG_HOME")):
        file.symlink_to(file.name)
        with pytest.raises(
            BadSetting, match=f"{file.name}': too many levels of symbolic links; make it a file.*{words}"
        ):
            load(conversation=str(tmp_path), environ={})
        file.unlink()


RULE = "[[redact.rules]]\nname = 'staff-id'\npattern = 'EMP-[0-9]{6}'\n"


def test_rules_of_ones_own_are_read_from_both_files_and_the_conversation_has_the_last_word(
    tmp_path: Path, user_file: Path
) -> None:
    user_file.write_text(RULE + "[[redact.rules]]\nname = 'host'\npattern = 'db[0-9]+'\nignore_case = true\n")
    own = tmp_path / "capview.toml"
    own.write_text("[[redact.rules]]\nname = 'staff-id'\npattern = 'E[0-9]{4}'\n[limits]\nread_bytes = 1024\n")
    settings = load(conversation=str(tmp_path), environ={})
    assert settings.rules == (UserRule("staff-id", "E[0-9]{4}"), UserRule("host", "db[0-9]+", ignore_case=True))
    assert settings.origins[rule_setting("staff-id")] == str(own)
    assert settings.origins[rule_setting("host")] == str(user_file)
    assert settings.limits.read_bytes == KIB


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("redact = 3", "redact must be a table"),
        ("[redact]\nrule = []", "redact has no 'rule'"),
        ("[redact]\nrules = 'x'", "redact.rules must be tables"),
        ("[redact]\nrules = ['x']", "rule 1: must be a table"),
        (RULE + "[[redact.rules]]\nname = 'x'", "rule 2: needs a pattern"),
        ("[[redact.rules]]\npattern = 'x'", "rule 1: needs a name"),
        ("[[redact.rules]]\nname = 'x'\npattern = ''", "rule 1: needs a pattern"),
        ("[[redact.rules]]\nname = 'x'\npattern = 3", "rule 1: pattern must be a text"),
        (RULE + "ignore_case = 1", "rule 1: ignore_case must be true or false"),
        (RULE + "ignorecase = true", "rule 1: has no 'ignorecase'; it has name, pattern, ignore_case"),
        ("[[redact.rules]]\nname = 'Staff_ID'\npattern = 'x'", "rule 1: name 'Staff_ID': must be of a-z 0-9 -"),
        ("[[redact.rules]]\nname = 'x\\n'\npattern = 'x'", "rule 1: name"),
        (f"[[redact.rules]]\nname = '{'x' * 41}'\npattern = 'x'", "longer than 40 characters"),
        ("[[redact.rules]]\nname = 'gh-token'\npattern = 'x'", "rule 1: name 'gh-token': a built-in rule has it"),
        (RULE * 2, "rule 2: name 'staff-id': rule 1 has it; choose another"),
        ("".join(RULE.replace("staff-id", f"n{number}") for number in range(51)), "51 rules; at most 50 are taken"),
    ],
)
def test_a_bad_rule_is_named_in_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "capview.toml").write_text(text)
    with pytest.raises(BadSetting, match=re.escape(words)) as caught:
        load(conversation=str(tmp_path), environ={})
    assert str(tmp_path / "capview.toml") in str(caught.value)
    assert "\n" not in str(caught.value)
