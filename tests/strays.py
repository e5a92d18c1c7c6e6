"""Processes that a command leaves behind or hides, told of by FIFOs and watched by handles: nothing is slept for."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PATIENCE_MS = 30_000

ESCAPES = {
    "in the group, deaf": "(trap '' TERM; {stray}) & wait",
    "in the group, its leader gone first": "(trap '' TERM; {stray}) & trap 'exit 3' TERM; wait; wait",
    "in a group of its own": "timeout 60 sh -c '{stray}'; true",
    "in a session of its own": "setsid sh -c '{stray}' & wait",
    "in a session of its own, deaf": "trap '' TERM; setsid sh -c '{stray}' & wait",
    "in a session of its own, its parent gone": "(setsid sh -c '{stray}' &); sleep 60",
    "twice forked, deaf": "(trap '' TERM; setsid sh -c '(setsid sh -c \"{stray}\" &)'); sleep 60",
}
"""Shell commands in which a stray process hides from a cancel, each in its own way."""


def prepare(folder: Path) -> Path:
    """Make the FIFO, and the script that is the stray; the FIFO."""
    up = folder / "up"
    os.mkfifo(up)
    script = folder / "up.sh"
    script.write_text(f"#!/bin/sh\necho $$ > {up}\nexec sleep 60\n")
    script.chmod(0o700)
    return up


def hidden(kind: str, up: Path) -> str:
    """Return the command in which a stray hides so."""
    return ESCAPES[kind].format(stray=f"exec {up}.sh")


def wait_for_end(pid: int) -> bool:
    """Whether the process ends, or has; a zombie has."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(_PATIENCE_MS))
    finally:
        os.close(handle)


def is_alive(pid: int) -> bool:
    """Whether it runs at this moment."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children_of(pid: int) -> Iterator[str]:
    """The lines of /proc of its children, zombies too."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    stat = file.read()
            except OSError:
                continue
            if stat.rpartition(")")[2].split()[1] == str(pid):
                yield stat
