"""``capview notices``: each ending once to each consumer, by whatever its stdout is, and what it says beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from capture_core.consumers import Consumer, Turn
from capture_core.journal import Journal
from tests.captures import FAILED, Owner, finished
from tests.commands import Here, capview

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    (tmp_path / "c").mkdir(mode=0o700)
    return Here(tmp_path / "c", capfdbinary)


@contextmanager
def following(conversation: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    words = ["capview", "notices", "--consumer", "a", "--follow", "--conversation", str(conversation), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def line(child: subprocess.Popen[bytes]) -> bytes:
    assert child.stdout
    return child.stdout.readline()


def test_each_ending_is_one_line_once(here: Here) -> None:
    one = finished(here.conversation, second=1, label="make [red]\x1b[2J")
    two = finished(here.conversation, second=2, process=FAILED, label=None)
    code, out, err = here("notices", "--consumer", "a")
    assert (code, err) == (0, b"")
    assert out.decode().splitlines() == [
        f"{one.ref}  ok, log complete  make [red]\\e[2J",
        f"{two.ref}  failed, log complete",
    ]
    assert here("notices", "--consumer", "a") == (1, b"", b"")
    assert here("notices", "--consumer", "b")[1] == out


def test_json_gives_the_receipt_and_the_id_of_the_notice(here: Here) -> None:
    owner = finished(here.conversation, process=FAILED)
    said = json.loads(here("notices", "--consumer", "a", "--json")[1])
    assert (said["notice_id"], said["ref"], said["process"]["exit_code"]) == (owner.id, owner.ref, 2)
    assert said["liveness"] == "final"


def test_a_mistyped_path_is_refused(here: Here, tmp_path: Path) -> None:
    code, out, err = here("notices", "--consumer", "a", "--conversation", str(tmp_path / "typo"))
    assert (code, out) == (2, b"")
    assert b"no such file or directory" in err
    assert not (tmp_path / "typo").exists()


def test_from_now_on(here: Here) -> None:
    finished(here.conversation, second=1)
    assert here("notices", "--consumer", "a", "--since", "now") == (0, b"", b"")
    assert here("notices", "--consumer", "a", "--since", "now") == (1, b"", b"")
    late = finished(here.conversation, second=2)
    assert here("notices", "--consumer", "a", "--since", "now")[1].startswith(late.ref.encode())


def test_it_follows_until_it_is_ended_and_knows_a_killed_owner(here: Here) -> None:
    """Who lets ``^C`` in between hand-over and mark tells it again."""
    one, dead = finished(here.conversation), Owner(here.conversation)
    with following(here.conversation) as child:
        assert line(child).startswith(one.ref.encode())
        dead.release()
        assert line(child).startswith(f"{dead.ref}  end unknown, log cut: its owner died".encode())
        # At once: it may not have marked yet what it has printed.
        child.send_signal(signal.SIGINT)
        assert child.communicate() == (b"", b"")
        assert child.returncode == 130
    assert here("notices", "--consumer", "a")[0] == 1


def test_it_follows_where_nothing_was_captured_yet(tmp_path: Path) -> None:
    conversation = tmp_path / "new"
    with following(conversation, "--since", "now") as child:
        while not (conversation / ".capview/consumers/a/delivered").exists():
            assert child.poll() is None
        done = capview("run", "--quiet", "--conversation", str(conversation), "--", "sh", "-c", "exit 3")
        assert done.returncode == 3
        assert b"  failed, log complete  " in line(child)


def test_a_stdout_that_takes_nothing_loses_nothing(here: Here) -> None:
    """Who marks before it prints loses the notice."""
    owner = finished(here.conversation)
    words = ["capview", "notices", "--consumer", "a", "--conversation", str(here.conversation)]
    read, write = os.pipe()
    os.close(read)
    assert subprocess.run(words, stdout=write, check=False).returncode == 141
    os.close(write)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"capview: No space left on device\n")
    assert here("notices", "--consumer", "a")[1].startswith(owner.ref.encode())


def test_a_bad_receipt_is_said_once_and_no_notice(here: Here) -> None:
    owner = finished(here.conversation, second=1)
    good = finished(here.conversation, second=2)
    (owner.folder / f"{owner.id}.json").write_bytes(b"{}")
    code, out, err = here("notices", "--consumer", "a")
    assert (code, out.split()[0].decode()) == (0, good.ref)
    assert err.decode().startswith(f"capview: {owner.ref}: its receipt")
    assert err.count(b"\n") == 1
    assert here("notices", "--consumer", "a")[0] == 1


def test_a_damaged_state_is_2_with_a_way_on(here: Here) -> None:
    owner = finished(here.conversation)
    here("notices", "--consumer", "a")
    state = here.conversation / ".capview/consumers/a/delivered"
    state.write_bytes(b"\0" * 100)
    code, out, err = here("notices", "--consumer", "a")
    assert (code, out, err.count(b"\n")) == (2, b"", 1)
    assert str(state).encode() in err
    assert b"move it away" in err
    state.rename(state.with_name("away"))
    assert here("notices", "--consumer", "a")[1].startswith(owner.ref.encode())


@pytest.mark.parametrize("turn", list(Turn), ids=str)
def test_the_second_of_one_name_is_refused_clearly_when_the_first_does_not_go_on(
    here: Here, monkeypatch: pytest.MonkeyPatch, turn: Turn
) -> None:
    finished(here.conversation)
    monkeypatch.setattr(Consumer.turn.__wrapped__, "__defaults__", (0.01,))  # type: ignore[attr-defined]
    words = ["notices"] if turn is Turn.NOTICES else ["poll", "@last"]
    with Consumer(str(here.conversation), "a") as first, first.turn(turn):
        code, out, err = here(*words, "--consumer", "a")
        assert (code, out) == (2, b"")
        assert err.startswith(b"capview: consumer 'a': another process is at it, under the same name, or ")
    assert here(*words, "--consumer", "a")[0] == 0


@pytest.mark.parametrize("words", [["notices"], ["poll", "@last"]], ids=lambda words: words[0])
def test_a_disk_that_takes_no_mark_is_1_and_one_line_and_it_comes_again(
    here: Here, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    finished(here.conversation)

    def refuse(self: Journal, lines: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", refuse)
        code, out, err = here(*words, "--consumer", "a")
    assert code == 1
    assert b"cannot be marked as given to 'a' (no space left on device): it comes again" in err.splitlines()[-1]
    assert here(*words, "--consumer", "a")[:2] == (0, out)
