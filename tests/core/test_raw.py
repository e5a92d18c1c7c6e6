"""Exact bytes under ``raw_binary``: equal to the child's, cut anywhere, claimed to be nothing else."""

from __future__ import annotations

import hashlib
import json
import resource
import signal
import sys
from pathlib import Path

import pytest

from capture_core import Conversation, Limits, Receipt
from capture_core.budget import Budget
from capture_core.directory import open_own
from capture_core.durable import NewFile
from capture_core.facts import CaptureReason, CaptureState, RepresentationKind
from capture_core.handoff import ReaderCounts
from capture_core.raw import Raw
from capture_core.spool import Spool
from tests.core.test_binary import ENGLISH, NOISE, png

TOKEN = "ghp_" + "a1B2" * 9


def kept(place: Path, *argv: str, limits: Limits | None = None) -> tuple[Receipt, bytes]:
    """The receipt of a command that ended, and its stdout as it was kept."""
    conversation = Conversation.open(str(place / "conversation"), limits=Limits() if limits is None else limits)
    receipt = conversation.start(argv, raw_binary=True).wait()
    assert receipt is not None
    return receipt, (place / "conversation/tool-outputs/shell" / receipt.streams["stdout"].file).read_bytes()


def executable() -> bytes:
    return Path(sys.executable).resolve().read_bytes()


@pytest.mark.parametrize("raw", [png(), executable(), NOISE, ENGLISH, b"", b"\xe2\x82"], ids=range(6))
def test_the_bytes_are_the_childs(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "file").write_bytes(raw)
    receipt, data = kept(tmp_path, "cat", str(tmp_path / "file"))
    stdout = receipt.streams["stdout"]
    assert data == raw
    assert stdout.file == f"{receipt.capture_id}.stdout.bin"
    assert stdout.sha256 == hashlib.sha256(raw).hexdigest()
    assert (stdout.observed, stdout.accepted, stdout.retained, stdout.end) == (len(raw),) * 4
    assert (stdout.lines, stdout.final_newline) == (None, None)
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.COMPLETE, None)


def test_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    receipt, _ = kept(tmp_path, "printf", "hi")
    assert receipt.representation.kind is RepresentationKind.BINARY
    assert (receipt.representation.transforms, receipt.representation.redactions) == ((), {})
    assert receipt.preview == {}
    names = {path.name for path in (tmp_path / "conversation/tool-outputs/shell").iterdir()}
    assert {f"{receipt.capture_id}.{end}" for end in ("json", "stderr.bin", "stdout.bin")} <= names
    assert not [name for name in names if name.endswith(("txt", "live", "live.json"))]


def test_the_live_receipt_names_the_kind(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path))
    job = conversation.start(["sh", "-c", "read line < /dev/null; kill -STOP $$"], raw_binary=True)
    live = json.loads(Path(conversation.path, f"{job.ref}.live.json").read_text())
    assert live["representation"]["kind"] == "binary"
    job.cancel()
    assert job.wait() is not None


def test_output_is_not_masked_and_the_label_is(tmp_path: Path) -> None:
    receipt, data = kept(tmp_path, "printf", "%s", TOKEN)
    assert data == TOKEN.encode()
    assert receipt.label == "printf %s [redacted:gh-token]"


def test_a_limit_cuts_at_the_byte(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes("€".encode() * 1000)
    receipt, data = kept(tmp_path, "cat", str(tmp_path / "file"), limits=Limits(capture_bytes=100))
    stdout = receipt.streams["stdout"]
    assert data == ("€".encode() * 1000)[:100]
    assert (stdout.retained, stdout.uncommitted, stdout.observed) == (100, 2900, 3000)
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.QUOTA)
    assert receipt.preview == {}


def test_a_write_that_falls_short_keeps_every_byte_that_was_written(tmp_path: Path) -> None:
    directory, _ = open_own(str(tmp_path))
    file = NewFile(directory, directory, "scratch")
    spool = Spool("stdout", "x", file, Budget(10**6), Limits(), Raw, is_raw=True)
    limit, before = 1001, resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        spool.feed("€".encode() * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    facts = spool.facts(ReaderCounts(observed=3000))
    assert (facts.retained, facts.uncommitted, facts.accepted) == (1001, 1999, 3000)
    assert facts.reason is CaptureReason.WRITE_ERROR
    file.discard()
    directory.close()
