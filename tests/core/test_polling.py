"""Cursors: each consumer's own, in committed text, through restarts and the end; moved by a hand-over alone."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core import Conversation, polling
from capture_core.errors import BadInput, CursorStale, PlaceRefused, UnknownRef, Unmarked
from capture_core.facts import RepresentationFacts, RepresentationKind
from capture_core.journal import Journal
from capture_core.news import News, Watched
from capture_core.polling import Cursor
from tests.captures import FAILED, Owner, finished
from tests.core.test_notices import told
from tests.death.stepped import end_of, forked

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core import RunningJob


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "conversation"
    made.mkdir(mode=0o700)
    return made


def cursor(owner: Owner, consumer: str = "planner") -> Cursor:
    return Cursor(str(owner.folder.parents[1]), owner.ref, consumer)


def taken(owner: Owner, consumer: str = "planner", max_bytes: int = 1 << 20) -> dict[str, bytes]:
    """Poll and hand over, as a process of its own does."""
    with cursor(owner, consumer).polled(max_bytes) as news:
        return {part.stream: part.data for part in news.parts if part.data}


def test_each_consumer_gets_what_is_new_to_it_and_moves_no_other(place: Path) -> None:
    """Who keeps one cursor for all gives each of them a part."""
    owner = Owner(place)
    owner.append("stdout", b"one\n")
    assert taken(owner) == {"stdout": b"one\n"}
    assert taken(owner) == {}
    owner.append("stdout", b"two\n")
    owner.append("stderr", b"oops\n")
    assert taken(owner) == {"stdout": b"two\n", "stderr": b"oops\n"}
    assert taken(owner, "critic") == {"stdout": b"one\ntwo\n", "stderr": b"oops\n"}
    owner.release()


def test_through_the_change_to_final_nothing_twice_and_nothing_missed(place: Path) -> None:
    """Who takes the final file for another one begins anew; who ends with the process misses the last line."""
    owner, seen = Owner(place), b""
    steps = (owner.rename_streams, lambda: owner.publish(FAILED), owner.unlink_live, owner.release)
    for number, step in enumerate(steps):
        if number == 0:
            owner.append("stdout", b"before the end\n")
        seen += taken(owner).get("stdout", b"")
        if number == 0:
            owner.append("stdout", b"last words")
        step()
    seen += taken(owner).get("stdout", b"")
    assert seen == b"before the end\nlast words"
    news = cursor(owner).poll()
    assert news.is_over
    assert news.is_empty


def test_what_was_not_handed_over_comes_again(place: Path) -> None:
    """Who moves the cursor when it reads loses what a crash kept from being handed over."""
    owner = finished(place, b"text\n")

    def crash() -> None:
        with cursor(owner).polled() as news:
            assert news.parts[0].data == b"text\n"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()
    assert cursor(owner).poll().parts[0].data == b"text\n"
    assert taken(owner) == {"stdout": b"text\n"}
    assert taken(owner) == {}


def test_who_asks_for_more_has_had_what_came_before(place: Path) -> None:
    owner = finished(place, b"0123456789")
    place_of = cursor(owner)
    assert [place_of.poll(4).parts[0].data for _ in range(4)] == [b"0123", b"4567", b"89", b""]
    assert taken(owner) == {}


def test_an_acknowledgement_marks_just_that_and_is_safe_to_repeat(place: Path) -> None:
    owner = finished(place, b"0123456789")
    first = cursor(owner).poll(4)
    first.ack()
    second = cursor(owner).poll(4)
    assert second.parts[0].start == 4
    first.ack()
    second.ack()
    assert taken(owner) == {"stdout": b"89"}


def test_it_is_bounded_and_says_how_much_is_left(place: Path) -> None:
    owner = finished(place, b"a" * 100, b"b" * 3)
    news = cursor(owner).poll(11)
    assert [(part.stream, len(part.data), part.more) for part in news.parts] == [("stdout", 8, 92), ("stderr", 3, 0)]
    assert (news.more, news.is_over) == (92, False)


def test_one_stream_alone_leaves_the_other_where_it_is(place: Path) -> None:
    owner = finished(place, b"out", b"err")
    with cursor(owner).polled(streams=("stderr",)) as news:
        assert [part.data for part in news.parts] == [b"err"]
    assert taken(owner) == {"stdout": b"out"}


@settings(max_examples=15)
@given(text=st.text(max_size=40), bounds=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_pieces_are_whole_code_points_and_together_the_text(
    tmp_path_factory: pytest.TempPathFactory, text: str, bounds: list[int]
) -> None:
    place = tmp_path_factory.mktemp("conversation", numbered=True)
    owner, seen = finished(place, text.encode("utf-8", "replace")), ""
    place_of, number = cursor(owner), 0
    while not (news := place_of.poll(bounds[number % len(bounds)])).is_over or not news.is_empty:
        seen += news.parts[0].data.decode()
        number += 1
    assert seen == text.encode("utf-8", "replace").decode()


def test_exact_bytes_are_cut_anywhere(place: Path) -> None:
    owner = Owner(place)
    owner.append("stdout", "漢".encode())
    owner.receipt = replace(owner.receipt, representation=RepresentationFacts(kind=RepresentationKind.BINARY))
    owner.announce()
    assert cursor(owner).poll(1).parts[0].data == "漢".encode()[:1]
    owner.release()


def test_a_poll_swallows_no_notice_and_a_notice_moves_no_cursor(place: Path) -> None:
    """Who takes the last poll for the notice, or a notice for having read, tells one of both twice or never."""
    owner = Owner(place)
    owner.append("stdout", b"text")
    assert taken(owner) == {"stdout": b"text"}
    assert told(place) == []
    owner.append("stdout", b" and more")
    owner.finish()
    assert told(place) == [owner.id]
    assert taken(owner) == {"stdout": b" and more"}
    assert cursor(owner).poll().is_over
    assert told(place) == []
    assert told(place, "critic") == [owner.id], "whether or not it ever read a byte"


def test_a_changed_generation_is_an_error_with_a_way_on(place: Path) -> None:
    """Who goes on at the old offset skips some of the new text, or repeats some, without a word."""
    owner = Owner(place)
    owner.append("stdout", b"first text")
    assert taken(owner) == {"stdout": b"first text"}
    second = owner.folder / f"{owner.id}.stdout.g2.live"
    second.write_bytes(b"second, longer text")
    facts = replace(owner.receipt.streams["stdout"], generation=2, file=second.name)
    owner.announce(replace(owner.receipt, streams={**owner.receipt.streams, "stdout": facts}))
    with pytest.raises(CursorStale, match=r"10 bytes of generation 1.*generation 2.*--restart") as stale:
        taken(owner)
    assert (stale.value.stream, "\n" in str(stale.value)) == ("stdout", False)
    cursor(owner).restart()
    assert taken(owner) == {"stdout": b"second, longer text"}
    owner.release()


def test_text_that_was_lost_is_an_error_and_never_passed_over(place: Path) -> None:
    owner = finished(place, b"0123456789")
    assert taken(owner) == {"stdout": b"0123456789"}
    file = owner.path("stdout")
    os.truncate(file, 4)
    with pytest.raises(CursorStale, match="has only 4 bytes now"):
        taken(owner)
    cursor(owner).restart()
    assert taken(owner) == {"stdout": b"0123"}


def test_a_stream_that_is_gone_is_said_and_the_other_one_is_given(place: Path) -> None:
    owner = finished(place, b"out", b"err")
    owner.path("stdout").unlink()
    news = cursor(owner).poll()
    assert ([part.data for part in news.parts], list(news.gone)) == ([b"err"], ["stdout"])


@pytest.mark.parametrize("ref", ["", "@last", "/etc/passwd", "tool-outputs/../x", "tool-outputs/shell/nothing"])
def test_what_is_no_ref_is_refused(place: Path, ref: str) -> None:
    with pytest.raises(UnknownRef):
        Cursor(str(place), ref, "planner")


def test_a_removed_capture_is_said(place: Path) -> None:
    owner = finished(place)
    for file in owner.folder.iterdir():
        file.unlink()
    with pytest.raises(UnknownRef, match="not there any more"):
        taken(owner)


def test_of_two_processes_under_one_name_each_gets_other_bytes(place: Path) -> None:
    """Without a lock over hand-over and marker both get the same."""
    owner = finished(place, os.urandom(350).hex().encode())
    read, write = os.pipe()

    def drain() -> None:
        while True:
            with cursor(owner).polled(7) as news:
                if news.is_empty:
                    return
                os.write(write, news.parts[0].start.to_bytes(4, "big"))

    assert [end_of(pid) for pid in [forked(drain) for _ in range(3)]] == [0, 0, 0]
    os.close(write)
    with open(read, "rb") as file:
        data = file.read()
    starts = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    assert sorted(starts) == list(range(0, 700, 7))


def test_a_poll_that_finds_nothing_writes_nothing(place: Path) -> None:
    owner = finished(place)
    taken(owner)
    file = place / ".capview" / "consumers" / "planner" / "cursors"
    before = (file.stat().st_mtime_ns, file.read_bytes())
    taken(owner)
    assert (file.stat().st_mtime_ns, file.read_bytes()) == before


def test_cursors_of_many_polls_and_of_captures_that_are_gone_do_not_grow_for_ever(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "CONSUMER_STALE_LINES", 4)
    file = place / ".capview" / "consumers" / "planner" / "cursors"
    stays, sizes = Owner(place), []
    for number in range(30):
        stays.append("stdout", b"x")
        assert taken(stays) == {"stdout": b"x"}
        owner = finished(place, b"y")
        assert taken(owner) == {"stdout": b"y"}
        if number % 2:
            for path in owner.folder.glob(f"{owner.id}*"):
                path.unlink()
        sizes.append(len(file.read_text().split("\n")) - 2)
    assert max(sizes) < 2 * 16 + 8, "fifteen captures are there, and as many lines may tell nothing"
    assert taken(stays) == {}
    stays.release()


def test_a_cursor_that_a_crash_of_the_machine_spoilt_falls_back_and_loses_nothing(place: Path) -> None:
    owner = Owner(place)
    owner.append("stdout", b"one")
    taken(owner)
    owner.append("stdout", b"two")
    taken(owner)
    file = place / ".capview" / "consumers" / "planner" / "cursors"
    data = file.read_bytes()
    file.write_bytes(data[:-4] + b"\0\0\0\n")
    assert taken(owner) == {"stdout": b"two"}
    owner.release()


def test_a_damaged_file_is_one_clear_line(place: Path) -> None:
    owner = finished(place)
    taken(owner)
    file = place / ".capview" / "consumers" / "planner" / "cursors"
    file.write_bytes(b"\xff\n")
    with pytest.raises(PlaceRefused, match="move it away"):
        taken(owner)
    file.unlink()
    assert taken(owner) == {"stdout": b"out\n"}


def test_a_disk_that_keeps_no_cursor_is_said_and_the_text_comes_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = finished(place)
    taken(owner, "critic")

    def refuse(self: Journal, lines: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", refuse)
        with pytest.raises(Unmarked, match=r"no space left.*comes again"):
            taken(owner)
    assert taken(owner) == {"stdout": b"out\n"}


# -- the library ----------------------------------------------------------------------------------------------------


def test_a_host_polls_waits_follows_and_is_told(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path / "c"), slow_engine=True)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"echo one; read line < '{gate}'; echo two; exit 3"])
    place_of = conversation.cursor(job.ref, consumer="planner")
    while place_of.poll().is_empty:
        pass
    assert conversation.wait(job.ref, timeout=0) is None
    followed = conversation.follow(job.ref)
    assert next(followed).parts[0].data == b"one\n"
    gate.write_text("go\n")
    ended = conversation.wait(job.ref)
    assert ended is not None
    assert ended.process.exit_code == 3
    rest = list(followed)
    assert b"".join(part.data for news in rest for part in news.parts) == b"two\n"
    assert rest[-1].is_over
    assert place_of.poll().parts[0].data == b"two\n"
    for notice in conversation.notices(consumer="planner"):
        assert notice.ref == job.ref
        notice.ack()
    assert list(conversation.notices(consumer="planner")) == []
    job.join()


def test_a_killed_owner_ends_wait_and_follow(place: Path) -> None:
    owner = Owner(place)
    owner.append("stdout", b"text")
    followed = Watched(str(place), owner.ref).follow()
    assert next(followed).parts[0].data == b"text"
    owner.release()
    last: News = list(followed)[-1]
    assert last.is_over
    waited = Watched(str(place), owner.ref).wait()
    assert waited is not None
    assert waited.capture.reason == "owner-died"


def test_a_mistyped_path_is_refused_and_nothing_is_made_there(tmp_path: Path, place: Path) -> None:
    ref = Owner(place).ref
    with pytest.raises(PlaceRefused, match="no such file or directory"):
        Conversation.open(str(tmp_path / "typo")).cursor(ref, consumer="planner").poll()
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("max_bytes", [0, -1, "x", None, True, 1.5, 2**64])
def test_what_is_no_number_of_bytes_is_refused(place: Path, max_bytes: object) -> None:
    """Fails where it is counted with: it gave nothing for ever, a byte for ``True``, or a traceback."""
    with pytest.raises(BadInput, match="max_bytes must be a whole number of bytes"):
        cursor(Owner(place)).poll(max_bytes)  # type: ignore[arg-type]


@pytest.mark.parametrize("streams", ["stdout", [1], 5, ["nope"]])
def test_what_are_no_streams_is_refused(place: Path, streams: object) -> None:
    with pytest.raises(BadInput, match=r"streams|nope"), cursor(Owner(place)).polled(streams=streams):  # type: ignore[arg-type]
        pass


def test_a_host_is_called_when_the_receipt_can_be_read(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path / "c"), slow_engine=True)
    gate, heard = tmp_path / "gate", list[object]()
    os.mkfifo(gate)
    job = conversation.start(["sh", "-c", f"read line < '{gate}'; exit 3"])

    def fail(of: RunningJob) -> None:
        heard.append((tmp_path / "c" / f"{of.ref}.json").exists())
        raise ZeroDivisionError

    job.on_complete(fail)
    job.on_complete(lambda of: heard.append(of.wait(0)))
    gate.write_text("go\n")
    receipt = job.wait()
    with pytest.raises(ZeroDivisionError):
        job.join()
    assert heard == [True, receipt], "one that fails keeps no other from being called"
    job.on_complete(heard.append)
    assert heard[-1] is job
