"""1 GiB of log through ``capview run``, beside ``cat | tee`` and ``cat | cat`` to fresh files, interleaved.

Targets: at least 0.6 of tee's speed with all sanitation on; the owner's peak memory under 64 MiB, all processes'
together under 96 MiB, whatever the size of the output.
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.measuring import MIB, Sample, interleaved, median, ratios, timed

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5
SIZE = 2**30
WORDS = """
gcc -O2 -Wall -c src/frame.c -o build/frame.o warning: unused variable note: declared here
[12/340] Building CXX object make[2]: Entering directory
""".split()  # noqa: SIM905 — a list of so many words reads worse


def corpus(path: Path, size: int = SIZE) -> None:
    """A build log of ``size`` bytes: lines of 4 to 14 words, the same on every machine."""
    chance = random.Random(1)
    lines = "".join(" ".join(chance.choices(WORDS, k=chance.randint(4, 14))) + "\n" for _ in range(200_000)).encode()
    with path.open("wb") as file:
        for _ in range(-(-size // len(lines))):
            file.write(lines)
        file.truncate(size)


def main() -> None:
    """Print medians, ratios and peaks."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        place = Path(folder)
        corpus(place / "log")
        samples = interleaved(ROUNDS, contenders(place))
    for name, taken in samples.items():
        print(f"{name:16} {median(taken):6.2f} s {SIZE / median(taken) / 1e6:7.0f} MB/s")
    ours = samples["capview run"]
    print(f"speed by tee's   {1 / statistics.median(ratios(ours, samples['cat | tee'])):6.2f} (to reach: 0.6)")
    print(f"owner's peak     {max(s.owner_peak for s in ours) / MIB:6.1f} MiB (to reach: 64)")
    print(f"all processes    {max(s.tree_peak for s in ours) / MIB:6.1f} MiB (to reach: 96)")


def contenders(place: Path) -> dict[str, Callable[[], Sample]]:
    """Each writes a fresh file, which is removed before the next run."""
    log, out = place / "log", place / "out"
    capview = str(Path(sys.executable).with_name("capview"))
    run = (capview, "run", "--conversation", str(out), "--limit", "2GiB", "--quiet", "--", "cat", str(log))
    commands = {
        "cat | cat": (("sh", "-c", f"cat {log} | cat > {out}"), False),
        "cat | tee": (("sh", "-c", f"cat {log} | tee {out} > /dev/null"), False),
        "capview run": (run, True),
    }
    return {name: partial(_fresh, out, argv, watch_memory=watch) for name, (argv, watch) in commands.items()}


def _fresh(out: Path, argv: tuple[str, ...], *, watch_memory: bool) -> Sample:
    sample = timed(argv, watch_memory=watch_memory)
    if out.is_dir():
        shutil.rmtree(out)
    else:
        out.unlink()
    return sample


if __name__ == "__main__":
    main()
