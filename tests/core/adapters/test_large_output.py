"""A stand-in for what agents call with large output: the recorded contract of gptme's function, and what is safer."""

from __future__ import annotations

import importlib.util
import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from capture_core import save_large_output
from capture_core.adapters import large_output
from capture_core.errors import BadInput, BadName, PlaceRefused
from capture_core.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    SaveLargeOutput = Callable[..., tuple[str, Path]]

# gptme 0.35.1, gptme/util/output_storage.py: read there, and compared with it below where it is (make peers).
SIGNATURE = {
    "content": inspect.Parameter.empty,
    "logdir": inspect.Parameter.empty,
    "output_type": "tool",
    "command_info": None,
    "original_tokens": None,
}
ANNOTATIONS = ("str", "Path", "str", "str | None", "int | None")
RETURNS = "tuple[str, Path]"
CALLS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["[Large tool output saved]", "Full output: {path}"]),
    ({"output_type": "shell"}, ["[Large shell output saved]", "Full output: {path}"]),
    (
        {"output_type": "shell", "command_info": "make -j8", "original_tokens": 1234},
        ["[Large shell output saved]", "Command: make -j8", "Original: 1234 tokens", "Full output: {path}"],
    ),
    ({"command_info": "", "original_tokens": 0}, ["[Large tool output saved]", "Full output: {path}"]),
    ({"original_tokens": 7}, ["[Large tool output saved]", "Original: 7 tokens", "Full output: {path}"]),
]
TOKEN = "ghp_" + "a1B2" * 9
PEERS = Path(__file__).parents[3] / "build" / "peers"


