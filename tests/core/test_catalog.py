"""A conversation's captures: what is there, what changed, and how little is read again."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core import catalog
from capture_core.catalog import Catalogue, Name, without_bodies
from capture_core.errors import PlaceRefused
from capture_core.facts import ByteRange, Liveness, PreviewFacts
from capture_core.look import look
from capture_core.source import Entry, Unreadable
from tests.captures import EXITED, PENDING, Owner, finished, new_id

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.catalog import Difference
    from capture_core.liveness import Host
    from capture_core.look import Folder


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The captures that were looked at, in order."""
    seen: list[str] = []
    real = look

    def count(folder: Folder, capture: str, place: Host) -> Entry | Unreadable | None:
        seen.append(capture)
        return real(folder, capture, place)

    monkeypatch.setattr(catalog, "look", count)
    return seen


def settle(folder: Path) -> None:
    """Let the folder's last change lie so far back that its time can be trusted."""
    os.utime(folder, (1, 1))


def refs(catalogue: Catalogue) -> list[str]:
    return [entry.address.ref for entry in catalogue.listing().entries]


def one(differences: tuple[Difference, ...]) -> Difference:
    (difference,) = differences
    return difference


def test_newest_first_over_all_tools(tmp_path: Path) -> None:
    old, new = finished(tmp_path, second=1), finished(tmp_path, second=3)
    middle = finished(tmp_path, second=2, tool="python")
    catalogue = Catalogue(str(tmp_path))
    assert {difference.address.ref for difference in catalogue.refresh()} == {old.ref, middle.ref, new.ref}
    assert refs(catalogue) == [new.ref, middle.ref, old.ref]
    assert catalogue.names() == tuple(Name(o.receipt.tool, o.id) for o in (new, middle, old))
    assert {entry.address.conversation for entry in catalogue.entries} == {tmp_path.name}


def test_a_conversation_without_captures_is_empty_and_one_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    catalogue = Catalogue(str(tmp_path))
    assert catalogue.refresh() == ()
    assert catalogue.names() == ()
    file = tmp_path / "file"
    file.touch()
    for path in (file, tmp_path / "missing"):
        with pytest.raises(PlaceRefused, match="conversation '"):
            Catalogue(str(path)).refresh()


def test_nothing_changed_nothing_read(tmp_path: Path, looked: list[str]) -> None:
    ended = [finished(tmp_path) for _ in range(5)]
    running = Owner(tmp_path)
    settle(running.folder)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    assert sorted(looked) == sorted([running.id, *(owner.id for owner in ended)])
    looked.clear()
    assert catalogue.refresh() == ()
    assert looked == [running.id], "only what may still grow"


def test_a_change_touches_only_the_captures_that_it_names(tmp_path: Path, looked: list[str]) -> None:
    for _ in range(5):
        finished(tmp_path)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    looked.clear()
    new = finished(tmp_path, second=9)
    difference = one(catalogue.refresh())
    assert (difference.before, difference.address.ref) == (None, new.ref)
    assert looked == [new.id]


