"""What was handed out can be made again, exactly, from the capture's files, and is never claimed when it cannot."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_core import shown_file
from capture_core.catalog import Catalogue, Name
from capture_core.conversation import Conversation
from capture_core.errors import PlaceRefused
from capture_core.inline import VERSION, Rendered
from capture_core.inline_reader import render_files
from capture_core.limits import Limits
from capture_core.limits.reading import SHOWN_FILE_BYTES
from capture_core.removal import remove
from capture_core.shown import Shown, decode, encode, handed_out, reproduce
from capture_core.source import Entry
from capture_core.standing import examine
from tests.captures import FAILED, Owner, finished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AT = "2026-11-30T12:00:00.000Z"
MODES = {".capview": 0o700, "shown": 0o700}

_fresh = count()


def seen(conversation: Path, ref: str) -> Entry:
    _, tool, capture = ref.split("/")
    entry = Catalogue(str(conversation)).fresh(Name(tool, capture))
    assert isinstance(entry, Entry)
    return entry


def hand_out(conversation: Path, ref: str, budget: int) -> Rendered:
    said = render_files(str(conversation), seen(conversation, ref), budget)
    shown_file.note(str(conversation), ref.rpartition("/")[2], encode(said, AT))
    return said


def records(conversation: Path, ref: str) -> tuple[Shown, ...]:
    return handed_out(str(conversation), ref.rpartition("/")[2])


def file_of(conversation: Path, owner: Owner) -> Path:
    return conversation / ".capview" / "shown" / f"{owner.id}.jsonl"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.text(), st.text(), st.integers(0, 1_000))
def test_it_is_made_again_from_the_files(tmp_path: Path, stdout: str, stderr: str, budget: int) -> None:
    place = tmp_path / str(next(_fresh))
    owner = finished(place, stdout.encode() * 20, stderr.encode(), process=FAILED)
    said = hand_out(place, owner.ref, budget)
    [shown] = records(place, owner.ref)
    assert (shown.version, shown.at, shown.budget, shown.digest) == (VERSION, AT, budget, said.digest)
    assert reproduce(str(place), seen(place, owner.ref), shown).text == said.text


# Whoever keeps the arguments of the renderer and calls it again gets another text here: other states, other lengths.


def test_what_was_seen_of_a_running_job_is_made_again_when_it_has_ended(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"first\n" * 200)
    said = hand_out(tmp_path, owner.ref, 700)
    assert said.text.startswith("[capview: running, log growing; ")
    owner.append("stdout", b"later\n" * 1000)
    owner.finish(FAILED)
    entry = seen(tmp_path, owner.ref)
    [shown] = records(tmp_path, owner.ref)
    assert reproduce(str(tmp_path), entry, shown).text == said.text
    assert render_files(str(tmp_path), entry, 700).text != said.text


def test_what_came_after_a_cut_is_made_again(tmp_path: Path) -> None:
    limits = Limits(capture_bytes=2_000)
    job = Conversation.open(str(tmp_path), limits=limits, slow_engine=True).start(["seq", "5000"])
    job.wait()
    said = hand_out(tmp_path, job.ref, 1_500)
    assert "outside what was kept" in said.text
    assert said.text.endswith("4999\n5000\n")
    [shown] = records(tmp_path, job.ref)
    assert reproduce(str(tmp_path), seen(tmp_path, job.ref), shown).text == said.text


# -- when it cannot -------------------------------------------------------------------------------------------------


def test_a_capture_that_was_removed_cannot_be_shown_again(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    hand_out(tmp_path, owner.ref, 500)
    [shown] = records(tmp_path, owner.ref)
    entry = seen(tmp_path, owner.ref)
    owner.path("stdout").unlink()
    for now, words in ((entry, "its file is missing"), (None, "the capture was removed")):
        again = reproduce(str(tmp_path), now, shown)
        assert again.text is None
        assert words in again.why_not


def test_a_text_of_another_version_is_not_passed_off_as_the_same(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    hand_out(tmp_path, owner.ref, 500)
    [shown] = records(tmp_path, owner.ref)
    again = reproduce(str(tmp_path), seen(tmp_path, owner.ref), shown._replace(version=VERSION + 1))
    assert (again.text, again.why_not) == (
        None,
        f"version {VERSION + 1} of the renderer made it, this capview has version {VERSION}",
    )


def test_a_file_that_was_changed_gives_no_text(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"what was there\n")
    hand_out(tmp_path, owner.ref, 500)
    path = owner.path("stdout")
    path.write_bytes(b"WHAT WAS THERE\n")
    [shown] = records(tmp_path, owner.ref)
    assert reproduce(str(tmp_path), seen(tmp_path, owner.ref), shown).why_not == (
        "what its capture holds gives another text"
    )


# -- the file -------------------------------------------------------------------------------------------------------


def test_it_is_private_under_any_umask(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    before = os.umask(0o277)
    try:
        hand_out(tmp_path, owner.ref, 500)
        hand_out(tmp_path, owner.ref, 500)
    finally:
        os.umask(before)
    path = file_of(tmp_path, owner)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {
        name: stat.S_IMODE(parent.stat().st_mode) for name, parent in zip(MODES, path.parents[1::-1], strict=True)
    } == MODES
    assert len(records(tmp_path, owner.ref)) == 2


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_a_line_that_a_crash_has_cut_is_ignored_and_spoils_no_other(tmp_path: Path, kept: int) -> None:
    owner = finished(tmp_path)
    said = hand_out(tmp_path, owner.ref, 500)
    path = file_of(tmp_path, owner)
    line = path.read_bytes()
    path.write_bytes(line + line[:kept])
    found = len(records(tmp_path, owner.ref))
    assert found == (2 if kept == -1 else 1)
    hand_out(tmp_path, owner.ref, 500)
    assert [shown.digest for shown in records(tmp_path, owner.ref)] == [said.digest] * (found + 1)


def test_records_of_many_writers_stay_whole(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"x\n" * 3_000)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda budget: hand_out(tmp_path, owner.ref, budget), range(1_000, 1_100)))
    assert sorted(shown.budget for shown in records(tmp_path, owner.ref)) == list(range(1_000, 1_100))


def test_it_does_not_grow_without_end(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    hand_out(tmp_path, owner.ref, 500)
    path = file_of(tmp_path, owner)
    with path.open("ab") as file:
        file.truncate(SHOWN_FILE_BYTES - 10)
    with pytest.raises(OSError, match="too large"):
        hand_out(tmp_path, owner.ref, 500)
    assert path.stat().st_size == SHOWN_FILE_BYTES - 10


def test_nothing_is_written_through_what_stands_there(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    path = file_of(tmp_path, owner)
    path.parent.mkdir(parents=True)
    target = tmp_path / "target"
    target.touch()
    kinds: dict[str, Callable[[], object]] = {
        "link": lambda: path.symlink_to(target),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
    }
    for make in kinds.values():
        make()
        with pytest.raises((OSError, PlaceRefused)):
            hand_out(tmp_path, owner.ref, 500)
        path.rename(tmp_path / f"away-{next(_fresh)}")
    assert target.read_bytes() == b""


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[1]",
        b'{"renderer": 1}',
        b'{"renderer": -1, "at": "", "budget": 1, "sha256": "", "parts": []}',
        b'{"renderer": 1, "at": "", "budget": 1, "sha256": "", "parts": [5]}',
        b'{"renderer": 1, "at": "", "budget": 1, "sha256": "", "parts": [{"stream": "../x", "start": 0, "end": 1}]}',
        b"[" * 100_000,
        b"\xff",
    ],
    ids=lambda line: f"{len(line)} bytes of {line[:40]!r}",
)
def test_what_is_no_record_is_none(line: bytes) -> None:
    assert decode(line) is None


def test_a_record_cannot_ask_for_more_than_a_text_can_have(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    said = render_files(str(tmp_path), seen(tmp_path, owner.ref), 500)
    shown = decode(encode(said, AT).replace(b'"end": 4', b'"end": 999999999999999'))
    assert shown is not None
    assert "more than a text can have" in reproduce(str(tmp_path), seen(tmp_path, owner.ref), shown).why_not


# A writer that is killed between two writes leaves half a record; here each is one.


def test_a_writer_that_is_killed_leaves_whole_records(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    record = encode(render_files(str(tmp_path), seen(tmp_path, owner.ref), 500), AT)
    code = (
        "import sys; from capture_core.shown_file import note\n"
        "print(flush=True)\n"
        "while True: note(sys.argv[1], sys.argv[2], sys.argv[3].encode())"
    )
    words = [sys.executable, "-c", code, str(tmp_path), owner.id, record.decode()]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        while not file_of(tmp_path, owner).exists():
            assert writer.poll() is None
        writer.kill()
    data = file_of(tmp_path, owner).read_bytes()
    assert data == record * (len(data) // len(record))


def test_nothing_was_handed_out_of_most_captures(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    assert records(tmp_path, owner.ref) == ()


def test_the_notes_go_with_their_capture_and_no_others(tmp_path: Path) -> None:
    gone, stays = finished(tmp_path), finished(tmp_path)
    for owner in (gone, stays):
        hand_out(tmp_path, owner.ref, 500)
    [done] = remove(examine(str(tmp_path), "shell", [Name("shell", gone.id)]))
    assert done.why_not == ""
    assert list(file_of(tmp_path, gone).parent.iterdir()) == [file_of(tmp_path, stays)]
