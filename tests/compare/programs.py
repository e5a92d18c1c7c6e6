"""The programs that are compared, each run as its users run it: a command given, its report taken from what it says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

BUILD: Final = Path(__file__).parents[2] / "build"
GPTME: Final = BUILD / "gptme" / "bin" / "python"
CAPVIEW: Final = Path(sys.executable).with_name("capview")
_SAID_CHARS: Final = 150
_LIMIT_SECONDS: Final = 60


class Report(NamedTuple):
    """What a program made of a command.

    ``end``: its word on how the command ended; ``kept``: its files; ``said``: its words on what is missing;
    """

    end: str
    kept: bytes
    said: str
    seconds: float
    child_end: str
    """How the command ended for its own shell, whatever the program says; nothing: it was ended itself."""
    held_end: str
    """The same of what it left behind."""


class Place(NamedTuple):
    """Where one program works: ``disk`` is where its output goes, ``side`` another disk, in which it is started.

    ``look_at``: before this moment, of the monotonic clock, the files are not looked at.
    """

    disk: Path
    side: Path
    look_at: float

    def report(self, end: str, files: Iterable[Path], said: str, seconds: float) -> Report:
        """What came of it, when it is time to look."""
        time.sleep(max(0.0, self.look_at - time.monotonic()))
        child, held = (_read(self.side / name).decode().strip() for name in ("child", "held"))
        return Report(end, b"".join(map(_read, files)), said, seconds, child, held)

    def wrapped(self, command: str) -> str:
        """The command in a shell that tells beside it how it ended."""
        return f"({command}); code=$?; echo $code > {shlex.quote(str(self.side / 'child'))}; exit $code"


def _run(
    words: list[str], place: Place, env: Mapping[str, str] | None = None
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    begun = time.monotonic()
    done = subprocess.run(
        words,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=_LIMIT_SECONDS,
        check=False,
        cwd=place.side,
        env=env,
    )
    return done, time.monotonic() - begun


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _line(text: str) -> str:
    """The first line of what a program says, without what is of this run alone: paths, times."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return re.sub(r"\d{6,}", "…", re.sub(r"(?<!\w)/[\w./-]*/", "…/", line))[:_SAID_CHARS]


def script(command: str, place: Place) -> Report:
    """``script -qec``: a pseudo-terminal; -e asks for the command's exit code."""
    file = place.disk / "typescript"
    done, seconds = _run(["script", "-q", "-e", "-c", place.wrapped(command), str(file)], place)
    return place.report(str(done.returncode), [file], _line(done.stderr.decode()), seconds)


def tee(command: str, place: Place) -> Report:
    """``CMD 2>&1 | tee FILE``, as it is typed."""
    file = place.disk / "tee"
    words = ["sh", "-c", f"sh -c {shlex.quote(place.wrapped(command))} 2>&1 | tee {shlex.quote(str(file))}"]
    done, seconds = _run(words, place)
    return place.report(str(done.returncode), [file], _line(done.stderr.decode()), seconds)


def tsp(command: str, place: Place) -> Report:
    """``tsp CMD``, then ``tsp -w`` and ``tsp -i``."""
    env = {**os.environ, "TS_SOCKET": str(place.side / "socket"), "TMPDIR": str(place.disk)}

    def ask(*words: str) -> str:
        return _run(["tsp", *words], place, env)[0].stdout.decode().strip()

    begun = time.monotonic()
    job = ask("sh", "-c", place.wrapped(command))
    ask("-w", job)
    seconds = time.monotonic() - begun
    said, file = ask("-i", job), Path(ask("-o", job))
    ask("-K")
    end = re.search(r"Exit status: (.*)", said)
    return place.report(end[1] if end else "", [file], "", seconds)


def gptme(command: str, place: Place) -> Report:
    """Gptme's background job, in its own Python: the message of its end is what its user sees."""
    words = [str(GPTME), str(Path(__file__).with_name("gptme_job.py")), place.wrapped(command), str(place.disk)]
    done, _ = _run(words, place)
    told = json.loads(done.stdout)
    end = re.search(r"\((exit code [^)]*)\)", told["message"])
    gap = re.search(r"earliest \d+ chars were not retained", told["message"])
    files = list(map(Path, told["files"]))
    if not files:
        # A short output is in the message alone.
        files = [place.side / "message"]
        files[0].write_text(told["message"])
    said = " · ".join(filter(None, (gap[0] if gap else "", _line("\n".join(told["warnings"])))))
    return place.report(end[1] if end else "", files, said, told["seconds"])


def capview(command: str, place: Place) -> Report:
    """``capview run -- sh -c CMD``."""
    conversation = ["--conversation", str(place.disk / "conversation")]
    done, seconds = _run([str(CAPVIEW), "run", *conversation, "--", "sh", "-c", place.wrapped(command)], place)
    receipt = json.loads(_run([str(CAPVIEW), "show", "@last", "--json", *conversation], place)[0].stdout)
    files = [Path(receipt["directory"], stream["file"]) for stream in receipt["streams"].values()]
    line = "" if receipt["capture"]["state"] == "complete" else _line(done.stderr.decode())
    said = re.sub(r"\(\d+\)", "(PID)", line.removeprefix("capview: ").partition(": tool-outputs")[0])
    return place.report(str(done.returncode), files, said, seconds)


PROGRAMS: Final[dict[str, Callable[[str, Place], Report]]] = {
    "`script -qec`": script,
    "`tee`": tee,
    "`tsp`": tsp,
    "gptme 0.35.1, background job": gptme,
    "`capview run`": capview,
}
