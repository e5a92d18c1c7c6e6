"""Completion notices: each to each consumer, once; never before its receipt can be read, and never lost."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from capture_core import Conversation, notices
from capture_core.consumers import Consumer
from capture_core.directory import open_own
from capture_core.ended import Endings
from capture_core.errors import ConsumerBusy, PlaceRefused, Unmarked
from capture_core.facts import Liveness, ProcessState
from capture_core.journal import Journal
from capture_core.look import look
from capture_core.notices import Inbox
from tests.captures import FAILED, Owner, finished, new_id
from tests.death.stepped import forked


def told(place: Path, consumer: str = "planner", *, since_now: bool = False) -> list[str]:
    """Take and mark all notices."""
    with Inbox(str(place), consumer, since_now=since_now) as inbox:
        found = []
        for notice in inbox.look():
            found.append(notice.notice_id)
            notice.ack()
    return found


def delivered(place: Path, consumer: str = "planner") -> Path:
    return place / ".capview" / "consumers" / consumer / "delivered"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "conversation"
    made.mkdir(mode=0o700)
    return made


def test_each_consumer_is_told_once_of_each_that_has_ended(place: Path) -> None:
    one, two = finished(place, second=1), finished(place, second=2, process=FAILED)
    running = Owner(place, capture=new_id(3))
    assert told(place) == [one.id, two.id]
    assert told(place) == []
    running.finish()
    assert told(place) == [running.id]
    assert told(place, "critic") == [one.id, two.id, running.id]
    assert told(place) == told(place, "critic") == []


def test_one_that_ends_late_is_told_though_later_ones_were(place: Path) -> None:
    """Who remembers the latest that was told, by id or by time, never tells of this one."""
    early, late = Owner(place, capture=new_id(1)), finished(place, second=2)
    assert told(place) == [late.id]
    early.finish()
    assert told(place) == [early.id]


def test_one_that_began_when_the_clock_was_set_back_is_told(place: Path) -> None:
    """Who takes all ids up to a mark for delivered, but for those that ran then, never tells of this one."""
    assert told(place) == []
    later = finished(place, second=50)
    assert told(place) == [later.id]
    earlier = finished(place, second=1)
    assert told(place) == [earlier.id]


def test_none_is_told_before_its_receipt_can_be_read(place: Path) -> None:
    """Who tells when the process has ended, or its files are renamed, tells too early."""
    owner = Owner(place)
    owner.say(FAILED, owner.receipt.capture)
    owner.rename_streams()
    assert told(place) == []
    owner.publish(FAILED)
    with Inbox(str(place), "planner") as inbox:
        [notice] = inbox.look()
        assert (notice.entry.liveness, notice.entry.process.exit_code) == (Liveness.FINAL, 2)
        assert Path(place, f"{notice.ref}.json").exists()


def test_a_killed_owner_is_an_end(place: Path) -> None:
    owner = Owner(place)
    assert told(place) == []
    owner.release()
    with Inbox(str(place), "planner") as inbox:
        [notice] = inbox.look()
        assert (notice.ref, notice.entry.process.state) == (owner.ref, ProcessState.UNKNOWN)
        notice.ack()
    assert told(place) == []


def test_another_machine_s_is_no_end_while_nobody_can_tell(place: Path) -> None:
    owner = Owner(place, host="far", boot_id="far")
    owner.release()
    assert told(place) == []


def test_what_was_not_marked_comes_again_with_the_same_id(place: Path) -> None:
    """Who marks what it yields, before it was handed over, loses it when the host dies."""
    one, two = finished(place, second=1), finished(place, second=2)
    with Inbox(str(place), "planner") as inbox:
        first = [notice.notice_id for notice in inbox.look()]
    assert first == [one.id, two.id] == told(place)


def test_a_notice_may_be_marked_late_twice_and_elsewhere(place: Path) -> None:
    finished(place, second=1)
    other = finished(place, second=2)
    with Inbox(str(place), "planner") as inbox:
        [notice, _] = inbox.look()
    notice.ack()
    thread = threading.Thread(target=notice.ack, name="acknowledging")
    thread.start()
    thread.join()
    assert told(place) == [other.id]
    assert delivered(place).read_text().count(notice.notice_id) == 1


def test_marks_by_threads_while_the_next_are_taken(place: Path) -> None:
    owners = [finished(place) for _ in range(20)]
    threads = []
    with Inbox(str(place), "planner") as inbox:
        for notice in inbox.look():
            threads.append(threading.Thread(target=notice.ack, name="acknowledging"))
            threads[-1].start()
    for thread in threads:
        thread.join()
    assert sorted(delivered(place).read_text().split()[3:]) == sorted(owner.id for owner in owners)


def test_a_mark_that_comes_while_the_next_look_begins_erases_none_of_another(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was added at the end that the file had at the look before: what another had marked since came again."""
    owners = [finished(place, second=second) for second in range(3)]
    late: list[threading.Thread] = []
    refresh = Endings.refresh

    def refresh_meanwhile(endings: Endings) -> None:
        refresh(endings)
        late.append(threading.Thread(target=first.ack, name="acknowledging"))
        late[0].start()
        late[0].join(0.2)

    with Inbox(str(place), "planner") as inbox:
        first = next(iter(list(inbox.look())))
        with Inbox(str(place), "planner") as another:
            for notice in another.look():
                if notice.notice_id != first.notice_id:
                    notice.ack()
        monkeypatch.setattr(Endings, "refresh", refresh_meanwhile)
        again = {notice.notice_id for notice in inbox.look()}
    late[0].join()
    monkeypatch.undo()
    assert again <= {first.notice_id}
    assert told(place) == []
    assert all(delivered(place).read_text().count(owner.id) == 1 for owner in owners)


