"""What a capture's removal would free, since when it has been over, and which of its files go last."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from capture_core import names
from capture_core.catalog import Name
from capture_core.clock import moment
from capture_core.errors import PlaceRefused
from capture_core.liveness import Use, file_system, hold, is_local, use_of
from capture_core.standing import Found, Standing, examine, files_of, held, is_receipt, survey
from tests.captures import Owner, finished


def found(conversation: Path, owner: Owner) -> Found:
    [one] = examine(str(conversation), "shell", [Name("shell", owner.id)])
    return one


def test_a_survey_finds_the_captures_of_all_tools(tmp_path: Path) -> None:
    owners = [finished(tmp_path), finished(tmp_path, tool="python"), Owner(tmp_path)]
    assert {each.ref for each in survey(str(tmp_path))} == {owner.ref for owner in owners}
    assert survey(str(tmp_path / "..")) == []
    with pytest.raises(PlaceRefused):
        survey(str(tmp_path / "nowhere"))


def test_one_that_is_not_there_is_gone(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    [one] = examine(str(tmp_path), "shell", [Name("shell", owner.id[:-1] + "a")])
    [other] = examine(str(tmp_path), "python", [Name("python", owner.id)])
    assert (one.standing, other.standing) == (Standing.GONE, Standing.GONE)
    assert one.words == "it is not there"


def test_a_capture_is_as_large_as_all_its_files(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"x" * 5000, b"y" * 100)
    receipt = (owner.folder / names.final_receipt_file(owner.id)).stat().st_size
    (owner.folder / f"{owner.id}.stdout.times").write_bytes(b"z" * 32)
    assert found(tmp_path, owner).size == 5132 + receipt


def test_since_when_it_is_over(tmp_path: Path) -> None:
    final = finished(tmp_path, second=5)
    assert found(tmp_path, final).ended == moment("2026-11-30T12:00:02.500Z"), "as its receipt says"
    final.receipt = replace(final.receipt, times=replace(final.receipt.times, ended=None, started="soon"))
    final._put(names.final_receipt_file(final.id))
    for stream in ("stdout", "stderr"):
        os.utime(final.path(stream), (1000, 1000))
    assert found(tmp_path, final).ended == 1000, "else when something was last written"
    for stream in ("stdout", "stderr"):
        final.path(stream).unlink()
    assert found(tmp_path, final).ended == moment("2026-11-30T12:00:05Z"), "else by its id"


def test_since_when_a_leftover_is_over(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    assert found(tmp_path, owner).ended is None
    owner.release()
    os.utime(owner.path("stderr"), (2000, 2000))
    os.utime(owner.path("stdout"), (3000, 3000))
    assert found(tmp_path, owner).ended == 3000


def test_captures_of_one_second_are_ordered_by_their_start(tmp_path: Path) -> None:
    owners = [finished(tmp_path), finished(tmp_path)]
    later = replace(owners[0].receipt, times=replace(owners[0].receipt.times, started="2026-11-30T12:00:00.900000Z"))
    owners[0].receipt = later
    owners[0]._put(names.final_receipt_file(owners[0].id))
    assert max(survey(str(tmp_path)), key=lambda each: each.started).ref == owners[0].ref


def test_receipts_go_last_and_the_final_one_after_all(tmp_path: Path) -> None:
    capture = finished(tmp_path).id
    forms = ("json", "stdout.txt", "live.json", "stderr.g2.sgr", "request", "notes", "live.json.tmp")
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        for form in forms:
            (tmp_path / f"{capture}.{form}").touch()
        (tmp_path / f"{capture[:-1]}a.json").touch()
        listed = files_of(fd, {capture})[capture]
    finally:
        os.close(fd)
    assert [name.partition(".")[2] for name in listed[-2:]] == ["live.json", "json"]
    assert {name.partition(".")[2] for name in listed} == set(forms[:5])
    assert [is_receipt(name) for name in listed] == [False, False, False, True, True]


def test_who_holds_a_file_is_told_apart_and_nothing_is_taken(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    folder, fd = os.open(owner.folder, os.O_RDONLY), os.open(owner.path("stdout"), os.O_RDONLY)
    other = os.open(owner.path("stdout"), os.O_RDONLY)
    try:
        assert (use_of(fd), held(folder, [owner.path("stdout").name])) == (Use.WRITTEN, Standing.RUNNING)
        owner.release()
        assert (use_of(fd), held(folder, [owner.path("stdout").name])) == (Use.FREE, Standing.FREE)
        assert hold(other)
        assert (use_of(fd), held(folder, [owner.path("stdout").name])) == (Use.VIEWED, Standing.VIEWED)
        assert hold(fd), "a second reader may hold it too"
        assert held(folder, ["nowhere"]) is Standing.FREE
    finally:
        for each in (folder, fd, other):
            os.close(each)


def test_the_kind_of_a_file_system_is_the_kernels_word(tmp_path: Path) -> None:
    proc, here = os.open("/proc", os.O_RDONLY), os.open(tmp_path, os.O_RDONLY)
    try:
        assert (file_system(proc), is_local(proc)) == ("proc", False)
        # The last of those on the longest path that leads here.
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
        above = [(point, kind) for point, kind in mounts if tmp_path.is_relative_to(point)]
        assert file_system(here) == max(reversed(above), key=lambda mount: len(mount[0]))[1]
    finally:
        os.close(proc)
        os.close(here)
