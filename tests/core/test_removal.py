"""Removing captures: only ours, only what has ended, the receipt last, and whoever looks at one keeps it."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core import names
from capture_core.catalog import Catalogue, Name
from capture_core.conversation import Conversation
from capture_core.descend import NotOurs
from capture_core.facts import CaptureState, SidecarFacts, SidecarKind, SidecarState
from capture_core.reader import StreamReader
from capture_core.removal import remove
from capture_core.source import Entry
from capture_core.standing import Standing, examine, survey
from tests.captures import Owner, finished
from tests.faults.fault_fs import Rule
from tests.faults.grounds import Fuse

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.standing import Found


def found(conversation: Path, owner: Owner) -> Found:
    [one] = examine(str(conversation), owner.receipt.tool, [Name(owner.receipt.tool, owner.id)])
    return one


def entry(conversation: Path, owner: Owner) -> Entry:
    seen = Catalogue(str(conversation)).fresh(Name("shell", owner.id))
    assert isinstance(seen, Entry)
    return seen


def left(conversation: Path) -> set[str]:
    """Everything below the conversation, by path."""
    return {str(path.relative_to(conversation)) for path in conversation.rglob("*") if not path.is_dir()}


def why_not(conversation: Path, owner: Owner) -> str:
    """What keeps it; nothing of it is touched."""
    before = left(conversation)
    [done] = remove([found(conversation, owner)])
    assert (done.why_not == "") == (left(conversation) != before)
    return done.why_not


def test_a_real_capture_goes_with_all_its_files(tmp_path: Path) -> None:
    job = Conversation.open(str(tmp_path)).start(["printf", "\\033[1mbold"])
    job.wait()
    job.join()
    kept = finished(tmp_path)
    before = left(tmp_path)
    own = {path for path in before if job.ref in path}
    assert {path.rpartition(".")[2] for path in own} == {"json", "txt", "sgr", "times"}
    [one] = [each for each in survey(str(tmp_path)) if each.ref == job.ref]
    size = sum((tmp_path / path).stat().st_size for path in own)
    [done] = remove([one])
    assert (one.size, done.freed, done.why_not) == (size, size, "")
    assert left(tmp_path) == before - own
    assert found(tmp_path, kept).standing is Standing.FREE


def test_what_an_owner_still_holds_is_kept(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    assert why_not(tmp_path, owner) == "it is running"
    owner.rename_streams()
    owner.publish()
    assert entry(tmp_path, owner).capture.state is CaptureState.COMPLETE
    assert why_not(tmp_path, owner) == "it is running", "its owner has not let go yet"
    owner.unlink_live()
    owner.release()
    assert why_not(tmp_path, owner) == ""


def test_a_start_that_has_no_receipt_yet_is_kept(tmp_path: Path) -> None:
    owner = Owner(tmp_path, announce=False)
    assert why_not(tmp_path, owner) == "it is running"
    owner.release()
    assert why_not(tmp_path, owner) == "", "an owner that died in its start leaves nothing that is worth more"


@pytest.mark.parametrize("steps", [(), ("rename_streams",), ("rename_streams", "publish")])
def test_a_dead_owners_leftover_goes(tmp_path: Path, steps: tuple[str, ...]) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"12345")
    for step in steps:
        getattr(owner, step)()
    owner.release()
    assert why_not(tmp_path, owner) == ""
    assert left(tmp_path) == set()


def test_one_of_another_machine_is_kept_until_it_is_final(tmp_path: Path) -> None:
    owner = Owner(tmp_path, host="far", boot_id="another")
    owner.release()
    assert why_not(tmp_path, owner) == "nobody here can tell whether its owner lives; remove it on 'far'"
    for path in owner.folder.glob("*.live"):
        path.unlink()
    assert "remove it on 'far'" in why_not(tmp_path, owner)


def test_where_no_locks_are_to_be_had_only_finals_go(tmp_path: Path) -> None:
    conversation = tmp_path / "c"
    leftover, final = Owner(conversation), finished(conversation)
    leftover.release()
    with Fuse(tmp_path / "fuse", "locking") as fuse:
        shutil.copytree(conversation, fuse.backing / "c")
        fuse.inject(Rule("lock", "", errno.ENOLCK))
        kept = found(fuse.mount / "c", leftover)
        assert kept.words == "nobody here can tell whether its owner lives; no locks are to be had"
        assert [done.why_not for done in remove([kept, found(fuse.mount / "c", final)])] == [kept.words, ""]
        assert {path.rpartition("/")[2][:33] for path in left(fuse.backing / "c")} == {leftover.id}


@pytest.mark.parametrize("kind", ["final", "leftover"])
def test_what_a_view_shows_is_kept(tmp_path: Path, kind: str) -> None:
    if kind == "leftover":
        owner = Owner(tmp_path)
        owner.append("stdout", b"out\n")
        owner.release()
    else:
        owner = finished(tmp_path)
    judged = found(tmp_path, owner)
    with StreamReader(str(tmp_path), entry(tmp_path, owner), "stdout") as reader:
        [done] = remove([judged])
        assert done.why_not == "somebody has begun to use it"
        assert why_not(tmp_path, owner) == "a view shows it; leave that first"
        assert reader.page(0, 10).data == b"out\n"
    assert why_not(tmp_path, owner) == ""


def test_a_view_that_saw_it_run_holds_it_when_it_has_ended(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    with StreamReader(str(tmp_path), entry(tmp_path, owner), "stdout") as reader:
        owner.finish()
        assert found(tmp_path, owner).standing is Standing.FREE
        reader.follow(entry(tmp_path, owner))
        assert found(tmp_path, owner).standing is Standing.VIEWED


# -- killed between two steps ---------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from capture_core.removal import remove
from capture_core.standing import survey
unlink, left = os.unlink, int(sys.argv[2])
def counted(*args, **kwargs):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    unlink(*args, **kwargs)
found = survey(sys.argv[1])
os.unlink = counted
list(remove(found))
"""


