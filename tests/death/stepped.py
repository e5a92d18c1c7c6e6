"""An owner in a process of its own, stopped before any of the calls by which it changes its disk, or recorded in full.

Calls are stopped and recorded where Python makes them, in the process that makes them: what they do is real.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
import struct
import threading
import traceback
import warnings
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from capture_core import durable
from capture_core.conversation import Conversation
from capture_core.limits import LIBRARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from capture_core.limits import Limits

PRINTS = "printf 'é1\\033[1m漢\\nAPI_KEY=0123456789abcdef\\n'; printf 'x' >&2; exit 3"
"""What the command of an owner does when nothing else is said."""

STDOUT = "é1漢\nAPI_KEY=[redacted:assignment]\n".encode()
STDERR = b"x"

_BY_DESCRIPTOR = ("fsync", "fdatasync", "fchmod", "ftruncate", "posix_fallocate", "write", "pwrite")
_BY_NAME = ("mkdir", "link", "unlink", "rmdir", "rename", "replace", "open", "chmod")


class Call(NamedTuple):
    """A call that changes the disk, as it was made: ``inode`` is that of the file that it was made on."""

    name: str
    inode: int
    arguments: tuple[Any, ...] = ()


class Watch(Protocol):
    """Whoever is told of each call before it is made, and makes it; one at a time, whichever thread it is of."""

    def made(self, name: str, make: Callable[[], Any], describe: Callable[[Any], Call]) -> Any:  # noqa: ANN401
        """Make the call; what it gives."""


def run_job(
    conversation: Path,
    command: str = PRINTS,
    *,
    limits: Limits = LIBRARY,
    raw_binary: bool = False,
    slow_engine: bool = True,
) -> None:
    """Own one job to its end."""
    place = Conversation.open(str(conversation), limits=limits, slow_engine=slow_engine)
    job = place.start(["sh", "-c", command], raw_binary=raw_binary)
    job.wait()
    job.join()


def forked(work: Callable[[], object]) -> int:
    """The process id of a fork that does ``work`` and ends."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 — nobody is above
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def end_of(pid: int) -> int:
    """The exit code of a fork; negative for the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class StoppedOwner:
    """An owner that stops for good before its call of this number, counted from 0; to be killed."""

    def __init__(self, conversation: Path, number: int, work: Callable[[], object]) -> None:
        heard, self._told = os.pipe()
        self._gate, self._hold = os.pipe()
        self.pid = forked(partial(self._own, conversation, number, work))
        os.close(self._told)
        with open(heard, "rb") as answer:
            self.before = answer.readline().decode().strip()
        """The call that it stopped before; nothing when it came to its end."""

    def kill(self) -> None:
        """SIGKILL; wait until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._gate)
        os.close(self._hold)

    def _own(self, conversation: Path, number: int, work: Callable[[], object]) -> None:
        os.close(self._hold)
        watch(conversation, _Stop(number, self._told, self._gate))
        work()


class _Stop:
    def __init__(self, number: int, told: int, gate: int) -> None:
        self._left = number
        self._told = told
        self._gate = gate
        self._lock = threading.Lock()
        self._write, self._read = os.write, os.read

    def made(self, name: str, make: Callable[[], Any], describe: Callable[[Any], Call]) -> Any:  # noqa: ANN401
        # All threads stop: who comes later waits for the lock.
        with self._lock:
            if self._left == 0:
                self._write(self._told, f"{name}\n".encode())
                self._read(self._gate, 1)
            self._left -= 1
            return make()


def recorded(conversation: Path, work: Callable[[], object]) -> list[Call]:
    """All calls by which an owner changed its disk, in the order in which it made them."""
    read, write = os.pipe()

    def own() -> None:
        record = _Record()
        watch(conversation, record)
        work()
        record.send(write)

    pid = forked(own)
    os.close(write)
    with open(read, "rb") as answer:
        calls: list[Call] = pickle.load(answer)  # noqa: S301 — our own fork's
    assert end_of(pid) == 0
    return calls


class _Record:
    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = threading.Lock()
        self._write = os.write

    def made(self, name: str, make: Callable[[], Any], describe: Callable[[Any], Call]) -> Any:  # noqa: ANN401
        with self._lock:
            given = make()
            self._calls.append(describe(given))
            return given

    def send(self, fd: int) -> None:
        data = pickle.dumps(self._calls)
        while data:
            data = data[self._write(fd, data) :]


# -- where the calls are made ---------------------------------------------------------------------------------------


def watch(conversation: Path, told: Watch) -> None:
    """From now on, in this process, tell of every call that changes something in the conversation, or makes it."""
    place = os.path.dirname(os.path.abspath(conversation))
    for name in _BY_DESCRIPTOR:
        setattr(os, name, partial(_by_descriptor, getattr(os, name), name, place, told))
    for name in _BY_NAME:
        wrapped = partial(_by_name, getattr(os, name), name, place, told)
        # Whoever asks whether the platform has it gets the true answer.
        os.supports_dir_fd.add(wrapped)
        setattr(os, name, wrapped)
    fcntl.fcntl = partial(_lock, fcntl.fcntl, place, told)
    durable._renameat2 = partial(_renameat2, durable._renameat2, told)