def theirs() -> SaveLargeOutput:
    """Gptme's own function, out of its one file, without the rest of gptme."""
    path = PEERS / "gptme" / "util" / "output_storage.py"
    if not path.exists():
        pytest.skip("gptme is not there (make peers): what was recorded of its function stands for it")
    spec = importlib.util.spec_from_file_location("output_storage_of_gptme", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("SaveLargeOutput", module.save_large_output)


def receipt(path: Path) -> dict[str, Any]:
    name = f"{path.name.partition('.')[0]}.json"
    return cast("dict[str, Any]", json.loads((path.parent / name).read_text()))


def keeps_the_contract(function: SaveLargeOutput, logdir: Path) -> None:
    signature = inspect.signature(function)
    assert {name: parameter.default for name, parameter in signature.parameters.items()} == SIGNATURE
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    assert kinds == {inspect.Parameter.POSITIONAL_OR_KEYWORD}
    said = tuple(parameter.annotation for parameter in signature.parameters.values())
    assert tuple(getattr(type_, "__name__", str(type_)) if not isinstance(type_, str) else type_ for type_ in said) == (
        ANNOTATIONS
    )
    for options, lines in CALLS:
        summary, path = function("line 1\nline é 2\n", logdir, **options)
        assert isinstance(summary, str)
        assert isinstance(path, Path)
        assert summary == "\n".join(lines).format(path=path)
        assert path.parent == logdir / "tool-outputs" / options.get("output_type", "tool")
        assert path.suffix == ".txt"
        assert path.read_text() == "line 1\nline é 2\n"
    assert len(function("x", logdir, "read", "a file", 3)) == 2


def test_it_keeps_the_recorded_contract(tmp_path: Path) -> None:
    keeps_the_contract(save_large_output, tmp_path / "made" / "log")
    assert inspect.signature(save_large_output).return_annotation == RETURNS


def test_the_record_is_true_of_gptme(tmp_path: Path) -> None:
    keeps_the_contract(theirs(), tmp_path)


def test_a_relative_place_gives_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, path = save_large_output("x", Path("log"))
    assert not path.is_absolute()
    assert (tmp_path / path).read_text() == "x"
    # As text too, whatever the annotation says.
    assert save_large_output("x", cast("Path", "log"))[1].parent == path.parent


def test_what_nobody_can_know_is_not_claimed(tmp_path: Path) -> None:
    _, path = save_large_output("x", tmp_path, "shell", f"curl {TOKEN}")
    facts = receipt(path)
    assert facts["capture"] == {"state": "partial", "reason": "upstream-unknown"}
    assert facts["upstream"] == {"kind": "unknown", "limit": None, "unit": None}
    assert facts["process"] == dict.fromkeys(("pid", "exit_code", "signal", "reason", "survivors")) | {"state": "none"}
    assert facts["label"] == "curl [redacted:gh-token]"


def test_text_and_command_are_masked(tmp_path: Path) -> None:
    summary, path = save_large_output(f"it is {TOKEN}\n", tmp_path, "shell", f"curl -H {TOKEN}\nand more", 5)
    assert path.read_text() == "it is [redacted:gh-token]\n"
    assert summary.splitlines()[1] == "Command: curl -H [redacted:gh-token] and more"
    assert len(summary.splitlines()) == 4


def test_the_files_are_private_and_two_calls_share_none(tmp_path: Path) -> None:
    # As gptme makes its own folders.
    for folder in (tmp_path, tmp_path / "tool-outputs", tmp_path / "tool-outputs" / "shell"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o775)
    paths = {save_large_output("the same", tmp_path, "shell")[1] for _ in range(3)}
    assert len(paths) == 3
    assert {path.stat().st_mode & 0o7777 for path in paths} == {0o400}


def test_a_lone_surrogate_does_not_raise(tmp_path: Path) -> None:
    summary, path = save_large_output("a\ud83db", tmp_path, command_info="c\udcffd")
    assert path.read_text() == "a\N{REPLACEMENT CHARACTER}b"
    assert receipt(path)["representation"]["replaced_bytes"] == 1
    assert summary.encode()


class Shown:
    def __str__(self) -> str:
        return "as it is shown"


class Unshown:
    def __str__(self) -> str:
        raise RuntimeError(TOKEN)


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (Shown(), "as it is shown"),
        (42, "42"),
        (ValueError("no"), "no"),
        (["a", "b"], "['a', 'b']"),
        (b"caf\xc3\xa9 \xff", "café \N{REPLACEMENT CHARACTER}"),
        (bytearray(b"x"), "x"),
        (Text("sub"), "sub"),
        ("", ""),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_str_is_saved_as_it_is_shown(tmp_path: Path, content: object, text: str) -> None:
    _, path = save_large_output(cast("str", content), tmp_path)
    assert path.read_text() == text


@pytest.mark.parametrize("content", [None, Unshown()], ids=["None", "unshown"])
def test_what_cannot_be_shown_is_refused_in_one_line(tmp_path: Path, content: object) -> None:
    with pytest.raises(BadInput, match="give save_large_output a text") as refusal:
        save_large_output(cast("str", content), tmp_path / "log")
    assert TOKEN not in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_odd_words_beside_it_do_not_raise(tmp_path: Path) -> None:
    summary, _ = save_large_output("x", tmp_path, "shell", cast("str", ["a", TOKEN]), cast("int", f"3 {TOKEN}"))
    assert summary.splitlines()[1:3] == [
        "Command: ['a', '[redacted:gh-token]']",
        "Original: 3 [redacted:gh-token] tokens",
    ]


@pytest.mark.parametrize("output_type", ["../../etc", "/tmp", "..", "a/b", "a\0b", "x" * 300, "con", ""], ids=ascii)
def test_an_unsafe_type_is_refused_and_nothing_is_written(tmp_path: Path, output_type: str) -> None:
    with pytest.raises(BadName):
        save_large_output("x", tmp_path / "log", output_type)
    assert not list(tmp_path.iterdir())


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "log").mkdir(mode=0o700)
    (tmp_path / "log" / "tool-outputs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlaceRefused, match="is a link"):
        save_large_output("x", tmp_path / "log", "shell")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_what_is_not_all_there_is_not_called_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_output, "LIBRARY", Limits(capture_bytes=10))
    summary, path = save_large_output("x" * 50, tmp_path)
    assert summary.splitlines()[-1] == f"Partial output (quota): {path}"
    assert path.read_text() == "x" * 10
    assert receipt(path)["streams"]["content"]["reason"] == "quota"


def test_nothing_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_output, "LIBRARY", Limits(capture_bytes=0))
    summary, path = save_large_output("text", tmp_path)
    assert summary.splitlines()[-1] == f"No output (quota): {path}"
    assert path.read_bytes() == b""
