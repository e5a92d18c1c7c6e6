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

from tests.bench.measuring import MIB, Sample, interleaved, median, ratios, timed

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
        commands = contenders(place)
        samples = interleaved(ROUNDS, {name: partial(_fresh, place, argv) for name, argv in commands.items()})
        # Apart from the timed runs: whoever watches takes time from one of two cores.
        watched = _fresh(place, commands["capview run"], watch_memory=True)
    for name, taken in samples.items():
        print(f"{name:16} {median(taken):6.2f} s {SIZE / median(taken) / 1e6:7.0f} MB/s")
    speeds = [1 / ratio for ratio in ratios(samples["capview run"], samples["cat | tee"])]
    rounds = ", ".join(f"{speed:.2f}" for speed in sorted(speeds))
    print(f"speed by tee's   {statistics.median(speeds):6.2f} (to reach: 0.6); rounds: {rounds}")
    print(f"owner's peak     {watched.owner_peak / MIB:6.1f} MiB (to reach: 64)")
    print(f"all processes    {watched.tree_peak / MIB:6.1f} MiB (to reach: 96)")


def contenders(place: Path) -> dict[str, tuple[str, ...]]:
    """Each writes a fresh file or folder ``out``, which is removed before the next run."""
    log, out = place / "log", place / "out"
    capview = str(Path(sys.executable).with_name("capview"))
    return {
        "cat | cat": ("sh", "-c", f"cat {log} | cat > {out}"),
        "cat | tee": ("sh", "-c", f"cat {log} | tee {out} > /dev/null"),
        "capview run": (
            capview,
            "run",
            "--conversation",
            str(out),
            "--limit",
            "2GiB",
            "--quiet",
            "--",
            "cat",
            str(log),
        ),
    }


def _fresh(place: Path, argv: tuple[str, ...], *, watch_memory: bool = False) -> Sample:
    sample = timed(argv, watch_memory=watch_memory)
    out = place / "out"
    if out.is_dir():
        shutil.rmtree(out)
    else:
        out.unlink()
    return sample


if __name__ == "__main__":
    main()
