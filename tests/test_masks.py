"""What is to be masked beside the rules: read from the table ``[mask]`` and the environment, or refused in one line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capview.masks import ENV, FILES, BadMask, Mask, masks_in, masks_of
from capview.settings import BadSetting, load

if TYPE_CHECKING:
    from pathlib import Path


def test_globs_are_taken_as_they_are_and_files_beside_the_settings(own_home: Path) -> None:
    found = masks_of({"mask": {"env": ["*_CODE"], "files": ["values", "/etc/values", "~/values"]}}, "/c/capview.toml")
    assert list(found) == [
        Mask(ENV, "*_CODE", "/c/capview.toml"),
        Mask(FILES, "/c/values", "/c/capview.toml"),
        Mask(FILES, "/etc/values", "/c/capview.toml"),
        Mask(FILES, os.path.expanduser("~/values"), "/c/capview.toml"),
    ]


def test_the_environment_holds_lists() -> None:
    found = masks_in({"CAPVIEW_MASK_ENV": "A*::B", "CAPVIEW_MASK_FILES": "/f", "OTHER": "x"})
    assert [(mask.setting, mask.value) for mask in found] == [
        ("mask.env", "A*"),
        ("mask.env", "B"),
        ("mask.files", "/f"),
    ]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("text", "mask must be a table"),
        ({"names": []}, "mask has no 'names'; it has env and files"),
        ({"env": "A*"}, "mask.env must be a list of texts"),
        ({"files": [1]}, "mask.files must be a list of texts"),
        ({"files": [""]}, "mask.files must be a list of texts"),
    ],
)
def test_what_is_not_of_the_form_is_refused(table: object, words: str) -> None:
    with pytest.raises(BadMask, match=words.replace("[", r"\[")):
        list(masks_of({"mask": table}, "capview.toml"))


def test_every_layer_adds_to_the_others(tmp_path: Path, own_home: Path) -> None:
    user = own_home / "xdg_config_home" / "capview"
    user.mkdir(parents=True)
    (user / "config.toml").write_text('[mask]\nenv = ["ONE"]\n')
    (tmp_path / "capview.toml").write_text('[mask]\nenv = ["TWO"]\nfiles = ["values"]\n')
    settings = load(conversation=str(tmp_path), environ={"CAPVIEW_MASK_ENV": "THREE"})
    assert settings.masked(ENV) == ("ONE", "TWO", "THREE")
    assert settings.masked(FILES) == (str(tmp_path / "values"),)
    assert [mask.origin for mask in settings.masks] == [
        str(user / "config.toml"),
        str(tmp_path / "capview.toml"),
        str(tmp_path / "capview.toml"),
        "environment CAPVIEW_MASK_ENV",
    ]


def test_a_bad_table_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "capview.toml").write_text("mask = 1\n")
    with pytest.raises(BadSetting, match=": mask must be a table"):
        load(conversation=str(tmp_path))
