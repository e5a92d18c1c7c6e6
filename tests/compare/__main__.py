"""``python -m tests.compare``: run each command under each program, and write what they report into the README."""

from __future__ import annotations

import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.compare.cases import CASES
from tests.compare.programs import PROGRAMS, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.compare.cases import Case

README: Final = Path(__file__).parents[2] / "README.md"
BEGIN: Final = "<!-- made by `make compare` -->\n"
END: Final = "<!-- end -->\n"


@contextmanager
def place(case: Case) -> Iterator[Place]:
    """A folder for the program's output, on a small disk where the case asks for one, and a folder beside it."""
    with tempfile.TemporaryDirectory() as folder:
        disk, side = Path(folder, "disk"), Path(folder, "side")
        disk.mkdir()
        side.mkdir()
        if case.disk_bytes is not None:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={case.disk_bytes}", "tmpfs", str(disk)], check=True)
        try:
            yield Place(disk, side, time.monotonic() + case.look_after_seconds)
        finally:
            if case.disk_bytes is not None:
                subprocess.run(["umount", "--lazy", str(disk)], check=True)


def cell(case: Case, program: str) -> str:
    """What is told of one program and one command."""
    with place(case) as where:
        return case.cell(PROGRAMS[program](case.command, where)).replace("|", "\\|")


def table() -> str:
    """All of it, in Markdown."""
    rows = [["the command", *PROGRAMS]]
    rows += [[case.name, *(cell(case, program) for program in PROGRAMS)] for case in CASES]
    head, *body = (f"| {' | '.join(row)} |\n" for row in rows)
    return "".join((head, "|---" * len(rows[0]), "|\n", *body))


def main() -> None:
    """Put the table where the README keeps it."""
    text = README.read_text()
    before, rest = text.split(BEGIN)
    README.write_text(before + BEGIN + "\n" + table() + "\n" + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
