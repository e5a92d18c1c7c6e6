"""The inline text of a capture that lies in files: real files, owners that have gone, and only the two ends read."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

from capture_core.catalog import Catalogue, Name
from capture_core.inline_reader import render_files
from capture_core.source import Entry
from tests.captures import FAILED, Owner, finished

if TYPE_CHECKING:
    from pathlib import Path


def seen(conversation: Path, ref: str) -> Entry:
    _, tool, capture = ref.split("/")
    entry = Catalogue(str(conversation)).fresh(Name(tool, capture))
    assert isinstance(entry, Entry)
    return entry


def test_a_receipt_of_a_dead_owner_is_shown_as_such(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stderr", b"half a")
    owner.release()
    said = render_files(str(tmp_path), seen(tmp_path, owner.ref), 500)
    assert said.text == "[capview: end unknown, log cut: its owner died; stderr]\nhalf a"


def test_a_missing_stream_is_told_by_the_first_line(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"out\n", b"err\n")
    owner.path("stderr").unlink()
    said = render_files(str(tmp_path), seen(tmp_path, owner.ref), 500)
    assert said.text == "[capview: exit 0, log damaged; stdout]\nout\n"


def test_of_an_owner_that_nobody_can_ask_it_says_so(tmp_path: Path) -> None:
    owner = Owner(tmp_path, host="far", boot_id="far")
    owner.release()
    assert "nobody here can tell" in render_files(str(tmp_path), seen(tmp_path, owner.ref), 500).text


def test_the_command_in_a_gap_prints_exactly_what_is_left_out(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(1_500))
    owner = finished(tmp_path, text, b"")
    said = render_files(str(tmp_path), seen(tmp_path, owner.ref), 2_000, option=str(tmp_path))
    [line] = [line for line in said.text.splitlines() if "left out; " in line]
    words = shlex.split(line.partition("left out; ")[2].removesuffix("]"))
    done = subprocess.run(words, capture_output=True, check=False)
    [head, tail] = said.ranges["stdout"]
    assert (done.returncode, done.stderr) == (0, b"")
    assert text[: head.end] + done.stdout + text[tail.start :] == text


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    os.ftruncate(owner.fds["stdout"], 1 << 40)  # sparse: to read it would take a quarter of an hour
    owner.finish(FAILED)
    assert " bytes left out; capview read " in render_files(str(tmp_path), seen(tmp_path, owner.ref), 1_000).text
