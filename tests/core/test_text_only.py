"""Binary output of real commands is left out with a mark, text around it is sanitised, and every byte is counted."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core import Conversation, Receipt
from capture_core.facts import CaptureReason, CaptureState
from capture_core.limits import LIBRARY
from capture_core.limits.sanitising import BINARY_HEAD_BYTES
from capture_core.masking import EngineMasking
from tests.core.test_binary import BINARY, ENGLISH, NOISE, TEXT, png
from tests.cuts import places, three_ways

TOKEN = b"ghp_" + b"a1B2" * 9
MARK = b"[omitted: binary output, %s]"


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation.open(str(tmp_path / "conversation"))


def printed(conversation: Conversation, *argv: str) -> tuple[Receipt, bytes]:
    """The receipt of a command that ended, and its stdout as it was kept."""
    receipt = conversation.start(argv).wait()
    assert receipt is not None
    stdout = receipt.streams["stdout"]
    assert stdout.observed == (stdout.accepted or 0) + (stdout.pending or 0) + (stdout.discarded or 0)
    return receipt, Path(conversation.path, "tool-outputs", "shell", stdout.file).read_bytes()


def masked(parts: list[bytes]) -> bytes:
    stage = EngineMasking(LIBRARY).stage()
    fed, text = 0, b""
    for part in parts:
        text += stage.feed(part)
        fed += len(part)
        assert fed == stage.accepted + stage.held + stage.discarded
    text += stage.finish(eof=True)
    assert (fed, stage.held) == (stage.accepted + stage.discarded, 0)
    return text


def test_an_executable_is_left_out_and_the_receipt_says_so(conversation: Conversation) -> None:
    program = Path(sys.executable).resolve()
    receipt, text = printed(conversation, "cat", str(program))
    stdout = receipt.streams["stdout"]
    assert text == MARK % b"ELF file"
    assert (stdout.observed, stdout.accepted, stdout.discarded) == (program.stat().st_size, 0, program.stat().st_size)
    assert (stdout.state, stdout.reason) == (CaptureState.PARTIAL, CaptureReason.BINARY_OMITTED)
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.BINARY_OMITTED)
    assert receipt.streams["stderr"].state is CaptureState.COMPLETE
    assert receipt.representation.omitted_fragments == 1
    assert receipt.preview["stdout"].omitted_bytes == 0


def test_compressed_output_of_a_pipeline_is_left_out(conversation: Conversation) -> None:
    receipt, text = printed(conversation, "sh", "-c", "seq 100000 | gzip -c; echo packed >&2")
    assert text == MARK % b"gzip data"
    assert receipt.streams["stdout"].accepted == 0


def test_one_byte_at_a_time_it_is_the_same(conversation: Conversation, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(png())
    slowly = "import os,sys\nfor byte in open(sys.argv[1],'rb').read(): os.write(1, bytes([byte]))"
    assert printed(conversation, sys.executable, "-c", slowly, str(tmp_path / "image"))[1] == MARK % b"PNG image"


def test_a_list_with_nuls_is_text(conversation: Conversation, tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"file{number:02}.c").touch()
    receipt, text = printed(conversation, "find", str(tmp_path), "-name", "*.c", "-print0")
    assert text.count(b".c") == 50
    assert receipt.capture.state is CaptureState.COMPLETE


def test_a_prompt_is_committed_while_its_command_waits(conversation: Conversation, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    subprocess.run(["mkfifo", fifo], check=True)
    job = conversation.start(["sh", "-c", f"printf 'Continue? [y/N] '; read answer < {fifo}"])
    live = Path(conversation.path, f"{job.ref}.stdout.live")
    while live.read_bytes() != b"Continue? [y/N] ":
        assert job.wait(0.01) is None
    fifo.write_text("y\n")
    assert job.wait() is not None


def test_a_build_log_goes_on_behind_an_image(conversation: Conversation, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(png() * 3)
    (tmp_path / "log").write_bytes(ENGLISH)
    receipt, text = printed(conversation, "sh", "-c", f"cd {tmp_path}; cat log image log")
    assert text.startswith(ENGLISH)
    assert text.count(MARK % b"unknown kind") == 1
    assert text.endswith(ENGLISH[-15_000:])
    assert receipt.capture.reason is CaptureReason.BINARY_OMITTED


def test_a_value_that_has_begun_is_masked_where_binary_cuts_it() -> None:
    integers = struct.pack("<200i", *range(200))
    text = masked([ENGLISH + b"PASSWORD=" + TOKEN[4:20] + integers + ENGLISH])
    assert b"PASSWORD=[redacted:assignment]" + (MARK % b"unknown kind") in text


def test_values_behind_it_are_masked() -> None:
    text = masked([ENGLISH + png() * 2 + ENGLISH + TOKEN + b"\n"])
    assert text.endswith(b"dog\n[redacted:gh-token]\n")


pieces = st.lists(
    st.sampled_from([ENGLISH[:4200], TOKEN, b"\n", b"PASSWORD=", NOISE[:1500], b"\x1b[31m", b"\xc3", bytes(9), png()]),
    max_size=4,
).map(b"".join)


@settings(max_examples=25)
@given(pieces, places)
def test_any_cuts_give_the_same_text(raw: bytes, at: list[int]) -> None:
    assert len({masked(parts) for parts in three_ways(raw, at)}) == 1


@pytest.mark.parametrize("raw", [*BINARY.values(), *TEXT.values()], ids=[*BINARY, *TEXT])
def test_every_byte_is_counted(raw: bytes) -> None:
    masked([raw])


def test_the_receipt_on_disk_says_it_too(conversation: Conversation) -> None:
    receipt, _ = printed(conversation, "head", "-c", "100000", str(Path(sys.executable).resolve()))
    stored = json.loads(Path(conversation.path, f"{receipt.ref}.json").read_text())
    assert stored["capture"] == {"state": "partial", "reason": "binary-omitted"}
    assert stored["representation"]["kind"] == "redacted-utf8"


@given(
    parts=st.lists(
        st.sampled_from([b"plain\n", b"\x1b[1mbold", b"\xc3", b"\xa9", b"gh", TOKEN[2:], b"\x1b", b"\0\3", b"_\b"])
    ),
    at=places,
)
def test_plain_blocks_behind_the_first_bytes_are_no_shortcut_past_a_stage(parts: list[bytes], at: list[int]) -> None:
    """What is plain ASCII passes the decoder and the stripper unlooked at, unless one of them holds something."""
    lead = b"a line of text\n" * (BINARY_HEAD_BYTES // 10)
    text = b"".join(parts)
    expected = masked([lead + text])
    assert masked([lead, *parts]) == expected
    assert all(masked([lead, *cut]) == expected for cut in three_ways(text, at))
