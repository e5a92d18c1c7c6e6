"""Captures as far as they take of a conversation's allowance, and what may become of its tally."""

from __future__ import annotations

import contextlib
import os
import resource
from contextlib import nullcontext
from typing import TYPE_CHECKING

from capture_core.allowance import Allowance, Terms
from capture_core.directory import open_own
from capture_core.durable import NewFile, lock
from capture_core.limits import MIB, LimitFrom
from capture_core.namespace import new_capture_id
from capture_core.shared_tally import Place
from capture_core.tally import decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core.facts import AllowanceState


LIMIT = 1 * MIB
SHARE = LIMIT // 32
"""Of the allowance, for the sidecars of whoever is alone."""


class Tree:
    """An open conversation with one tool's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root, _ = open_own(str(path))
        self.outputs = self.root.step("tool-outputs")
        self.tool = self.outputs.step("shell")
        self.private = self.root.step(".capview")
        self.scratch = self.private.step("tmp")
        self.place = Place(private=self.private, outputs=self.outputs, scratch=self.scratch)

    @property
    def tally(self) -> Path:
        return self.path / ".capview" / "allowance" / "tally"

    def taken(self) -> int:
        tally = decode(self.tally.read_bytes())
        assert tally is not None
        return tally.taken

    def kept(self) -> int:
        return sum(file.stat().st_size for file in (self.path / "tool-outputs" / "shell").iterdir())

    def close(self) -> None:
        for directory in (self.scratch, self.private, self.tool, self.outputs, self.root):
            directory.close()


class Owner:
    """A capture of one stream, as far as it retains bytes."""

    def __init__(self, tree: Tree, *, limit: int = LIMIT, capture: int = 32 * MIB, asked: bool = False) -> None:
        self.capture = new_capture_id()
        self.place = tree.tool
        self.file = NewFile(tree.tool, tree.scratch, self.capture)
        lock(self.file.fd)
        self.file.publish(tree.tool, f"{self.capture}.stdout.live")
        terms = Terms(limit, capture, LimitFrom.ASKED if asked else LimitFrom.DEFAULT)
        self.allowance = Allowance(tree.place, self.capture, terms, nullcontext)
        self.unwritten = 0

    def reserve(self, size: int) -> int:
        given = self.allowance.take_text(size)
        self.unwritten += given
        return given

    def write(self) -> None:
        os.write(self.file.fd, bytes(self.unwritten))
        self.unwritten = 0

    def retain(self, size: int) -> int:
        given = self.reserve(size)
        self.write()
        return given

    def describe(self, size: int) -> int:
        given = self.allowance.take_sidecars(size)
        with open(f"/proc/self/fd/{self.place.fd}/{self.capture}.stdout.times", "ab") as sidecar:
            sidecar.write(bytes(given))
        return given

    def settle(self) -> None:
        self.allowance.settle(sum(map(self._size, ("live", "times"))))
        self.file.discard()

    def _size(self, form: str) -> int:
        try:
            return os.stat(f"{self.capture}.stdout.{form}", dir_fd=self.place.fd).st_size
        except FileNotFoundError:
            return 0

    def die(self) -> None:
        self.allowance.close()
        self.file.discard()

    def state(self) -> AllowanceState | None:
        facts = self.allowance.facts()
        return None if facts is None else facts.state

    def used(self) -> int | None:
        facts = self.allowance.facts()
        return None if facts is None else facts.used_bytes


@contextlib.contextmanager
def no_more_open_files(spare: int = 0) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The numbers below the limit that are free: those of what is open need not follow each other.
    free = [os.dup(0) for _ in range(spare + 1)]
    for fd in free:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def delete(tree: Tree) -> None:
    tree.tally.unlink()


def truncate(tree: Tree) -> None:
    os.truncate(tree.tally, 5)


def scribble(tree: Tree) -> None:
    tree.tally.write_bytes(os.urandom(500))


def of_another_version(tree: Tree) -> None:
    tree.tally.write_bytes(b"cvtally9" + tree.tally.read_bytes()[8:])


def put_another(tree: Tree) -> None:
    other = tree.tally.with_name("other")
    other.write_bytes(tree.tally.read_bytes())
    other.chmod(0o600)
    other.rename(tree.tally)


def remove_folder(tree: Tree) -> None:
    tree.tally.unlink()
    tree.tally.parent.rmdir()


DAMAGES = (delete, truncate, scribble, of_another_version, put_another, remove_folder)
