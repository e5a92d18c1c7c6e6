"""One look at one capture, between any two steps of its owner, and at what somebody else has put there."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core import liveness, names
from capture_core import look as look_module
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, Liveness, ProcessFacts, ProcessState
from capture_core.liveness import Lock, here
from capture_core.look import Folder, look
from capture_core.reader import StreamReader
from capture_core.source import Entry, Unreadable
from tests.captures import EXITED, FAILED, PENDING, Owner, finished

if TYPE_CHECKING:
    from pathlib import Path

DIED = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.OWNER_DIED)
DAMAGED = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DAMAGED)
FINALIZING = CaptureFacts(state=CaptureState.PENDING, reason=CaptureReason.FINALIZING)


def seen(owner: Owner) -> Entry | Unreadable | None:
    fd = os.open(owner.folder, os.O_RDONLY)
    try:
        return look(Folder(fd, "conversation", owner.folder.name), owner.id, here())
    finally:
        os.close(fd)


def entry(owner: Owner) -> Entry:
    found = seen(owner)
    assert isinstance(found, Entry)
    return found


def refusal(owner: Owner) -> str:
    found = seen(owner)
    assert isinstance(found, Unreadable)
    assert found.address.ref == owner.ref
    return found.words


def test_a_running_capture(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"hello\n")
    found = entry(owner)
    assert found.liveness is Liveness.LIVE
    assert found.process.state is ProcessState.RUNNING
    assert found.capture == PENDING
    assert {stream.name: stream.committed for stream in found.streams} == {"stdout": 6, "stderr": 0}
    assert found.address.conversation == "conversation"


def test_every_step_of_an_orderly_end(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"hello\n")
    owner.say(EXITED, FINALIZING)
    owner.rename_streams()
    found = entry(owner)
    assert (found.liveness, found.process, found.capture) == (Liveness.LIVE, EXITED, FINALIZING)
    assert found.streams[0].committed == 6
    for step in (owner.publish, owner.unlink_live, owner.release):
        step()
        found = entry(owner)
        assert found.liveness is Liveness.FINAL
        assert found.capture.state is CaptureState.COMPLETE
        assert found.streams[0].committed == 6


def test_a_killed_owner_leaves_a_partial_capture_and_an_unknown_process(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"hello\n")
    owner.release()
    found = entry(owner)
    assert found.liveness is Liveness.OWNER_DIED
    assert found.capture == DIED
    assert found.process == ProcessFacts(state=ProcessState.UNKNOWN, pid=4242)
    assert found.receipt.process.state is ProcessState.RUNNING, "the receipt stays as it was written"
    assert found.streams[0].committed == 6


@pytest.mark.parametrize("torn", ["é".encode()[:1], "漢".encode()[:1], "漢".encode()[:2], "😀".encode()[:3]])
@pytest.mark.parametrize("is_killed", [False, True])
def test_half_a_code_point_of_an_unfinished_write_is_not_committed(
    tmp_path: Path, torn: bytes, *, is_killed: bool
) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", "ü漢😀".encode() + torn)
    owner.append("stderr", torn)
    if is_killed:
        owner.release()
    found = entry(owner)
    assert [stream.committed for stream in found.streams] == [9, 0]
    with StreamReader(str(tmp_path), found, "stdout") as reader:
        assert reader.page(0, 99).data == "ü漢😀".encode()


def test_an_end_that_was_observed_before_the_owner_died_stays_known(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.say(FAILED, FINALIZING)
    owner.rename_streams()
    owner.release()
    found = entry(owner)
    assert (found.liveness, found.process, found.capture) == (Liveness.OWNER_DIED, FAILED, DIED)


def test_one_held_stream_is_enough_to_live(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    os.close(owner.fds.pop("stderr"))
    assert entry(owner).liveness is Liveness.LIVE


def test_another_machines_leftover_is_unknown_never_dead(tmp_path: Path) -> None:
    owner = Owner(tmp_path, host="elsewhere", boot_id="elsewhere")
    owner.release()
    found = entry(owner)
    assert found.liveness is Liveness.UNKNOWN
    assert found.capture == PENDING
    assert found.process.state is ProcessState.RUNNING


def test_a_capture_without_streams_lives_by_its_lock_file(tmp_path: Path) -> None:
    owner = Owner(tmp_path, streams=())
    assert entry(owner).liveness is Liveness.UNKNOWN
    lock = owner.folder / f"{owner.id}.lock"
    lock.touch()
    assert entry(owner).liveness is Liveness.OWNER_DIED


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_an_owner_that_ends_between_our_reading_and_our_asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"hello\n")
    going_on = [owner.rename_streams, owner.publish, owner.unlink_live, owner.release][:steps]
    real = liveness.ask

    def ask_late(fd: int) -> Lock:
        while going_on:
            going_on.pop(0)()
        return real(fd)

    monkeypatch.setattr(look_module, "ask", ask_late)
    found = entry(owner)
    assert found.liveness is (Liveness.LIVE if steps < 4 else Liveness.FINAL)
    assert found.capture.state is not CaptureState.PARTIAL
    assert found.streams[0].committed == 6


def test_a_capture_removed_between_our_reading_and_our_asking_is_not_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(tmp_path)
    real = liveness.ask

    def remove_first(fd: int) -> Lock:
        if owner.fds:
            owner.release()
            for file in owner.folder.iterdir():
                file.unlink()
        return real(fd)

    monkeypatch.setattr(look_module, "ask", remove_first)
    assert seen(owner) is None


def test_streams_whose_receipt_is_on_its_way_are_not_yet_a_capture(tmp_path: Path) -> None:
    owner = Owner(tmp_path, announce=False)
    assert seen(owner) is None
    owner.announce()
    assert entry(owner).liveness is Liveness.LIVE


def test_streams_whose_receipt_never_came_are_named(tmp_path: Path) -> None:
    owner = Owner(tmp_path, announce=False)
    owner.release()
    assert refusal(owner) == f"{owner.id}.stdout.live has no receipt"


def test_nothing_there_is_nothing(tmp_path: Path) -> None:
    owner = Owner(tmp_path, streams=(), announce=False)
    assert seen(owner) is None


def test_a_final_file_shorter_than_its_receipt_says_is_damaged_never_complete(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"0123456789")
    os.truncate(owner.path("stdout"), 4)
    found = entry(owner)
    assert (found.liveness, found.capture) == (Liveness.FINAL, DAMAGED)
    assert found.streams[0].committed == 4


def test_a_missing_final_file_is_damage_and_two_are_a_missing_log(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"0123456789", b"err")
    owner.path("stdout").unlink()
    assert entry(owner).capture == DAMAGED
    owner.path("stderr").unlink()
    found = entry(owner)
    assert found.capture == CaptureFacts(state=CaptureState.UNAVAILABLE, reason=CaptureReason.MISSING_FILE)
    assert [stream.committed for stream in found.streams] == [None, None]


def test_bytes_beyond_the_end_of_a_cut_stream_are_not_shown(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"whole\n")
    owner.path("stdout").write_bytes(b"whole\n\xe2\x82")
    assert entry(owner).streams[0].committed == 6


def test_a_live_stream_is_as_long_as_its_file_until_it_is_cut(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"0123456789")
    stream = replace(owner.receipt.streams["stdout"], end=4)
    owner.announce(replace(owner.receipt, streams={"stdout": stream}))
    assert entry(owner).streams[0].committed == 10
    cut = replace(stream, reason=CaptureReason.DISK_FULL)
    owner.announce(replace(owner.receipt, streams={"stdout": cut}))
    assert entry(owner).streams[0].committed == 4


def test_a_name_alone_does_not_make_a_capture_final(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.rename_streams()
    owner.release()
    assert entry(owner).liveness is Liveness.OWNER_DIED


@pytest.mark.parametrize("receipt", ["json", "live.json"])
def test_links_fifos_and_folders_in_a_receipts_place_are_refused(tmp_path: Path, receipt: str) -> None:
    owner = Owner(tmp_path)
    place = owner.folder / f"{owner.id}.{receipt}"
    place.unlink(missing_ok=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("{}")
    place.symlink_to(elsewhere)
    assert "not followed" in refusal(owner)
    place.unlink()
    os.mkfifo(place)
    assert "not a regular file" in refusal(owner)
    place.unlink()
    place.mkdir()
    assert "not a regular file" in refusal(owner)


def test_a_link_in_a_streams_place_is_not_followed(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (owner.folder / owner.live("stdout")).unlink()
    (owner.folder / owner.live("stdout")).symlink_to(secret)
    assert "not followed" in refusal(owner)


def test_a_receipt_too_large_to_be_ours_is_not_read(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    with (owner.folder / names.final_receipt_file(owner.id)).open("wb") as file:
        file.truncate(10 << 30)
    assert "larger than" in refusal(owner)


def test_a_capture_that_was_refused_its_files_says_so_and_not_more(tmp_path: Path) -> None:
    disabled = CaptureFacts(state=CaptureState.DISABLED, reason=CaptureReason.BY_OPTION)
    owner = Owner(tmp_path, streams=())
    owner.finish(EXITED, disabled)
    assert entry(owner).capture == disabled


def test_no_owner_that_ends_in_order_is_ever_called_dead(tmp_path: Path) -> None:
    captures = [f"20261130T1200{n % 60:02}Z-{'abcdefgh'[n // 60]}{'q' * 15}" for n in range(300)]
    (tmp_path / "tool-outputs" / "shell").mkdir(parents=True)
    over = threading.Event()

    def own() -> None:
        try:
            for capture in captures:
                owner = Owner(tmp_path, capture=capture)
                owner.append("stdout", b"text\n")
                owner.finish()
        finally:
            over.set()

    thread = threading.Thread(target=own, name="owner")
    thread.start()
    folder = Folder(os.open(tmp_path / "tool-outputs" / "shell", os.O_RDONLY), "c", "shell")
    seen: set[Liveness] = set()
    while not over.is_set():
        for capture in captures:
            found = look(folder, capture, here())
            assert not isinstance(found, Unreadable), found.words
            seen |= {found.liveness} if found else set()
    thread.join()
    os.close(folder.fd)
    assert Liveness.FINAL in seen
    assert not seen & {Liveness.OWNER_DIED, Liveness.UNKNOWN}
