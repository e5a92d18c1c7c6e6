"""What a host's job prints of its secrets: the child's own environment is masked, and what the host names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from capture_core.conversation import Conversation
from capture_core.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.facts import Receipt

VALUE = "x9Kq-0rWzL"


def text(place: Path, receipt: Receipt) -> str:
    return (place / "tool-outputs" / "shell" / receipt.streams["stdout"].file).read_text()


def test_the_childs_own_environment_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST_TOKEN", "value-of-the-host")
    env = {"PATH": os.environ["PATH"], "MADE_UP_TOKEN": VALUE, "ODD": "odd-value", "A_TOKEN": "abc"}
    script = 'echo "$MADE_UP_TOKEN $ODD value-of-the-host"'
    job = Conversation.open(str(tmp_path)).start(["sh", "-c", script], env=env, mask_env=["O?D"], label=f"with {VALUE}")
    receipt = job.wait()
    assert receipt is not None
    assert text(tmp_path, receipt) == "[redacted:env] [redacted:env] value-of-the-host\n"
    assert receipt.label == "with [redacted:env]"
    assert receipt.representation.redactions == {"env": 2}
    assert receipt.representation.unmasked_values == ("A_TOKEN",)


def test_without_one_it_is_the_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST_TOKEN", VALUE)
    (tmp_path / "values").write_text("value-of-a-file\n")
    start = Conversation.open(str(tmp_path)).start
    receipt = start(["sh", "-c", "echo $HOST_TOKEN value-of-a-file"], mask_files=[str(tmp_path / "values")]).wait()
    assert receipt is not None
    assert text(tmp_path, receipt) == "[redacted:env] [redacted:mask-file]\n"


def test_nothing_is_started_when_a_file_of_values_cannot_be_read(tmp_path: Path) -> None:
    start = Conversation.open(str(tmp_path / "place")).start
    with pytest.raises(BadInput, match="name a file of secret values"):
        start(["touch", str(tmp_path / "ran")], mask_files=[str(tmp_path / "none")])
    assert not list(tmp_path.iterdir())
