"""How long ``capview run -- true`` takes, beside a Python that imports what any runner of commands must.

Target: at most 3 x ``python -c 'import subprocess, threading'``, whole processes, interleaved.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.measuring import interleaved, median, ratios, timed

ROUNDS = 25
TARGET = 3.0


def main() -> None:
    """Print medians and the ratio."""
    capview = str(Path(sys.executable).with_name("capview"))
    with tempfile.TemporaryDirectory() as folder:
        run = (capview, "run", "--conversation", folder)
        commands = {
            "python -c pass": (sys.executable, "-c", "pass"),
            "python, subprocess, threading": (sys.executable, "-c", "import subprocess, threading"),
            "capview run -- true": (*run, "--", "true"),
            "capview run -- echo hi": (*run, "--", "echo", "hi"),
        }
        for argv in commands.values():
            timed(argv)
        samples = interleaved(ROUNDS, {name: partial(timed, argv) for name, argv in commands.items()})
    for name, taken in samples.items():
        print(f"{name:32} {median(taken) * 1000:7.1f} ms")
    against = samples["python, subprocess, threading"]
    for name in ("capview run -- true", "capview run -- echo hi"):
        ratio = statistics.median(ratios(samples[name], against))
        print(f"{name:32} {ratio:7.2f} x python with subprocess and threading (to reach: {TARGET:g})")


if __name__ == "__main__":
    main()
