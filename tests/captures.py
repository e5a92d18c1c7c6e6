"""Captures step by step, so that a test can look between any two: written as the format page says, or of a child."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import signal
import struct
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.catalog import Catalogue, Name
from capture_core.facts import (
    CaptureFacts,
    CaptureState,
    ProcessFacts,
    ProcessState,
    Producer,
    Receipt,
    RepresentationFacts,
    StreamFacts,
    TimeFacts,
)
from capture_core.liveness import here
from capture_core.receipt import encode
from capture_core.source import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from capture_core.running import RunningJob

RUNNING = ProcessFacts(state=ProcessState.RUNNING, pid=4242)
EXITED = ProcessFacts(state=ProcessState.EXITED, pid=4242, exit_code=0)
FAILED = ProcessFacts(state=ProcessState.EXITED, pid=4242, exit_code=2)
PENDING = CaptureFacts(state=CaptureState.PENDING)
COMPLETE = CaptureFacts(state=CaptureState.COMPLETE)

_count = 0


def new_id(second: int = 0) -> str:
    """A capture id; ids of a later ``second`` are newer, within one they come in the order of the calls."""
    global _count  # noqa: PLW0603 — ids must differ within one test run
    _count += 1
    digits = "".join("abcdefghijklmnopqrstuvwxyz234567"[(_count >> shift) & 31] for shift in (15, 10, 5, 0))
    return f"20261130T12{second // 60:02}{second % 60:02}Z-{digits}{'q' * 12}"


class Owner:
    """The writing side of one capture, in this process: to a reader its lock is like any other process's."""

    def __init__(
        self,
        conversation: Path,
        *,
        capture: str | None = None,
        tool: str = "shell",
        streams: tuple[str, ...] = ("stdout", "stderr"),
        label: str | None = "make -j8",
        host: str | None = None,
        boot_id: str | None = None,
        announce: bool = True,
        has_digest: bool = False,
    ) -> None:
        self.has_digest = has_digest
        self.id = new_id() if capture is None else capture
        self.folder = conversation / "tool-outputs" / tool
        self.folder.mkdir(parents=True, exist_ok=True)
        self.fds: dict[str, int] = {}
        for stream in streams:
            self._make(stream)
        self.receipt = Receipt(
            capture_id=self.id,
            tool=tool,
            ref=names.ref(tool, self.id),
            conversation=ascii(conversation.name)[1:-1],
            producer=Producer(adapter="test", version="0", source="pipe"),
            host=here().host if host is None else host,
            boot_id=here().boot_id if boot_id is None else boot_id,
            process=RUNNING,
            capture=PENDING,
            representation=RepresentationFacts(),
            streams={stream: StreamFacts(file=self.live(stream)) for stream in streams},
            times=TimeFacts(started="2026-11-30T12:00:00.000000Z"),
            label=label,
        )
        if announce:
            self.announce()

    @property
    def ref(self) -> str:
        """The capture's ref."""
        return self.receipt.ref

    def live(self, stream: str) -> str:
        """The name of a stream's live file."""
        return names.live_stream_file(self.id, stream)

    def path(self, stream: str) -> Path:
        """Where a stream's file is now."""
        live = self.folder / self.live(stream)
        return live if live.exists() else self.folder / names.final_stream_file(self.id, stream)

    def append(self, stream: str, data: bytes) -> None:
        """Commit bytes."""
        os.write(self.fds[stream], data)

    def announce(self, receipt: Receipt | None = None) -> None:
        """Replace the live receipt, atomically."""
        self.receipt = self.receipt if receipt is None else receipt
        self._put(names.live_receipt_file(self.id))

    def say(self, process: ProcessFacts, capture: CaptureFacts) -> None:
        """Announce other states."""
        self.announce(replace(self.receipt, process=process, capture=capture))

    def finish(self, process: ProcessFacts = EXITED, capture: CaptureFacts = COMPLETE) -> None:
        """Take every step to the end, in order."""
        self.rename_streams()
        self.publish(process, capture)
        self.unlink_live()
        self.release()

    def rename_streams(self) -> None:
        """First step of the end."""
        for stream in self.fds:
            (self.folder / self.live(stream)).rename(self.folder / names.final_stream_file(self.id, stream))

    def publish(self, process: ProcessFacts = EXITED, capture: CaptureFacts = COMPLETE) -> None:
        """Second step: the final receipt."""
        streams = {name: self._settled(name, fd, capture) for name, fd in self.fds.items()}
        times = replace(self.receipt.times, ended="2026-11-30T12:00:02.500000Z", duration_seconds=2.5)
        self.receipt = replace(self.receipt, process=process, capture=capture, streams=streams, times=times)
        self._put(names.final_receipt_file(self.id))

    def unlink_live(self) -> None:
        """Third step."""
        (self.folder / names.live_receipt_file(self.id)).unlink()

    def release(self) -> None:
        """Last step; alone, what the kernel does when an owner is killed."""
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}

    def _put(self, name: str) -> None:
        scratch = self.folder / f".{self.id}.tmp"
        scratch.write_bytes(encode(self.receipt))
        scratch.replace(self.folder / name)

    def _make(self, stream: str) -> None:
        self.fds[stream] = fd = os.open(self.folder, os.O_TMPFILE | os.O_RDWR, 0o600)
        fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        folder = os.open(self.folder, os.O_RDONLY)
        # Without a directory descriptor Python calls link(2), which does not follow /proc's link.
        os.link(f"/proc/self/fd/{fd}", self.live(stream), dst_dir_fd=folder, follow_symlinks=True)
        os.close(folder)

    def _settled(self, stream: str, fd: int, capture: CaptureFacts) -> StreamFacts:
        size = os.fstat(fd).st_size
        return replace(
            self.receipt.streams[stream],
            file=names.final_stream_file(self.id, stream),
            state=capture.state,
            reason=capture.reason,
            observed=size,
            accepted=size,
            retained=size,
            end=size,
            eof=True,
            sha256=_digest(fd) if self.has_digest else None,
        )


