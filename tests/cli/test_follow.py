"""``capview follow``: a capture as it grows, in another process, and the exit code that comes out."""

from __future__ import annotations

import os
import pty
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, ProcessFacts, ProcessState
from tests.captures import EXITED, FAILED, Owner, finished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.commands import Here

KILLED = ProcessFacts(state=ProcessState.EXITED, signal=9)
SAVED = ProcessFacts(state=ProcessState.NONE)
NOBODY_KNOWS = ProcessFacts(state=ProcessState.EXITED)


@contextmanager
def following(conversation: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    words = ["capview", "follow", "@last", "--conversation", str(conversation), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def line(child: subprocess.Popen[bytes]) -> bytes:
    assert child.stdout
    return child.stdout.readline()


def test_across_the_change_to_final_each_stream_to_its_own(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"first\n")
    with following(tmp_path) as child:
        assert line(child) == b"first\n"
        owner.append("stdout", b"second\n")
        assert line(child) == b"second\n"
        owner.append("stderr", b"problem\n")
        owner.append("stdout", b"last without newline")
        owner.finish(FAILED)
        out, err = child.communicate()
    assert (child.returncode, out, err) == (2, b"last without newline", b"problem\n")


def test_the_last_lines_of_what_was_there_before_or_the_whole(here: Here, tmp_path: Path) -> None:
    text = b"".join(b"%d\n" % n for n in range(100))
    finished(tmp_path, text)
    assert here("follow", "@last")[1] == b"".join(b"%d\n" % n for n in range(90, 100))
    assert here("follow", "@last", "--tail", "1")[1] == b"99\n"
    assert here("follow", "@last", "--tail", "0")[1] == b""
    assert here("follow", "@last", "--whole")[1] == text


@pytest.mark.parametrize(
    ("process", "code", "words"),
    [(EXITED, 0, b""), (FAILED, 2, b""), (KILLED, 137, b""), (SAVED, 0, b""), (NOBODY_KNOWS, 1, b"is unknown")],
)
def test_exit_codes(here: Here, tmp_path: Path, process: ProcessFacts, code: int, words: bytes) -> None:
    finished(tmp_path, process=process)
    found, out, err = here("follow", "@last")
    assert (found, out) == (code, b"out\n")
    assert words in err


def test_an_owner_that_dies_is_an_end_with_a_word(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"first\n")
    with following(tmp_path) as child:
        assert line(child) == b"first\n"
        owner.append("stdout", b"the very last")
        owner.release()
        out, err = child.communicate()
    assert (child.returncode, out) == (1, b"the very last")
    assert b"its owner died; end unknown, log cut: its owner died" in err


def test_more_than_one_page_is_printed_whole(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    text = os.urandom(5 << 20).hex().encode()
    with following(tmp_path, "--whole") as child:
        owner.append("stdout", text)
        owner.finish()
        out, _ = child.communicate()
    assert out == text


def test_a_stream_that_vanishes_is_told_and_the_end_is_still_seen(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"first\n")
    with following(tmp_path) as child:
        assert line(child) == b"first\n"
        owner.path("stdout").unlink()
        assert child.stderr
        assert b"deleted or replaced" in child.stderr.readline()
        owner.append("stderr", b"")
        (owner.folder / f"{owner.id}.stderr.live").rename(owner.folder / f"{owner.id}.stderr.txt")
        owner.publish(EXITED, CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DAMAGED))
        owner.release()
        child.communicate()
    assert child.returncode == 0


def test_another_machines_capture_is_waited_for_with_a_word(tmp_path: Path) -> None:
    owner = Owner(tmp_path, host="far", boot_id="far")
    fds, owner.fds = owner.fds, {}
    for fd in fds.values():
        os.close(fd)
    with following(tmp_path) as child:
        assert child.stderr
        assert b"nobody here can tell whether its owner on 'far' lives" in child.stderr.readline()
        owner.publish(FAILED)
        child.communicate()
    assert child.returncode == 2


def test_a_terminal_is_not_given_anything_to_obey_even_in_pieces(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    main_end, end = pty.openpty()
    words = ["capview", "follow", "@last", "--whole", "--conversation", str(tmp_path)]
    with subprocess.Popen(words, stdout=end, stderr=subprocess.DEVNULL) as child:
        owner.append("stdout", "é".encode()[:1])
        owner.append("stdout", "é".encode()[1:] + b"\x1b[2J.\xe2\x82")
        owner.finish()
        assert child.wait() == 0
    os.close(end)
    assert os.read(main_end, 1000).decode() == "é\\e[2J.�"
    os.close(main_end)


def test_a_real_command_is_followed_to_its_own_exit_code(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    script = f"echo started; read answer < '{fifo}'; echo $answer >&2; exit 7"
    conversation = tmp_path / "c"
    words = ["capview", "run", "--conversation", str(conversation), "--quiet", "--", "sh", "-c", script]
    with subprocess.Popen(words) as job:
        while not list(conversation.glob("tool-outputs/shell/*.live.json")):
            assert job.poll() is None
        with following(conversation) as child:
            assert line(child) == b"started\n"
            fifo.write_text("answered\n")
            _, err = child.communicate()
        assert (child.returncode, err) == (7, b"answered\n")
        assert job.wait() == 7
