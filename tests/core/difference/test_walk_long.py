"""Logs of 200 MB are compared in fixed memory: much that differs in every run, a long insertion, and a change."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 200_000_000
MOST_KIB = 96 * 1024

COMPARE = """
import os, resource, sys
from functools import partial
from capture_core.difference.normal import normalised
from capture_core.difference.rows import Rows
from capture_core.difference.walk import Walk

def opened(path):
    fd = os.open(path, os.O_RDONLY)
    return Rows(lambda start, end: os.pread(fd, end - start, start), os.fstat(fd).st_size, normalised)

found = Walk(opened(sys.argv[1]), opened(sys.argv[2])).run(*map(os.path.getsize, sys.argv[1:]))
print(*(side.lines for side in found.sides), found.first[0].line, found.lost is None, found.normalised > 0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def write(path: Path, *, second: int, change: bool) -> int:
    """A log of that size; the lines that it has alone."""
    lines, alone = SIZE // 100, 0
    with path.open("wb") as log:
        for at in range(0, lines, 1_000):
            log.writelines(
                b"[%02d:%02d:%02d] step %08d: cc -O2 -c src/part%05d.c %s\n"
                % (second, at % 60, number % 60, number, number % 7_777, b"-Wall " * 8)
                for number in range(at, at + 1_000)
            )
            if change and at == lines // 2000 * 1_000:
                log.writelines(b"warning %d: only here\n" % number for number in range(20_000))
                alone += 20_000
            if change and at == lines // 4000 * 3 * 1_000:
                log.write(b"and here\n")
                alone += 1
    return alone


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_pair_of_200_mb(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, second=1, change=False)
    alone = write(other, second=2, change=True)
    done = subprocess.run([sys.executable, "-c", COMPARE, one, other], capture_output=True, text=True, check=True)
    found, peak = done.stdout.splitlines()
    assert found.split() == ["0", str(alone), str(SIZE // 200 + 1_001), "True", "True"]
    assert int(peak) < MOST_KIB
