"""Captures of real commands, read again: as they were written, and with every kind of damage done to them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from capture_core.catalog import Catalogue
from capture_core.conversation import Conversation
from capture_core.limits import Limits
from capture_core.source import Entry
from capture_core.verify import Soundness, Verified, verify
from tests.captures import Owner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PRINTS = "printf '\\033[1mé漢\\n'; echo two >&2"


class Kept:
    """One capture of a real command, and its files."""

    def __init__(self, conversation: Path, limits: Limits = Limits(), command: str = PRINTS) -> None:  # noqa: B008
        self.conversation = conversation
        job = Conversation.open(str(conversation), limits=limits, slow_engine=True).start(["sh", "-c", command])
        receipt = job.wait()
        job.join()
        assert receipt is not None
        self.receipt = receipt
        self.folder = conversation / "tool-outputs" / "shell"

    def path(self, end: str) -> Path:
        path = self.folder / f"{self.receipt.capture_id}.{end}"
        path.chmod(0o600)
        return path

    def say(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the receipt."""
        plain = json.loads(self.path("json").read_text())
        change(plain)
        self.path("json").write_text(json.dumps(plain))

    def verify(self) -> Verified:
        catalogue = Catalogue(str(self.conversation))
        entry = catalogue.fresh(catalogue.names()[0])
        assert isinstance(entry, Entry)
        return verify(str(self.conversation), entry)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_what_was_written_is_ok_file_by_file(kept: Kept) -> None:
    found = kept.verify()
    assert (found.ref, found.soundness, found.words) == (kept.receipt.ref, Soundness.OK, "")
    ends = {finding.file.partition(".")[2] for finding in found.findings}
    assert ends == {"stdout.txt", "stdout.sgr", "stdout.times", "stderr.txt", "stderr.times"}


@pytest.mark.parametrize("limit", [5, 6, 7, 9])
def test_a_capture_that_was_cut_is_what_was_written(tmp_path: Path, limit: int) -> None:
    kept = Kept(tmp_path, Limits(capture_bytes=limit))
    assert kept.receipt.capture.reason == "quota"
    assert kept.verify().soundness is Soundness.OK


def test_exact_bytes_are_compared_too(tmp_path: Path) -> None:
    job = Conversation.open(str(tmp_path), slow_engine=True).start(["printf", "\\377\\0x"], raw_binary=True)
    job.wait()
    job.join()
    kept = Kept.__new__(Kept)
    kept.conversation, kept.folder = tmp_path, tmp_path / "tool-outputs" / "shell"
    assert kept.verify().soundness is Soundness.OK
    [file] = kept.folder.glob("*.stdout.bin")
    file.chmod(0o600)
    file.write_bytes(b"\xfe\0x")
    assert kept.verify().soundness is Soundness.DAMAGED


def shorten(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"!")


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"!")


def replace_by_link(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def replace_by_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("harm", "end", "soundness", "words"),
    [
        (shorten, "stdout.txt", Soundness.DAMAGED, "5 bytes, not the 6"),
        (lengthen, "stdout.txt", Soundness.DAMAGED, "7 bytes, not the 6"),
        (change, "stdout.txt", Soundness.DAMAGED, "not the bytes"),
        (replace_by_link, "stderr.txt", Soundness.DAMAGED, "link"),
        (replace_by_fifo, "stderr.txt", Soundness.DAMAGED, "not a regular file"),
        (os.unlink, "stderr.txt", Soundness.MISSING, "missing"),
        (shorten, "stdout.sgr", Soundness.DAMAGED, "not the 16"),
        (lengthen, "stdout.times", Soundness.DAMAGED, "not the 16"),
        (os.unlink, "stdout.times", Soundness.MISSING, "missing"),
    ],
)
def test_each_harm_is_found_and_named_by_its_file(
    kept: Kept, harm: Callable[[Path], None], end: str, soundness: Soundness, words: str
) -> None:
    harm(kept.path(end))
    found = kept.verify()
    [bad] = [finding for finding in found.findings if finding.soundness is not Soundness.OK]
    assert (found.soundness, bad.soundness, bad.file.partition(".")[2]) == (soundness, soundness, end)
    assert words in bad.words
    assert "\n" not in found.words


def test_a_final_receipt_that_says_pending_is_damaged(kept: Kept) -> None:
    kept.say(lambda plain: plain["capture"].update(state="pending"))
    assert kept.verify().soundness is Soundness.DAMAGED


def test_a_stream_without_a_digest_is_unproved_never_ok(kept: Kept) -> None:
    kept.say(lambda plain: plain["streams"]["stderr"].update(sha256=None))
    assert kept.verify().soundness is Soundness.UNPROVED


def test_a_failed_write_may_leave_a_part_of_a_code_point_and_no_more(kept: Kept) -> None:
    kept.say(lambda plain: plain["streams"]["stdout"].update(uncommitted=3))
    path = kept.path("stdout.txt")
    path.write_bytes(path.read_bytes() + b"\xe6\xbc")
    assert kept.verify().soundness is Soundness.OK
    path.write_bytes(path.read_bytes() + b"\xe6\xbc")
    assert kept.verify().soundness is Soundness.DAMAGED


@pytest.mark.parametrize(("lives", "words"), [(True, "still written"), (False, "died")])
def test_what_is_not_final_is_not_judged(tmp_path: Path, *, lives: bool, words: str) -> None:
    owner = Owner(tmp_path)
    if not lives:
        owner.release()
    catalogue = Catalogue(str(tmp_path))
    entry = catalogue.fresh(catalogue.names()[0])
    assert isinstance(entry, Entry)
    found = verify(str(tmp_path), entry)
    assert found.soundness is Soundness.NOT_FINAL
    assert words in found.words


def test_a_folder_that_vanished(kept: Kept) -> None:
    catalogue = Catalogue(str(kept.conversation))
    entry = catalogue.fresh(catalogue.names()[0])
    assert isinstance(entry, Entry)
    kept.folder.rename(kept.conversation / "elsewhere")
    assert verify(str(kept.conversation), entry).soundness is Soundness.MISSING
