"""Golden trees as they lie in the repository and as a test reads them: git keeps neither modes nor held locks."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from capture_core.catalog import Catalogue, Name
from capture_core.errors import StreamGone
from capture_core.liveness import here
from capture_core.reader import StreamReader
from capture_core.source import Entry
from capture_core.verify import verify
from capview import present
from capview.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE: Final = Path(__file__).parent
HOST: Final = "golden.example"
BOOT: Final = "00000000-0000-4000-8000-000000000000"
TREE: Final = "tree"
EXPECTED: Final = "expected.json"

_READ_ONLY: Final = (".json", ".txt", ".bin", ".sgr", ".times")


class Golden(NamedTuple):
    """One version's tree, by the schema of its receipts: ``expected`` by what each capture is an example of."""

    folder: Path

    @property
    def expected(self) -> dict[str, dict[str, Any]]:
        """What was seen when it was made; of each capture ``ref``, ``is_here`` and what :func:`reading` gives."""
        found: dict[str, dict[str, Any]] = json.loads((self.folder / EXPECTED).read_text())
        return found

    def copy(self, place: Path) -> None:
        """Put the tree there as it was: modes set, and leftovers that were made here as if they had been."""
        shutil.copytree(self.folder / TREE, place)
        is_here = {said["ref"].rpartition("/")[2] for said in self.expected.values() if said["is_here"]}
        for path in place.rglob("*"):
            if path.name.endswith(".live.json") and path.name.partition(".")[0] in is_here:
                path.write_text(path.read_text().replace(BOOT, here().boot_id or ""))
            path.chmod(_mode(path))


def all_of_them() -> Iterator[Golden]:
    """Every version's."""
    for folder in sorted(HERE.glob("[0-9]*")):
        yield Golden(folder)


def _mode(path: Path) -> int:
    if path.is_dir():
        return 0o700
    return 0o400 if path.name.endswith(_READ_ONLY) and not path.name.endswith(".live.json") else 0o600


def reading(conversation: Path, ref: str) -> dict[str, Any]:
    """All that readers say of a capture; nothing of the machine and of the moment."""
    _, tool, capture = ref.split("/")
    found = Catalogue(str(conversation)).fresh(Name(tool, capture))
    if not isinstance(found, Entry):
        return {"words": None if found is None else found.words}
    said = record(found, str(conversation))
    said = {field: value for field, value in said.items() if field not in ("directory", "host", "boot_id")}
    return {
        "words": present.summary(found),
        "verified": [str(verify(str(conversation), found).soundness), verify(str(conversation), found).words],
        "texts": {stream: _text(conversation, found, stream) for stream in found.receipt.streams},
        "record": json.loads(json.dumps(said)),
    }


def _text(conversation: Path, entry: Entry, stream: str) -> str | None:
    try:
        with StreamReader(str(conversation), entry, stream) as reader:
            return reader.read(0, reader.committed).decode("utf-8", "backslashreplace")
    except StreamGone:
        return None


def says(now: object, then: object) -> bool:
    """Whether all that was said then is said now; there may be more fields since."""
    if isinstance(now, dict) and isinstance(then, dict):
        return all(field in now and says(now[field], value) for field, value in then.items())
    return now == then


def files_of(folder: Path, capture: str) -> dict[str, Path]:
    """The files of one capture, by the ends of their names."""
    return {name.partition(".")[2]: folder / name for name in os.listdir(folder) if name.startswith(f"{capture}.")}