def _by_descriptor(real: Callable[..., Any], name: str, place: str, told: Watch, fd: int, *rest: Any) -> Any:  # noqa: ANN401
    if not _is_below(fd, place):
        return real(fd, *rest)
    inode = os.fstat(fd).st_ino
    at = os.lseek(fd, 0, os.SEEK_CUR) if name == "write" else rest[-1] if name == "pwrite" else 0
    kept = tuple(bytes(each) if isinstance(each, memoryview) else each for each in rest)

    def describe(given: Any) -> Call:  # noqa: ANN401
        return Call("write", inode, (at, kept[0][:given])) if "write" in name else Call(name, inode, kept)

    return told.made(name, lambda: real(fd, *rest), describe)


def _by_name(real: Callable[..., Any], name: str, place: str, told: Watch, *given: Any, **named: Any) -> Any:  # noqa: ANN401
    if name == "open" and not given[1] & (os.O_CREAT | os.O_TMPFILE & ~os.O_DIRECTORY):
        return real(*given, **named)
    folder = next((named[key] for key in ("dir_fd", "dst_dir_fd", "src_dir_fd") if named.get(key) is not None), None)
    path = given[1] if name in ("link", "replace", "rename") else given[0]
    if not (str(path).startswith((place, "/proc/self/fd/")) if folder is None else _is_below(folder, place)):
        return real(*given, **named)
    source = _source(name, given)
    return told.made(name, lambda: real(*given, **named), lambda made: _named(name, given, named, made, source))


def _source(name: str, given: tuple[Any, ...]) -> int:
    """The inode that a call by /proc is made on."""
    if name in ("link", "chmod") and str(given[0]).startswith("/proc/self/fd/"):
        return os.stat(given[0]).st_ino
    return 0


def _named(name: str, given: tuple[Any, ...], named: dict[str, Any], made: Any, source: int) -> Call:  # noqa: ANN401
    """Describe a call that has been made: folders by their inodes."""
    match name:
        case "open":
            is_named = given[1] & os.O_CREAT
            return Call(name, os.fstat(made).st_ino, (_folder(named["dir_fd"]), given[0]) if is_named else ())
        case "mkdir" | "unlink" | "rmdir":
            folder, base = _parent(given[0], named.get("dir_fd"))
            inode = os.stat(given[0], dir_fd=named.get("dir_fd")).st_ino if name == "mkdir" else 0
            return Call(name, inode, (folder, base))
        case "link":
            if source:
                return Call(name, source, (_folder(named["dst_dir_fd"]), given[1]))
            inode = os.stat(given[1], dir_fd=named["dst_dir_fd"]).st_ino
            return Call(name, inode, (_folder(named["dst_dir_fd"]), given[1]))
        case "replace" | "rename":
            ends = (_folder(named["src_dir_fd"]), given[0], _folder(named["dst_dir_fd"]), given[1])
            return Call("replace", os.stat(given[1], dir_fd=named["dst_dir_fd"]).st_ino, ends)
        case _:
            return Call(name, source, given[1:])


def _parent(path: str, dir_fd: int | None) -> tuple[int, str]:
    if dir_fd is not None:
        return _folder(dir_fd), path
    return os.stat(os.path.dirname(path)).st_ino, os.path.basename(path)


def _folder(fd: int) -> int:
    return os.fstat(fd).st_ino


def _lock(real: Callable[..., Any], place: str, told: Watch, fd: int, command: int, *rest: Any) -> Any:  # noqa: ANN401
    if command != fcntl.F_OFD_SETLK or not _is_below(fd, place):
        return real(fd, command, *rest)
    inode, kind = os.fstat(fd).st_ino, struct.unpack("hhqqi4x", rest[0])[0]
    name = "unlock" if kind == fcntl.F_UNLCK else "lock"
    return told.made(name, lambda: real(fd, command, *rest), lambda _: Call(name, inode))


def _renameat2(real: Callable[..., bool], told: Watch, source: int, name: str, target: int, new_name: str) -> bool:
    def describe(_: object) -> Call:
        inode = os.stat(new_name, dir_fd=target).st_ino
        return Call("replace", inode, (_folder(source), name, _folder(target), new_name))

    done: bool = told.made("renameat2", lambda: real(source, name, target, new_name), describe)
    return done


def _is_below(fd: int, place: str) -> bool:
    try:
        path = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return False
    return path.startswith(place)


@contextmanager
def host(work: Callable[[], object]) -> Iterator[int]:
    """A process that does ``work``, for as long as the block; its id."""
    pid = forked(work)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
