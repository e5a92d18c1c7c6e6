"""Where faults happen: a FUSE file system of our own and tmpfs, both real; each says why it cannot be had."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.fault_fs import Rule

_SERVER = Path(__file__).parent / "fault_fs.py"


class Fuse:
    """A mounted FUSE file system whose faults are ours.  Skips the test where none can be mounted."""

    def __init__(self, folder: Path, kind: str = "fuse") -> None:
        _skip_without_fuse()
        self.backing, self.mount, self._control = (folder / name for name in ("backing", "mount", "control"))
        for path in (self.backing, self.mount, self._control):
            path.mkdir(parents=True)
        self.inject()
        folders = (self.backing, self.mount, self._control)
        words = [sys.executable, "-W", "error", str(_SERVER), *map(str, folders), kind]
        self._log = folder / "server.log"
        with self._log.open("wb") as log:
            self._server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        assert self._server.stdout is not None
        if self._server.stdout.readline() != b"mounted\n":
            self._server.communicate()
            said = self._log.read_text().strip()
            # libfuse's own words; anything else is a mistake in our server.
            assert "fuse: " in said or "fusermount3: " in said, said
            pytest.skip(f"no FUSE file system can be mounted: {said}")
        self._connection = os.minor(self.mount.stat().st_dev)

    def inject(self, *rules: Rule) -> None:
        """Fail by these rules from now on, and by no others."""
        new = self._control / "new"
        new.write_text(json.dumps(rules))
        (self._control / "struck").unlink(missing_ok=True)
        new.replace(self._control / "rules.json")

    def struck(self) -> set[int]:
        """Which of the rules have struck, by index."""
        path = self._control / "struck"
        return set(map(int, path.read_text().split())) if path.exists() else set()

    def stall(self) -> None:
        """Answer nothing from now on; returns when the server has stopped."""
        self._server.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._server.pid, os.WSTOPPED)

    def go_on(self) -> None:
        """Answer again, first what waited."""
        self._server.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Abort what still waits, unmount, end the server, in whatever state it is."""
        with _connections() as connections, suppress(OSError):
            (connections / str(self._connection) / "abort").write_text("1")
        self._server.kill()
        self._server.communicate()
        # Whether it is mounted cannot be asked: what is aborted answers nothing.
        words = ["fusermount3", "-u", "-z"] if os.geteuid() else ["umount", "-l"]
        subprocess.run([*words, self.mount], check=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def tmpfs(path: Path, options: str) -> Iterator[Path]:
    """A tmpfs with these mount options.  Skips the test where none can be mounted."""
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", path], check=False, capture_output=True)
    if done.returncode:
        plain = subprocess.run(["mount", "-t", "tmpfs", "none", path], check=False, capture_output=True)
        if not plain.returncode:
            subprocess.run(["umount", "-l", path], check=True)
            pytest.fail(f"a tmpfs can be mounted, but not with {options}: {done.stderr.decode().strip()}")
        pytest.skip(f"no tmpfs can be mounted: {plain.stderr.decode().strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=True)
        path.rmdir()


def _skip_without_fuse() -> None:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no FUSE file system can be mounted: /dev/fuse is missing, or not ours to use")
    if os.geteuid() and shutil.which("fusermount3") is None:
        pytest.skip("no FUSE file system can be mounted: neither root nor fusermount3 (Debian: fuse3)")
    try:
        import mfusepy  # noqa: F401
    except OSError as error:
        pytest.skip(f"no FUSE file system can be mounted: libfuse3 is missing ({error}; Debian: libfuse3-3)")


@contextmanager
def _connections() -> Iterator[Path]:
    """The kernel's control files of all FUSE connections, mounted when they are not."""
    path = Path("/sys/fs/fuse/connections")
    mounted = False
    if path.is_dir() and not os.path.ismount(path):
        done = subprocess.run(["mount", "-t", "fusectl", "none", path], check=False, capture_output=True)
        mounted = not done.returncode
    try:
        yield path
    finally:
        if mounted:
            subprocess.run(["umount", path], check=False, capture_output=True)