def test_a_folder_that_changed_just_before_its_listing_is_listed_again(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    stamp = os.stat(owner.folder).st_mtime_ns
    new = finished(tmp_path, second=9)
    os.utime(owner.folder, ns=(stamp, stamp))  # as on a disk whose times are coarse
    assert one(catalogue.refresh()).address.ref == new.ref


def test_growth_and_the_end_are_told_once(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    assert catalogue.has_live()
    owner.append("stdout", b"more\n")
    grown = one(catalogue.look_at_live())
    assert grown.after is not None
    assert grown.after.streams[0].committed == 5
    assert catalogue.look_at_live() == ()
    owner.say(EXITED, PENDING)
    owner.finish()
    ended = one(catalogue.look_at_live())
    assert ended.before is not None
    assert ended.after is not None
    assert (ended.before.liveness, ended.after.liveness) == (Liveness.LIVE, Liveness.FINAL)
    assert not catalogue.has_live()
    assert catalogue.refresh() == ()


def test_the_death_of_an_owner_makes_no_file_event_and_is_seen(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    owner.release()
    died = one(catalogue.look_at_live())
    assert died.after is not None
    assert died.after.liveness is Liveness.OWNER_DIED


def test_what_was_removed_is_told(tmp_path: Path) -> None:
    owner, other = finished(tmp_path), finished(tmp_path, tool="python")
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    for file in owner.folder.iterdir():
        file.unlink()
    gone = one(catalogue.refresh())
    assert (gone.address.ref, gone.after) == (owner.ref, None)
    for file in other.folder.iterdir():
        file.unlink()
    other.folder.rmdir()
    assert one(catalogue.refresh()).address.ref == other.ref
    assert catalogue.listing().entries == ()


def test_an_unreadable_receipt_is_named_with_its_reason_and_mended_ones_come_back(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    path = owner.folder / f"{owner.id}.json"
    good = path.read_bytes()
    path.write_bytes(b"{")
    catalogue = Catalogue(str(tmp_path))
    difference = one(catalogue.refresh())
    assert difference.after is None
    assert difference.unreadable is not None
    assert catalogue.listing().entries == ()
    (unreadable,) = catalogue.listing().unreadable
    assert unreadable.address.ref == owner.ref
    assert "not JSON" in unreadable.words
    assert catalogue.look_at([Name("shell", owner.id)]) == ()
    path.write_bytes(good)
    assert one(catalogue.look_at([Name("shell", owner.id)])).after is not None
    assert catalogue.listing().unreadable == ()


def test_links_in_the_place_of_folders_are_named_and_not_followed(tmp_path: Path) -> None:
    conversation, elsewhere = tmp_path / "conversation", tmp_path / "elsewhere"
    kept = finished(conversation)
    finished(elsewhere)
    (conversation / "tool-outputs" / "python").symlink_to(elsewhere / "tool-outputs" / "shell")
    catalogue = Catalogue(str(conversation))
    catalogue.refresh()
    assert refs(catalogue) == [kept.ref]
    (unreadable,) = catalogue.listing().unreadable
    assert unreadable.address.ref == "tool-outputs/python"
    assert "not followed" in unreadable.words
    assert [name.tool for name in catalogue.names()] == ["shell"]

    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "tool-outputs").symlink_to(elsewhere / "tool-outputs")
    with pytest.raises(PlaceRefused, match="not followed"):
        Catalogue(str(linked)).refresh()


def test_the_conversation_itself_may_be_named_by_a_link(tmp_path: Path) -> None:
    owner = finished(tmp_path / "conversation")
    (tmp_path / "link").symlink_to("conversation")
    catalogue = Catalogue(str(tmp_path / "link"), key="k")
    catalogue.refresh()
    assert refs(catalogue) == [owner.ref]


def test_strangers_files_are_left_alone(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    for name in ("notes.txt", ".gitignore", "20261130T120000Z-short.json", "x.live"):
        (owner.folder / name).write_text("?")
    (tmp_path / "tool-outputs" / "UPPER").mkdir()
    (tmp_path / "tool-outputs" / "file").touch()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    assert refs(catalogue) == [owner.ref]
    assert catalogue.listing().unreadable == ()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before, "reading writes nothing"


def test_reading_never_refuses_by_mode(tmp_path: Path) -> None:
    owner = finished(tmp_path)
    for path in (tmp_path, tmp_path / "tool-outputs", owner.folder):
        path.chmod(0o777)
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    assert refs(catalogue) == [owner.ref]


def with_tail(entry: Entry) -> Entry:
    facts = PreviewFacts(head=ByteRange(start=0, end=0), returned_bytes=0, omitted_bytes=0, tail_text="the end")
    return replace(entry, receipt=replace(entry.receipt, preview={"stdout": facts}))


def test_bodies_stay_out_of_listings_and_still_say_that_they_are_there(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    catalogue = Catalogue(str(tmp_path))
    (entry,) = (catalogue.fresh(Name("shell", owner.id)),)
    assert isinstance(entry, Entry)
    owner.announce(with_tail(entry).receipt)
    catalogue.refresh()
    (listed,) = catalogue.entries
    assert listed.receipt.preview["stdout"].tail_text == ""
    whole = catalogue.fresh(Name("shell", owner.id))
    assert isinstance(whole, Entry)
    assert whole.receipt.preview["stdout"].tail_text == "the end"
    assert without_bodies(listed) is listed


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Ten thousand final captures, made by copying one receipt's bytes."""
    owner = finished(tmp_path)
    text = (owner.folder / f"{owner.id}.json").read_text()
    for n in range(10_000):
        copy = new_id(n % 3600)
        (owner.folder / f"{copy}.json").write_text(text.replace(owner.id, copy))
    settle(owner.folder)
    return tmp_path


def test_ten_thousand_captures_are_read_once(many: Path, looked: list[str]) -> None:
    catalogue = Catalogue(str(many))
    assert len(catalogue.refresh()) == 10_001
    looked.clear()
    assert catalogue.refresh() == ()
    assert looked == []
    finished(many, second=59)
    assert len(catalogue.refresh()) == 1
    assert len(looked) == 1