@pytest.mark.parametrize("kind", ["final", "leftover"])
@pytest.mark.parametrize("unlinked", range(3))
def test_interrupted_it_leaves_a_receipt_that_says_so(tmp_path: Path, unlinked: int, kind: str) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"out")
    owner.finish() if kind == "final" else owner.release()
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(unlinked)], check=False)
    assert done.returncode == -signal.SIGKILL
    now = entry(tmp_path, owner)
    before = CaptureState.COMPLETE if kind == "final" else CaptureState.PARTIAL
    assert now.capture.state is (before, CaptureState.PARTIAL, CaptureState.UNAVAILABLE)[unlinked]
    [again] = remove([found(tmp_path, owner)])
    assert (again.why_not, left(tmp_path)) == ("", set())


def test_of_two_receipts_the_final_one_goes_last(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    final = owner.folder / names.final_receipt_file(owner.id)
    (owner.folder / names.live_receipt_file(owner.id)).write_bytes(final.read_bytes())
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "3"], check=False)
    assert left(tmp_path) == {f"{owner.ref}.json"}
    assert entry(tmp_path, owner).capture.state is CaptureState.UNAVAILABLE


# -- hostile folders ------------------------------------------------------------------------------------------------


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    path = tmp_path / "precious"
    path.write_text("keep me")
    return path


@pytest.mark.parametrize("file", ["../../precious", "/etc/passwd", "..", "other.stdout.txt"])
def test_a_receipt_that_names_something_else_is_refused(tmp_path: Path, precious: Path, file: str) -> None:
    owner = finished(tmp_path)
    path = owner.folder / names.final_receipt_file(owner.id)
    said = json.loads(path.read_text())
    said["streams"]["stdout"]["file"] = file
    path.write_text(json.dumps(said))
    assert "names" in why_not(tmp_path, owner)
    assert precious.read_text() == "keep me"


@pytest.mark.parametrize("field", ["capture_id", "ref", "tool"])
def test_a_receipt_that_says_it_is_another_is_refused(tmp_path: Path, field: str) -> None:
    owner, other = finished(tmp_path), finished(tmp_path)
    path = owner.folder / names.final_receipt_file(owner.id)
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: str(getattr(other.receipt, field)) + "x"}))
    assert f"says {field}" in why_not(tmp_path, owner)
    assert found(tmp_path, other).standing is Standing.FREE


