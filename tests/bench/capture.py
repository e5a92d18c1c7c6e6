"""1 GiB of log through ``capview run``, beside ``cat | tee`` and ``cat | cat`` to fresh files, interleaved.

Targets: at least 0.6 of tee's speed with all sanitation on, 0.45 with colours on every tenth line; the owner's peak
memory under 64 MiB, all processes' together under 96 MiB, whatever the size of the output.

``capview run`` ends when its files are safe on the disk, which tee leaves to the kernel; so there is also tee with a
``sync`` of its file.  A folder may be given: in one in memory the disk has no part in it.
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


def corpus(path: Path, size: int = SIZE, *, coloured: bool = False) -> None:
    """A build log of ``size`` bytes: lines of 4 to 14 words, the same on every machine."""
    chance = random.Random(1)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(4, 14))) for _ in range(200_000)]
    if coloured:
        texts[::10] = [f"\x1b[1m\x1b[32m{text}\x1b[0m" for text in texts[::10]]
    lines = "".join(f"{text}\n" for text in texts).encode()
    with path.open("wb") as file:
        for _ in range(-(-size // len(lines))):
            file.write(lines)
        file.truncate(size)


def main() -> None:
    """Print medians, ratios and peaks."""
    for coloured, goal in ((False, 0.6), (True, 0.45)):
        print("colours on every tenth line" if coloured else "plain log")
        with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
            compare(Path(folder), coloured=coloured, goal=goal)


def compare(place: Path, *, coloured: bool, goal: float) -> None:
    """Print what all contenders need for one log."""
    corpus(place / "log", coloured=coloured)
    commands = contenders(place)
    samples = interleaved(ROUNDS, {name: partial(_fresh, place, argv) for name, argv in commands.items()})
    # Apart from the timed runs: whoever watches takes time from one of two cores.
    watched = _fresh(place, commands["capview run"], watch_memory=True)
    for name, taken in samples.items():
        print(f"{name:16} {median(taken):6.2f} s {SIZE / median(taken) / 1e6:7.0f} MB/s")
    _print_speeds(samples, "cat | tee", f"(to reach: {goal})")
    _print_speeds(samples, "tee, synced", "(no target)")
    print(f"owner's peak        {watched.owner_peak / MIB:6.1f} MiB (to reach: 64)")
    print(f"all processes       {watched.tree_peak / MIB:6.1f} MiB (to reach: 96)")


def _print_speeds(samples: dict[str, list[Sample]], other: str, goal: str) -> None:
    speeds = [1 / ratio for ratio in ratios(samples["capview run"], samples[other])]
    rounds = ", ".join(f"{speed:.2f}" for speed in sorted(speeds))
    print(f"speed by {other:12}{statistics.median(speeds):6.2f} {goal}; rounds: {rounds}")


def contenders(place: Path) -> dict[str, tuple[str, ...]]:
    """Each writes a fresh file or folder ``out``, which is removed before the next run."""
    log, out = place / "log", place / "out"
    capview = str(Path(sys.executable).with_name("capview"))
    return {
        "cat | cat": ("sh", "-c", f"cat {log} | cat > {out}"),
        "cat | tee": ("sh", "-c", f"cat {log} | tee {out} > /dev/null"),
        "tee, synced": ("sh", "-c", f"cat {log} | tee {out} > /dev/null; sync {out}"),
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
