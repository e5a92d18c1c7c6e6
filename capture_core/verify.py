"""Final captures read again: whether each file still holds what the receipt says that was written."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from capture_core.descend import open_file, tool_folder
from capture_core.errors import PlaceRefused
from capture_core.facts import CaptureState, Liveness, SidecarState
from capture_core.limits.capturing import SEAL_BLOCK_BYTES
from capture_core.limits.sanitising import MOST_TORN_BYTES
from capture_core.liveness import hold
from capture_core.look import open_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.facts import Receipt, SidecarFacts, StreamFacts
    from capture_core.source import Entry


class Soundness(StrEnum):
    """What reading again showed."""

    OK = "ok"
    """Every file has the size that the receipt says, and every stream its digest; of sidecars no digest is made."""
    UNPROVED = "unproved"
    """The receipt gives no digest: sealing failed when it was written, and that is why it is not complete."""
    NOT_FINAL = "not-final"
    """Nothing is promised yet, or the owner died before it could be."""
    MISSING = "missing"
    """A file is not there."""
    DAMAGED = "damaged"
    """A file, or the receipt, does not hold what was written."""


_WORST_LAST: Final = tuple(Soundness)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one file, or of a whole capture (``file`` is empty); ``words`` say why it is not ok."""

    file: str
    soundness: Soundness
    words: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """A capture and its files.  ``soundness`` is that of the worst."""

    ref: str
    findings: tuple[Finding, ...]

    @property
    def soundness(self) -> Soundness:
        """The worst of all findings; ok where there is no file to be found wrong."""
        return max((finding.soundness for finding in self.findings), key=_WORST_LAST.index, default=Soundness.OK)

    @property
    def words(self) -> str:
        """Why it is not ok, file by file, in one line."""
        told = (finding for finding in self.findings if finding.words)
        return "; ".join(f"{finding.file}: {finding.words}".removeprefix(": ") for finding in told)


def verify(conversation: str, entry: Entry) -> Verified:
    """Read every file of a final capture in the conversation at this path, and compare it with the receipt.

    Never raises for what it finds.  Each file is kept from being pruned while it is read.
    """
    receipt = entry.receipt
    if entry.liveness is not Liveness.FINAL:
        return Verified(receipt.ref, (Finding("", Soundness.NOT_FINAL, _why_not_final(entry.liveness)),))
    try:
        with tool_folder(conversation, receipt.tool) as folder:
            findings = (_gone(receipt),) if folder is None else tuple(_findings(folder, receipt))
    except PlaceRefused as error:
        findings = (Finding("", Soundness.DAMAGED, str(error)),)
    return Verified(receipt.ref, findings)


def _why_not_final(liveness: Liveness) -> str:
    match liveness:
        case Liveness.LIVE:
            return "it is still written"
        case Liveness.OWNER_DIED:
            return "its owner died before the end"
        case Liveness.UNKNOWN:
            return "nobody here can tell whether its owner lives"
        case Liveness.FINAL:
            return ""


def _gone(receipt: Receipt) -> Finding:
    return Finding("", Soundness.MISSING, f"the folder of {receipt.tool} is not there")


def _findings(folder: int, receipt: Receipt) -> Iterator[Finding]:
    if receipt.capture.state is CaptureState.PENDING:
        yield Finding("", Soundness.DAMAGED, "its final receipt says that it is still written")
    for stream, facts in receipt.streams.items():
        yield _tried(facts.file, partial(_stream, folder, receipt, stream, facts))
        for sidecar in facts.sidecars.values():
            if sidecar.file is not None:
                yield _tried(sidecar.file, partial(_sidecar, folder, sidecar.file, sidecar))


def _tried(file: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except (PlaceRefused, OSError) as error:
        return Finding(file, Soundness.DAMAGED, f"cannot be read ({error})")


def _stream(folder: int, receipt: Receipt, stream: str, facts: StreamFacts) -> Finding:
    if (fd := open_stream(folder, receipt, stream)) is None:
        return Finding(facts.file, Soundness.MISSING, "is missing")
    with _held(fd):
        return _compared(fd, facts)


def _compared(fd: int, facts: StreamFacts) -> Finding:
    size, end = os.fstat(fd).st_size, facts.end
    # A write that failed may have left a part of a code point behind.
    if end is not None and not end <= size <= end + (MOST_TORN_BYTES if facts.uncommitted else 0):
        return Finding(facts.file, Soundness.DAMAGED, f"{size} bytes, not the {end} that were written")
    if end is None or facts.sha256 is None:
        return Finding(facts.file, Soundness.UNPROVED, "no digest was made of it")
    if (digest := _digest(fd, end)) != facts.sha256:
        return Finding(facts.file, Soundness.DAMAGED, f"not the bytes that were written (their SHA-256 is {digest})")
    return Finding(facts.file, Soundness.OK)


def _digest(fd: int, end: int) -> str:
    digest, start = sha256(), 0
    buffer = memoryview(bytearray(SEAL_BLOCK_BYTES))
    while start < end and (read := os.preadv(fd, [buffer[: end - start]], start)):
        digest.update(buffer[:read])
        start += read
    return digest.hexdigest()


def _sidecar(folder: int, name: str, facts: SidecarFacts) -> Finding:
    fd = open_file(folder, name)
    if fd is None:
        return Finding(name, Soundness.MISSING, "is missing")
    with _held(fd):
        size = os.fstat(fd).st_size
    if size == facts.retained or (size > facts.retained and facts.state is SidecarState.FAILED):
        return Finding(name, Soundness.OK)
    return Finding(name, Soundness.DAMAGED, f"{size} bytes, not the {facts.retained} that were written")


@contextmanager
def _held(fd: int) -> Iterator[None]:
    """Keep the file from being pruned meanwhile; then close it."""
    try:
        hold(fd)
        yield
    finally:
        os.close(fd)