def test_what_is_marked_while_a_look_goes_on_does_not_come_in_it(place: Path) -> None:
    """What was to come was decided at its start."""
    finished(place, second=1), finished(place, second=2)
    with Inbox(str(place), "planner") as inbox:
        _, second = inbox.look()
        look = inbox.look()
        next(look)
        second.ack()
        assert list(look) == []


def test_from_now_on_leaves_out_what_has_ended_and_nothing_later(place: Path) -> None:
    finished(place)
    dead, running = Owner(place), Owner(place, capture=new_id(1))
    dead.release()
    assert told(place, since_now=True) == []
    running.finish()
    late = finished(place, second=2)
    assert told(place, since_now=True) == [running.id, late.id], "a later use goes on where the consumer is"


def test_the_first_use_of_a_place_where_nothing_was_captured_yet(tmp_path: Path) -> None:
    place = tmp_path / "conversation"
    assert told(place, since_now=True) == []
    assert place.stat().st_mode & 0o7777 == 0o700
    owner = finished(place)
    assert told(place) == [owner.id]


def test_one_that_is_removed_before_it_was_told_is_no_error(place: Path) -> None:
    one, two, three = (finished(place, second=second) for second in (1, 2, 3))
    with Inbox(str(place), "planner") as inbox:
        look = inbox.look()
        assert next(look).notice_id == one.id
        for file in two.folder.glob(f"{two.id}*"):
            file.unlink()
        assert [notice.notice_id for notice in look] == [three.id]


def test_one_whose_receipt_cannot_be_believed_is_named_and_told_when_it_can(place: Path) -> None:
    owner, good = finished(place), finished(place)
    receipt = owner.folder / f"{owner.id}.json"
    kept = receipt.read_bytes()
    receipt.write_bytes(b"{}")
    (place / "tool-outputs" / "linked").symlink_to("/")
    with Inbox(str(place), "planner") as inbox:
        for notice in inbox.look():
            assert notice.notice_id == good.id
            notice.ack()
        assert sorted(inbox.unreadable) == ["tool-outputs/linked", owner.ref]
    receipt.write_bytes(kept)
    assert told(place) == [owner.id]


def test_two_of_one_name_never_tell_the_same_one_at_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(place)
    monkeypatch.setattr(Consumer.turn.__wrapped__, "__defaults__", (0.01,))  # type: ignore[attr-defined]
    with Inbox(str(place), "planner") as one, Inbox(str(place), "planner") as two:
        look = one.look()
        next(look)
        with pytest.raises(ConsumerBusy):
            next(two.look())
        look.close()
        assert len(list(two.look())) == 1


def test_an_abandoned_look_lets_go_of_the_consumer(place: Path) -> None:
    finished(place)
    with Inbox(str(place), "planner") as inbox:
        next(inbox.look())
    assert len(told(place)) == 1


