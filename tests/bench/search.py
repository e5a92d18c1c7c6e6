"""1 GiB of log searched beside rg, on the same file, interleaved.

Targets: in process, a literal within 1.6 times ``rg -F``, an expression within 2.5 times ``rg``, a hit in every line
within 10 times ``rg -c``, a word at the end of a line of 300 MB within twice ``rg``; as a process within 4 times.
Counts are compared, too.  A folder may be given, and after it the size in MiB.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from capture_core.find.matcher import Wanted
from capture_core.hits.captures import CaptureSearch
from capture_core.sought import Search
from tests.bench.capture import corpus
from tests.bench.measuring import MIB, Sample, interleaved, median, ratios, timed
from tests.captures import Owner, entry_of

ROUNDS = 5
LONG_LINE_BYTES = 300 * 10**6


class Case(NamedTuple):
    """A pattern, and how much longer than rg it may take."""

    name: str
    pattern: str
    goal: float
    fixed: bool = False


CASES = (
    Case("literal", "undefined reference to", 1.6, fixed=True),
    Case("expression", "undefined (reference|symbol) [a-z]+", 2.5),
    Case("a hit in every line", "e", 10),
)


def main() -> None:
    """Print medians and ratios."""
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    size = int(sys.argv[2]) * MIB if len(sys.argv) > 2 else 2**30
    with tempfile.TemporaryDirectory(dir=folder) as made:
        place = Path(made)
        log = place / "log"
        corpus(log, size)
        owner = captured(place, log)
        for case in CASES:
            compare(place, owner, case)
        compare_processes(place, owner)
        owner = captured(place, log, long_line=True)
        compare(place, owner, Case("the end of a line of 300 MB", "needle", 2, fixed=True))


def captured(place: Path, log: Path, *, long_line: bool = False) -> Owner:
    """A finished capture of the log, or of one line with a word at its end."""
    owner = Owner(place / "conversation")
    if long_line:
        for _ in range(LONG_LINE_BYTES // 10**6):
            owner.append("stdout", b"0123456789" * 10**5)
        owner.append("stdout", b"needle\n")
    else:
        with log.open("rb") as file:
            while block := file.read(MIB):
                owner.append("stdout", block)
    owner.finish()
    return owner


def compare(place: Path, owner: Owner, case: Case) -> None:
    """Count in this process, and by rg."""
    path = str(place / "conversation")
    entry = entry_of(place / "conversation", owner)
    rg = ("rg", "--no-config", "--text", "-c", *(["-F"] if case.fixed else []), case.pattern, str(owner.path("stdout")))
    search = CaptureSearch(Search(Wanted(case.pattern, fixed=case.fixed)))
    ours = search.count(path, entry)
    theirs = int(subprocess.run(rg, capture_output=True, check=False).stdout or 0)
    assert ours == theirs, (case, ours, theirs)
    report(case.name, case.goal, partial(_in_process, partial(search.count, path, entry)), partial(timed, rg))


def compare_processes(place: Path, owner: Owner) -> None:
    """``capview search`` from its start to its end."""
    capview = str(Path(sys.executable).with_name("capview"))
    conversation = ("--conversation", str(place / "conversation"))
    for case in CASES[:2]:
        option = ["-F"] if case.fixed else []
        ours = (capview, "search", *option, *conversation, case.pattern, "@last")
        rg = ("rg", "--no-config", "--text", *option, case.pattern, str(owner.path("stdout")))
        report(f"process, {case.name}", 4, partial(timed, ours), partial(timed, rg))


def report(name: str, goal: float, ours: partial[Sample], theirs: partial[Sample]) -> None:
    """Run both in turn."""
    samples = interleaved(ROUNDS, {"ours": ours, "rg": theirs})
    each = ratios(samples["ours"], samples["rg"])
    print(
        f"{name:28} {median(samples['ours']):6.2f} s  rg {median(samples['rg']):6.2f} s  "
        f"ratio {statistics.median(each):5.2f} (to reach: {goal:g}); rounds: "
        + ", ".join(f"{ratio:.2f}" for ratio in sorted(each))
    )


def _in_process(work: partial[int]) -> Sample:
    start = time.perf_counter()
    work()
    return Sample(seconds=time.perf_counter() - start)


if __name__ == "__main__":
    main()
