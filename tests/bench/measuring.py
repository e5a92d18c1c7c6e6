"""What the benchmarks share: interleaved runs, medians, and the memory of a tree of processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One run of a command: wall seconds, and its tree's peak memory in bytes."""

    seconds: float
    owner_peak: int = 0
    tree_peak: int = 0


def timed(argv: Sequence[str], *, watch_memory: bool = False) -> Sample:
    """Run ``argv`` to its end; with ``watch_memory`` look at its tree all the while, which costs it some speed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    owner_peak = tree_peak = 0
    while watch_memory and process.poll() is None:
        tree = _tree(process.pid)
        tree_peak = max(tree_peak, sum(_status(pid, "VmRSS") for pid in tree))
        owner_peak = max(owner_peak, max((_status(pid, "VmHWM") for pid in tree[1:2]), default=0))
        time.sleep(0.02)
    process.wait()
    return Sample(seconds=time.perf_counter() - start, owner_peak=owner_peak, tree_peak=tree_peak)


def interleaved(rounds: int, runs: dict[str, Callable[[], Sample]]) -> dict[str, list[Sample]]:
    """Run each in turn, ``rounds`` times, so that the machine's drift meets all alike."""
    samples: dict[str, list[Sample]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            samples[name].append(run())
    return samples


def median(samples: Sequence[Sample]) -> float:
    """Median wall seconds."""
    return statistics.median(sample.seconds for sample in samples)


def ratios(ours: Sequence[Sample], theirs: Sequence[Sample]) -> list[float]:
    """Ours by theirs, round by round."""
    return [a.seconds / b.seconds for a, b in zip(ours, theirs, strict=True)]


def _tree(pid: int) -> list[int]:
    """The process, then its descendants, breadth first."""
    found = [pid]
    for parent in found:
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text()
        except OSError:
            continue
        found += map(int, children.split())
    return found


def _status(pid: int, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":")), 0)
