"""What rg finds, for comparison: the lines of bytes as they are, in a file, whatever encoding they look like."""

from __future__ import annotations

import json
import subprocess
from base64 import b64decode
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Match(NamedTuple):
    """A line that rg prints: number, start, end without its newline, and its matches."""

    line: int
    start: int
    end: int
    matches: tuple[tuple[int, int], ...]


def lines(path: Path, pattern: str, *options: str) -> list[Match]:
    """The matching lines; ``options`` are rg's."""
    printed = _run("--json", *options, "-e", pattern, str(path))
    events = [json.loads(line) for line in printed.splitlines()]
    return [_match(event["data"]) for event in events if event["type"] == "match"]


def count(path: Path, pattern: str, *options: str) -> int:
    """What ``rg -c`` says, or with ``--count-matches`` that."""
    which = () if "--count-matches" in options else ("-c",)
    return int(_run(*which, *options, "-e", pattern, str(path)) or 0)


def _run(*words: str) -> bytes:
    done = subprocess.run(
        ["rg", "--no-config", "--text", "--encoding", "none", "--no-filename", *words], capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def _match(data: dict[str, Any]) -> Match:
    text = _bytes(data["lines"])
    start = data["absolute_offset"]
    found = tuple((start + one["start"], start + one["end"]) for one in data["submatches"])
    return Match(data["line_number"], start, start + len(text.removesuffix(b"\n")), found)


def _bytes(value: dict[str, str]) -> bytes:
    return value["text"].encode() if "text" in value else b64decode(value["bytes"])