def _digest(fd: int) -> str:
    with open(fd, "rb", closefd=False) as file:
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()


def entry_of(conversation: Path, owner: Owner) -> Entry:
    """A capture as a reader sees it now."""
    found = Catalogue(str(conversation)).fresh(Name(owner.receipt.tool, owner.id))
    assert isinstance(found, Entry), found
    return found


def finished(
    conversation: Path,
    stdout: bytes = b"out\n",
    stderr: bytes = b"",
    *,
    second: int = 0,
    label: str | None = "make -j8",
    process: ProcessFacts = EXITED,
    capture: CaptureFacts = COMPLETE,
    tool: str = "shell",
    has_digest: bool = False,
) -> Owner:
    """A whole capture of a command that ended; ``has_digest``: its receipt has that of each stream, as real ones do."""
    owner = Owner(conversation, capture=new_id(second), label=label, tool=tool, has_digest=has_digest)
    owner.append("stdout", stdout)
    owner.append("stderr", stderr)
    owner.finish(process, capture)
    return owner


_RELAY = 'cat "$1" & cat "$2" >&2 & read end < "$3"; [ "$end" = leave ] || wait'


class Relay:
    """A job whose child prints what it is told to, piece by piece, and ends as it is told to.

    To be closed when it has not ended, in whichever way: its child waits for that.
    """

    def __init__(self, start: Callable[[Sequence[str]], RunningJob], folder: Path) -> None:
        """``start`` is given the command; ``folder``: a place for pipes."""
        pipes = [str(folder / name) for name in ("stdout", "stderr", "end")]
        for pipe in pipes:
            os.mkfifo(pipe)
        self.job = start(["sh", "-c", _RELAY, "sh", *pipes])
        *prints, self._end = (os.open(pipe, os.O_WRONLY) for pipe in pipes)
        self._prints = dict(zip(("stdout", "stderr"), prints, strict=True))
        self._printed: Counter[str] = Counter()
        self._spools = self.job._job.capture.spools

    def print(self, stream: str, piece: bytes) -> None:
        """Have the child print."""
        os.write(self._prints[stream], piece)
        self._printed[stream if stream in self._spools else "output"] += len(piece)

    def wait_until_taken(self) -> None:
        """Wait until the owner has looked at all that was printed."""
        for stream, size in self._printed.items():
            while self._taken(stream) < size:
                assert self.job.wait(0.0005) is None

    def finish(self) -> None:
        """Let the child end."""
        self._close()
        self._say(b"wait\n")

    def leave(self) -> None:
        """Let the child end, and leave behind what still holds its pipes; that ends with :meth:`close`."""
        self._say(b"leave\n")

    def kill(self) -> None:
        """End all of the child's group with SIGKILL."""
        os.killpg(self.job.pid, signal.SIGKILL)

    def close(self) -> None:
        """Let go of everything, and wait until nothing is left of the job."""
        self._close()
        self._say(b"")
        self.job.join()

    def _taken(self, stream: str) -> int:
        stage = self._spools[stream].stage
        return 0 if stage is None else stage.accepted + stage.held + stage.discarded

    def _close(self) -> None:
        for pipe in self._prints.values():
            os.close(pipe)
        self._prints = {}

    def _say(self, word: bytes) -> None:
        if self._end >= 0:
            # Whoever was killed reads no more.
            with contextlib.suppress(BrokenPipeError):
                os.write(self._end, word)
            os.close(self._end)
            self._end = -1
