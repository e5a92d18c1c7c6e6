"""``python -m tests.golden VERSION``: make a tree anew.  ``python -m tests.golden``: say anew what is seen in each."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capture_core import names
from capture_core.liveness import here
from capture_core.namespace import new_capture_id
from tests.golden.scenes import EDITED, HARMED, MADE
from tests.golden.trees import BOOT, EXPECTED, HERE, HOST, TREE, Golden, all_of_them, files_of, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHERE = "owner unknown, on another host"
CONVERSATION = "golden"


def make(version: str) -> None:
    """Make every capture in a conversation of its own, and put them together."""
    folder = HERE / version
    shutil.rmtree(folder, ignore_errors=True)
    (folder / TREE).mkdir(parents=True)
    captures = dict(_made(folder / TREE))
    for name, edit in EDITED.items():
        captures[name] = _edited(folder / TREE, captures["complete"], name, edit)
    captures[ELSEWHERE] = _copied(folder / TREE, captures["owner died, running"])
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
        if path.suffix == ".json":
            path.write_text(path.read_text().replace(here().host, HOST).replace(here().boot_id or "?", BOOT))
    said = {name: {"ref": ref, "is_here": name != ELSEWHERE} for name, ref in captures.items()}
    (folder / EXPECTED).write_text(json.dumps(said))


def _made(tree: Path) -> Iterator[tuple[str, str]]:
    for name, scene in MADE.items():
        with tempfile.TemporaryDirectory() as place:
            conversation = Path(place, CONVERSATION)
            scene(conversation)
            [tool] = [path for path in (conversation / "tool-outputs").iterdir() if path.is_dir()]
            [capture] = {path.name.partition(".")[0] for path in tool.iterdir()}
            shutil.copytree(tool, tree / "tool-outputs" / tool.name, dirs_exist_ok=True)
            yield name, names.ref(tool.name, capture)


def _copied(tree: Path, ref: str) -> str:
    """The same capture under another id."""
    folder, capture, other = (tree / ref).parent, ref.rpartition("/")[2], new_capture_id()
    for end, path in files_of(folder, capture).items():
        copy = folder / f"{other}.{end}"
        shutil.copy(path, copy)
        copy.chmod(0o600)
        if copy.suffix == ".json":
            copy.write_text(copy.read_text().replace(capture, other))
    return names.ref(folder.name, other)


def _edited(tree: Path, ref: str, name: str, edit: Any) -> str:  # noqa: ANN401
    copy = _copied(tree, ref)
    files = files_of((tree / copy).parent, copy.rpartition("/")[2])
    receipt = json.loads(files["json"].read_text())
    edit(receipt)
    files["json"].write_text(json.dumps(receipt, ensure_ascii=False, indent=1) + "\n")
    if not receipt["streams"]:
        for end in files.keys() - {"json"}:
            files[end].unlink()
    if name in HARMED:
        HARMED[name](files)
    return copy


def say(golden: Golden) -> None:
    """Write down what is seen."""
    with tempfile.TemporaryDirectory() as place:
        conversation = Path(place, CONVERSATION)
        golden.copy(conversation)
        said = {
            name: {"ref": each["ref"], "is_here": each["is_here"], **reading(conversation, each["ref"])}
            for name, each in golden.expected.items()
        }
    (golden.folder / EXPECTED).write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:]:
        make(sys.argv[1])
    for each in all_of_them():
        say(each)
