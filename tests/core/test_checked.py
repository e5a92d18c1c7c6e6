"""What a host gives that is of no use is refused in one line before anything is made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from capture_core.adapters.large_output import save_large_output
from capture_core.conversation import Conversation
from capture_core.errors import BadInput, SpawnFailed
from capture_core.facts import Producer, Upstream, UpstreamKind
from capture_core.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("field", ["capture_bytes", "conversation_bytes", "queue_bytes", "preview_stdout_chars"])
@pytest.mark.parametrize("value", [1.5, "x", None, -1, True, 2**63, pytest.param(10**5000, id="huge")])
def test_a_limit_that_is_no_whole_number(tmp_path: Path, field: str, value: object) -> None:
    given: dict[str, Any] = {field: value}
    with pytest.raises(BadInput, match=rf"^the limit {field} must be a whole number, 0 or more, not [^\n]*$"):
        Conversation.open(str(tmp_path / "c"), limits=Limits(**given))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", None, -0.5])
def test_a_limit_that_is_no_time(tmp_path: Path, value: object) -> None:
    given: dict[str, Any] = {"stall_seconds": value}
    with pytest.raises(BadInput, match="the limit stall_seconds must be a number of seconds, 0 or more"):
        Conversation.open(str(tmp_path), limits=Limits(**given))


def test_a_read_of_nothing_is_no_limit(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="read_bytes must be a whole number, 1 or more, not 0"):
        Conversation.open(str(tmp_path), limits=Limits(read_bytes=0))


@pytest.mark.parametrize("given", [{"path": 5}, {"limits": None}, {"rules": 5}, {"rules": ["x"]}])
def test_a_conversation_that_cannot_be(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"must be|are given as"):
        Conversation.open(**{"path": "c", **given})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"argv": []}, "argv is empty: give a command"),
        ({"argv": ["true", 5]}, "each of argv must be a path, not a value of type int"),
        ({"argv": "true"}, "argv must be a list, not a value of type str"),
        ({"argv": None}, "argv must be a list, not None"),
        ({"tool": 5}, "tool must be a text"),
        ({"label": 5}, "label must be a text"),
        ({"call_id": 5}, "call_id must be a text"),
        ({"cwd": 5}, "cwd must be a path"),
        ({"env": 5}, "env must be a mapping"),
        ({"env": {"A": 5}}, "each value in env must be a path"),
        ({"timeout": "x"}, "timeout must be a number of seconds"),
        ({"timeout": float("inf")}, "timeout must be a number of seconds"),
        ({"mask_env": "A"}, "mask_env must be a list"),
        ({"mask_files": [5]}, "each of mask_files must be a path"),
    ],
)
def test_a_job_that_cannot_be_started(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        Conversation.open(str(tmp_path / "c")).start(**{"argv": ["true"], **given})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tool": 5}, "tool must be a text"),
        ({"label": 5}, "label must be a text"),
        ({"call_id": 5}, "call_id must be a text"),
        ({"upstream": 5}, "upstream must be a text such as"),
        ({"upstream": None}, "upstream must be a text such as"),
        ({"upstream": Upstream(kind=UpstreamKind.CLIPPED, limit="x", unit="bytes")}, "a limit is a number"),  # type: ignore[arg-type]
        ({"upstream": Upstream(kind=UpstreamKind.CLIPPED, limit=1, unit=5)}, "a limit cannot count '5'"),  # type: ignore[arg-type]
        ({"producer": None}, "producer must be a Producer"),
        ({"producer": Producer(adapter="a", version=1, source="s")}, "the producer's version must be a text"),  # type: ignore[arg-type]
    ],
)
def test_a_text_that_cannot_be_saved(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        Conversation.open(str(tmp_path / "c")).save(**{"tool": "t", "text": "x", **given})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("given", "name"), [({"output_type": None}, "output_type"), ({"logdir": None}, "logdir")])
def test_an_output_that_cannot_be_saved(tmp_path: Path, given: dict[str, Any], name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} must be"):
        save_large_output(**{"content": "x", "logdir": tmp_path / "c", **given})
    assert not list(tmp_path.iterdir())


def test_words_of_a_command_may_be_bytes_and_paths(tmp_path: Path) -> None:
    odd: list[Any] = [b"echo", tmp_path, b"\xff"]
    receipt = Conversation.open(str(tmp_path / "c")).start(odd).wait()
    assert receipt is not None
    assert receipt.process.exit_code == 0
    assert receipt.label is not None
    assert receipt.label.startswith(f"echo {tmp_path} ")


@pytest.mark.parametrize(("name", "words"), [("none", "no such file or directory"), ("file", "not a directory")])
def test_a_folder_to_run_in_that_is_none_is_no_command_that_was_not_found(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SpawnFailed, match=re.escape(f"{tmp_path / name}: {words}; name a folder")):
        Conversation.open(str(tmp_path / "c")).start(["true"], cwd=str(tmp_path / name))
    assert not list((tmp_path / "c").rglob("*.json"))
