"""The commands that each program is given, and what of its report is told of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.compare.programs import Report

SECRET: Final = "ghp_" + "R4nd0mL00kingButMadeUpForThisTest000"
_HALF: Final = 20
_HELD_SECONDS: Final = 8
_PRINTED: Final = 3_000_000
_ROOM_BYTES: Final = 524_288
"""What the small disk holds."""


class Case(NamedTuple):
    """One command, as ``sh -c`` takes it, and how a cell of the table is made of a report."""

    name: str
    command: str
    cell: Callable[[Report], str]
    look_after_seconds: float = 0
    """How long after the start the files are looked at, at the earliest."""
    disk_bytes: int | None = None
    """Where given, the program writes to a disk of this size."""


def _end(report: Report) -> str:
    return f"`{report.end}`"


def _held(report: Report) -> str:
    waits = "waits for it" if report.seconds >= _HELD_SECONDS else "does not wait"
    descendant = "it goes on" if report.held_end == "0" else "it is ended"
    kept = "its line is kept" if b"held-42" in report.kept else f"its line is lost; {_said(report)}"
    return f"{waits}; {descendant}; {kept}"


def _flood(report: Report) -> str:
    kept = _longest(report.kept)
    return "all kept" if kept == _PRINTED else f"{kept:,} of {_PRINTED:,} bytes kept; {_said(report)}"


def _full_disk(report: Report) -> str:
    child = "ends as it would" if report.child_end == "0" else f"fails ({report.child_end or 'unknown'})"
    return f"the command {child}; {_said(report)}"


def _longest(text: bytes) -> int:
    """The longest run of what was printed: a file may have a word about the command too."""
    return max(map(len, re.findall(rb"x+", text)), default=0)


def _split(report: Report) -> str:
    bare = report.kept.replace(b"\r", b"")
    return "stored in clear" if SECRET.encode() in bare else f"masked: `{_line(bare, b'token')}`"


def _said(report: Report) -> str:
    return f"says: “{report.said}”" if report.said else "says nothing"


def _line(text: bytes, word: bytes) -> str:
    return next((line.decode() for line in text.splitlines() if word in line), "")


CASES: Final = (
    Case("it exits with 7", "exit 7", _end),
    Case("SIGKILL ends it", "kill -KILL $$", _end),
    Case(
        "a descendant keeps the pipe open for 8 s, then prints",
        f"echo begun; (sleep {_HELD_SECONDS}; echo held-$((40 + 2)); echo $? > held) & exit 0",
        _held,
        look_after_seconds=_HELD_SECONDS + 1,
    ),
    Case(
        "it prints 3 MB before anybody reads",
        f"head -c {_PRINTED} /dev/zero | tr '\\0' x",
        _flood,
    ),
    Case(
        "the disk has room for 512 KiB, it prints 3 MB",
        f"head -c {_PRINTED} /dev/zero | tr '\\0' x",
        _full_disk,
        disk_bytes=_ROOM_BYTES,
    ),
    Case(
        "it prints a token in two writes",
        f"printf 'token {SECRET[:_HALF]}'; sleep 0.5; printf '{SECRET[_HALF:]}\\n'",
        _split,
    ),
)