def test_a_sidecar_named_elsewhere_is_refused(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    facts = SidecarFacts(file="../x.sgr", state=SidecarState.WHOLE, retained=0, records=0)
    stream = replace(owner.receipt.streams["stdout"], sidecars={SidecarKind.SGR: facts})
    owner.receipt = replace(owner.receipt, streams={**owner.receipt.streams, "stdout": stream})
    owner._put(names.final_receipt_file(owner.id))
    assert "names" in why_not(tmp_path, owner)


def _link(path: Path, precious: Path) -> None:
    path.symlink_to(precious)


def _fifo(path: Path, _: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, precious: Path) -> None:
    path.mkdir()
    (path / "precious").write_text("keep me")


@pytest.mark.parametrize("plant", [_link, _fifo, _folder])
@pytest.mark.parametrize("form", ["stdout.txt", "stderr.live", "json", "output.g3.times", "request"])
def test_what_is_not_ours_at_one_of_its_names_keeps_all(
    tmp_path: Path, precious: Path, plant: object, form: str
) -> None:
    owner = finished(tmp_path)
    path = owner.folder / f"{owner.id}.{form}"
    path.unlink(missing_ok=True)
    assert callable(plant)
    plant(path, precious)
    assert why_not(tmp_path, owner) == f"{path.name!r} is no regular file of this user; nothing was touched"
    assert path.exists()


def test_what_came_to_stand_there_after_the_look_keeps_all(tmp_path: Path, precious: Path) -> None:
    owner = finished(tmp_path)
    judged = found(tmp_path, owner)
    (owner.folder / f"{owner.id}.stdout.sgr").symlink_to(precious)
    before = left(tmp_path)
    [done] = remove([judged])
    assert "nothing was touched" in done.why_not
    assert left(tmp_path) == before


def test_another_users_file_is_kept(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    owner = finished(tmp_path)
    os.chown(owner.path("stdout"), 65534, 65534)
    assert "is no regular file of this user" in why_not(tmp_path, owner)


def test_a_tool_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    conversation, elsewhere = tmp_path / "c", tmp_path / "elsewhere"
    owner = finished(elsewhere)
    (conversation / "tool-outputs").mkdir(parents=True)
    judged = found(elsewhere, owner)._replace(conversation=str(conversation))
    (conversation / "tool-outputs" / "shell").symlink_to(elsewhere / "tool-outputs" / "shell")
    with pytest.raises(NotOurs, match="not followed"):
        list(remove([judged]))
    assert survey(str(conversation)) == []
    assert found(elsewhere, owner).standing is Standing.FREE


def test_a_second_name_of_a_file_is_not_counted_as_freed(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"x" * 5000)
    os.link(owner.path("stdout"), tmp_path / "kept")
    receipt = (owner.folder / names.final_receipt_file(owner.id)).stat().st_size
    [done] = remove([found(tmp_path, owner)])
    assert (done.found.size, done.freed) == (receipt, receipt)
    assert (tmp_path / "kept").read_bytes() == b"x" * 5000


def test_both_names_of_a_rename_in_two_steps_are_one_file(tmp_path: Path) -> None:
    owner = Owner(tmp_path, streams=("stdout",))
    owner.append("stdout", b"x" * 100)
    os.link(owner.path("stdout"), owner.folder / names.final_stream_file(owner.id, "stdout"))
    owner.release()
    [done] = remove([found(tmp_path, owner)])
    receipt = done.freed - 100
    assert 0 < receipt == done.found.size - 100
    assert left(tmp_path) == set()


# -- several at once ------------------------------------------------------------------------------------------------


def _prune(conversation: str, ready: object, counts: object) -> None:
    listed = survey(conversation)
    ready.wait()  # type: ignore[attr-defined]
    counts.put(sum(not done.why_not for done in remove(listed)))  # type: ignore[attr-defined]


def test_several_at_once_remove_each_once(tmp_path: Path) -> None:
    for _ in range(60):
        finished(tmp_path, b"x")
    context = multiprocessing.get_context("spawn")
    ready, counts = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_prune, args=(str(tmp_path), ready, counts)) for _ in range(3)]
    for worker in workers:
        worker.start()
    total = sum(counts.get() for _ in workers)
    for worker in workers:
        worker.join()
    assert (total, left(tmp_path)) == (60, set())


@pytest.mark.long
def test_ten_thousand_are_surveyed_and_removed(tmp_path: Path) -> None:
    model = finished(tmp_path, b"x" * 100)
    files = {path.name.partition(".")[2]: path.read_bytes() for path in model.folder.iterdir()}
    alphabet = "abcdefghijklmnop"
    for number in range(10_000):
        tail = "".join(alphabet[number >> shift & 15] for shift in (12, 8, 4, 0))
        capture = f"20261130T120000Z-{'q' * 12}{tail}"
        for form, data in files.items():
            (model.folder / f"{capture}.{form}").write_bytes(data.replace(model.id.encode(), capture.encode()))
    done = list(remove(survey(str(tmp_path))))
    assert sum(not each.why_not for each in done) == 10_001
    assert left(tmp_path) == set()
