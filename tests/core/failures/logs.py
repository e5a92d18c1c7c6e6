"""Recorded logs, and what is found in them, a line each."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from capture_core.failures.scan import FailureScan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.failures.finding import Finding

RAW = Path(__file__).parents[2] / "raw"
FAILED = sorted((RAW / "failures").glob("*.log"))
OUTPUT = sorted((RAW / "output").glob("*.gz"))
EXPECTED = RAW / "failures/expected.txt"


def found_in(pieces: Iterable[bytes]) -> tuple[Finding, ...]:
    """Feed pieces one after the other; what was found in all of them."""
    scan = FailureScan()
    fed = tuple(found for piece in pieces for found in scan.feed(piece))
    return fed + scan.finish()


def text(path: Path) -> bytes:
    """What was recorded."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def told(path: Path) -> list[str]:
    """What is found in a log, as ``expected.txt`` has it."""
    return [
        f"{path.name}:{found.first_line}-{found.last_line} {found.severity} {found.kind} {found.pattern}: "
        f"{found.headline.decode()[:90]}"
        for found in found_in([text(path)])
    ]


if __name__ == "__main__":
    EXPECTED.write_text("".join(f"{line}\n" for path in (*FAILED, *OUTPUT) for line in told(path)))