# -- what is kept ---------------------------------------------------------------------------------------------------


def test_three_hundred_that_were_told_cost_no_receipt(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who judges by receipts reads them all, each time."""
    first = finished(place)
    for n in range(300):
        capture = f"20261130T130000Z-{n:016}".translate(str.maketrans("0189", "abcd"))
        (first.folder / f"{capture}.json").write_bytes(b"{}")
        if n == 0:
            assert told(place) == [first.id]
        with delivered(place).open("a") as file:
            file.write(f"{capture}\n")
    looked = []

    def counted(*given: object) -> object:
        looked.append(given)
        return look(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("capture_core.catalog.look", counted)
    assert told(place) == []
    assert told(place, "critic", since_now=True) == []
    assert looked == []
    running = Owner(place)
    assert told(place) == []
    assert len(looked) == 1
    running.finish()
    assert told(place) == [running.id]


def test_what_is_known_of_captures_that_are_gone_does_not_grow_for_ever(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "CONSUMER_STALE_LINES", 4)
    stays = finished(place, tool="python")
    sizes = []
    for _ in range(40):
        owner = finished(place, second=1)
        assert told(place)[-1] == owner.id
        for file in owner.folder.iterdir():
            file.unlink()
        sizes.append(len(delivered(place).read_text().split("\n")) - 2)
    assert max(sizes) <= 7
    assert stays.id in delivered(place).read_text()
    assert told(place) == []


def test_nothing_is_forgotten_while_a_folder_cannot_be_listed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes what it does not see for gone tells all of it again."""
    monkeypatch.setattr(notices, "CONSUMER_STALE_LINES", 2)
    owners = [finished(place) for _ in range(9)]
    assert len(told(place)) == 9
    folder = owners[0].folder
    folder.rename(place / "away")
    folder.symlink_to(place / "away")
    assert told(place) == []
    folder.unlink()
    (place / "away").rename(folder)
    assert told(place) == []


def test_a_marker_that_a_crash_of_the_machine_spoilt_repeats_and_loses_nothing(place: Path) -> None:
    one, two = finished(place, second=1), finished(place, second=2)
    assert told(place) == [one.id, two.id]
    data = delivered(place).read_bytes()
    delivered(place).write_bytes(data[:-20] + bytes(20) + b"\n")
    assert told(place) == [two.id]
    assert told(place) == []


@pytest.mark.parametrize("content", [b"", b"\0" * 60, b"garbage\n"])
def test_a_damaged_file_is_one_clear_line_and_the_way_on_is_true(place: Path, content: bytes) -> None:
    one = finished(place)
    assert told(place) == [one.id]
    delivered(place).write_bytes(content)
    with pytest.raises(PlaceRefused, match="damaged, or not ours; move it away") as refused:
        told(place)
    assert "\n" not in str(refused.value)
    delivered(place).rename(delivered(place).with_name("away"))
    assert told(place) == [one.id]


def test_a_disk_that_takes_no_mark_is_said_and_the_notice_comes_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = finished(place)
    with Inbox(str(place), "planner") as inbox:
        [notice] = inbox.look()

    def refuse(self: Journal, lines: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", refuse)
        with pytest.raises(Unmarked, match="comes again"):
            notice.ack()
    assert told(place) == [one.id]


def test_where_nothing_can_be_kept_nothing_is_given(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds out only when it marks gives the same notices for ever."""
    finished(place)

    def refuse(self: Journal, lines: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "make", refuse)
    given: list[notices.Notice] = []
    with Inbox(str(place), "planner") as inbox, pytest.raises(PlaceRefused, match=r"no space left.*nothing was given"):
        given.extend(inbox.look())
    assert given == []


# -- many at once ---------------------------------------------------------------------------------------------------


def follow_to(place: Path, consumer: str, tell: int) -> None:
    with Inbox(str(place), consumer) as inbox:
        for notice in inbox.follow():
            os.write(tell, f"{notice.notice_id}\n".encode())
            notice.ack()


def read_until(fd: int, found: list[str], wanted: set[str], *, at_least: int | None = None) -> None:
    rest = b""
    while (len(set(found) & wanted) < len(wanted)) if at_least is None else (len(found) < at_least):
        *lines, rest = (rest + os.read(fd, 4096)).split(b"\n")
        found += [line.decode() for line in lines]


def test_fifty_that_end_within_a_millisecond_each_to_each_of_two_one_of_which_is_restarted(place: Path) -> None:
    """Who asks once after each event, or by the time of the last look, misses some of them."""
    owners = [Owner(place) for _ in range(50)]
    finals = [owner.folder / f"{owner.id}.json" for owner in owners]
    for owner, final in zip(owners, finals, strict=True):
        owner.rename_streams()
        owner.publish()
        final.rename(final.with_suffix(".later"))
    pipes = [os.pipe(), os.pipe()]
    names = ("planner", "critic")
    pids = [
        forked(lambda name=name, tell=pipe[1]: follow_to(place, name, tell))  # type: ignore[misc]
        for name, pipe in zip(names, pipes, strict=True)
    ]
    for final in finals:
        final.with_suffix(".later").rename(final)
    wanted = {owner.id for owner in owners}
    heard: dict[str, list[str]] = {name: [] for name in names}
    read_until(pipes[0][0], heard["planner"], wanted, at_least=10)
    os.kill(pids[0], signal.SIGKILL)
    os.waitpid(pids[0], 0)
    pids[0] = forked(lambda: follow_to(place, "planner", pipes[0][1]))
    for name, pipe in zip(names, pipes, strict=True):
        read_until(pipe[0], heard[name], wanted)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert set(heard["planner"]) == set(heard["critic"]) == wanted
    assert len(heard["critic"]) == 50
    assert len(heard["planner"]) <= 51, "only what was handed over and not marked when it was killed comes again"
    for pipe in pipes:
        os.close(pipe[0])
        os.close(pipe[1])
    for owner in owners:
        owner.release()


def test_a_mistyped_path_is_refused_and_nothing_is_made_there(tmp_path: Path) -> None:
    """Fails where the folder of a consumer is made wherever asked: there was nothing to tell, for ever."""
    with pytest.raises(PlaceRefused, match="no such file or directory"):
        list(Conversation.open(str(tmp_path / "typo")).notices(consumer="planner"))
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_conversation_that_was_moved_meanwhile_is_refused(place: Path, *, is_replaced: bool) -> None:
    """Fails where a consumer's open folder is enough: it was silence, whatever ended in the other place."""
    with Inbox(str(place), "planner") as inbox:
        assert list(inbox.look()) == []
        place.rename(place.with_name("moved"))
        if is_replaced:
            place.mkdir(mode=0o700)
        with pytest.raises(PlaceRefused, match="moved, removed or replaced"):
            list(inbox.look())


@pytest.mark.long
def test_five_hundred_real_jobs_each_to_each(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path / "c"), slow_engine=True)
    heard: dict[str, list[str]] = {name: [] for name in ("planner", "critic")}
    wanted: set[str] = set()
    for _ in range(10):
        gate = tmp_path / "gate"
        os.mkfifo(gate)
        jobs = [conversation.start(["sh", "-c", f"read line < '{gate}'"]) for _ in range(50)]
        os.close(os.open(gate, os.O_RDWR))
        while any(job.wait(0) is None for job in jobs):
            for name in heard:
                heard[name] += told(tmp_path / "c", name)
            # Whoever opens the gate for reading in between is let through too.
            os.close(os.open(gate, os.O_RDWR))
        wanted |= {job.ref.rpartition("/")[2] for job in jobs}
        gate.unlink()
    for name, before in heard.items():
        found = before + told(tmp_path / "c", name)
        assert (len(found), set(found)) == (500, wanted)


def test_endings_are_listed_again_only_when_a_folder_has_changed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = finished(place)
    os.utime(owner.folder, (1, 1))
    endings = Endings(str(place))
    endings.refresh()
    listed: list[int] = []
    real = os.listdir

    def counted(fd: int) -> list[str]:
        listed.append(fd)
        return real(fd)

    monkeypatch.setattr(os, "listdir", counted)
    endings.refresh()
    assert len(listed) == 1, "tool-outputs itself, and no folder in it"
    assert endings.captures() == {owner.id}


def test_the_folder_is_not_made_for_who_may_not_write(place: Path) -> None:
    directory, _ = open_own(str(place))
    directory.close()
    (place / ".capview").write_text("in the way")
    with pytest.raises(PlaceRefused):
        told(place)
