"""Locks asked of the kernel, and what they prove on this boot, another boot and another machine."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import Liveness
from capture_core.liveness import Lock, ask, here, hold, is_local, judge
from tests.captures import Owner

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = """
import fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_of_another_process_is_seen_through_a_read_only_descriptor(tmp_path: Path) -> None:
    file = tmp_path / "stream"
    file.touch()
    with subprocess.Popen([sys.executable, "-c", HOLDER, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.readline() == b"held\n"
        fd = os.open(file, os.O_RDONLY)
        assert ask(fd) is Lock.HELD
        assert not hold(fd)
        child.kill()
        child.wait()
        assert ask(fd) is Lock.FREE
        os.close(fd)


def test_asking_takes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "stream"
    file.touch()
    reader, owner = os.open(file, os.O_RDONLY), os.open(file, os.O_RDWR)
    assert ask(reader) is Lock.FREE
    fcntl.fcntl(owner, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
    os.close(reader)
    os.close(owner)


def test_two_views_may_hold_one_final(tmp_path: Path) -> None:
    file = tmp_path / "stream"
    file.touch()
    first, second = os.open(file, os.O_RDONLY), os.open(file, os.O_RDONLY)
    assert hold(first)
    assert hold(second)
    pruner = os.open(file, os.O_RDWR)
    with pytest.raises(BlockingIOError):
        fcntl.fcntl(pruner, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
    for fd in (first, second, pruner):
        os.close(fd)


def test_where_such_locks_do_not_work_nothing_is_told() -> None:
    fd = os.open("/", os.O_PATH)  # fcntl on it fails, as it does on file systems without locks
    assert ask(fd) is Lock.UNTOLD
    assert not hold(fd)
    os.close(fd)


@pytest.mark.parametrize(
    ("lock", "host", "boot_id", "local", "expected"),
    [
        (Lock.HELD, "other", "other", False, Liveness.LIVE),
        (Lock.UNTOLD, None, None, True, Liveness.UNKNOWN),
        (Lock.FREE, None, None, False, Liveness.OWNER_DIED),
        # A container has its own host name, but its locks are this kernel's.
        (Lock.FREE, "container", None, False, Liveness.OWNER_DIED),
        # After a restart of this machine a dead job is not still running …
        (Lock.FREE, None, "earlier", True, Liveness.OWNER_DIED),
        # … but another machine of the same name may share this file system.
        (Lock.FREE, None, "other", False, Liveness.UNKNOWN),
        (Lock.FREE, "other", "other", True, Liveness.UNKNOWN),
        # A restart proves it where no file is left that could be asked.
        (Lock.UNTOLD, None, "earlier", True, Liveness.OWNER_DIED),
        (Lock.UNTOLD, None, "earlier", False, Liveness.UNKNOWN),
        (Lock.UNTOLD, "other", "other", True, Liveness.UNKNOWN),
    ],
)
def test_what_a_lock_proves(
    tmp_path: Path, *, lock: Lock, host: str | None, boot_id: str | None, local: bool, expected: Liveness
) -> None:
    receipt = Owner(tmp_path, host=host, boot_id=boot_id).receipt
    assert judge(receipt, lock, here(), is_local=lambda: local) is expected


def test_two_unknown_boots_are_not_the_same_boot(tmp_path: Path) -> None:
    place = replace(here(), boot_id=None)
    receipt = replace(Owner(tmp_path, host="other").receipt, boot_id=None)
    assert judge(receipt, Lock.FREE, place, is_local=lambda: True) is Liveness.UNKNOWN


def test_kinds_of_file_systems() -> None:
    for path, expected in (("/dev/shm", True), ("/proc", False)):
        fd = os.open(path, os.O_RDONLY)
        assert is_local(fd) is expected
        os.close(fd)
        assert not is_local(fd), "nothing can be said of a closed descriptor"
