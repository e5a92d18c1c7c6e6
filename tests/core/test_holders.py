"""Who holds a pipe or a terminal: found by real processes with real descriptors, in time, and named safely."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core import holders, processes
from capture_core.errors import EngineUnavailable
from capture_core.facts import OtherProcess
from capture_core.limits.capturing import OTHER_PROCESS_CHARS, OTHER_PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Pipe:
    """A pipe of ours; ``held`` starts somebody who holds its writing end, or whatever ``fd`` is."""

    def __init__(self) -> None:
        self.read, self.write = os.pipe()
        self._started: list[subprocess.Popen[bytes]] = []

    def held(self, *argv: str, fd: int | None = None) -> int:
        child = subprocess.Popen(argv or ("sleep", "60"), stdin=subprocess.PIPE, stdout=fd or self.write)
        self._started.append(child)
        return child.pid

    def let_go(self) -> None:
        if self.write >= 0:
            os.close(self.write)
            self.write = -1

    def close(self) -> None:
        self.let_go()
        os.close(self.read)
        self.end_all()

    def end_all(self) -> None:
        while self._started:
            child = self._started.pop()
            child.kill()
            child.communicate()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close()


def found(fd: int, mask: Callable[[str], str] = str) -> tuple[OtherProcess, ...]:
    told = holders.Search(fd, patience_seconds=30).result(mask)
    assert told is not None
    return told


def test_those_who_can_write_are_named_and_those_who_read_are_not(pipe: Pipe) -> None:
    pid = pipe.held()
    reader = subprocess.Popen(["sleep", "60"], stdin=pipe.read)
    pipe.let_go()
    try:
        assert found(pipe.read) == (OtherProcess(pid=pid, name="sleep"),)
    finally:
        reader.kill()
        reader.wait()


def test_we_are_named_as_well_when_it_is_we_who_hold_it(pipe: Pipe) -> None:
    """As a fork of the host may, which was made while the child was started."""
    assert [process.pid for process in found(pipe.read)] == [os.getpid()]


def test_nobody_is_an_answer(pipe: Pipe) -> None:
    pipe.let_go()
    assert found(pipe.read) == ()


def test_of_many_the_first_are_named(pipe: Pipe) -> None:
    pids = sorted(pipe.held() for _ in range(OTHER_PROCESSES + 2))
    pipe.let_go()
    assert [process.pid for process in found(pipe.read)] == pids[:OTHER_PROCESSES]


def test_each_stream_has_its_own(pipe: Pipe) -> None:
    other = Pipe()
    try:
        pid = pipe.held()
        pipe.let_go()
        other.let_go()
        assert found(pipe.read) == (OtherProcess(pid=pid, name="sleep"),)
        assert found(other.read) == ()
    finally:
        other.close()


def test_a_terminal_s_are_those_who_have_it_open() -> None:
    master, slave = os.openpty()
    child = subprocess.Popen(["sleep", "60"], stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    try:
        assert found(master) == (OtherProcess(pid=child.pid, name="sleep"),)
    finally:
        child.kill()
        child.wait()
        os.close(master)


def test_what_is_neither_has_nothing_to_go_by() -> None:
    with open(os.devnull, "rb") as nothing:
        assert holders.link_of(nothing.fileno()) is None
        assert holders.Search(nothing.fileno()).result(str) is None
    assert holders.link_of(99_999) is None


def test_who_has_gone_when_the_writer_asks_was_there_when_the_stream_was_given_up(pipe: Pipe) -> None:
    """Looked for at the end of a writer that is slow, a receipt said that nobody had held what was cut."""
    pid = pipe.held()
    pipe.let_go()
    search = holders.Search(pipe.read, patience_seconds=30)
    assert search.result(str)
    pipe.end_all()
    assert search.result(str) == (OtherProcess(pid=pid, name="sleep"),)


def test_a_search_that_does_not_come_back_is_left_behind(monkeypatch: pytest.MonkeyPatch, pipe: Pipe) -> None:
    """A read of /proc can wait for a process that the kernel holds: the end of the job does not."""
    over = threading.Event()

    def stuck() -> processes.Table:
        over.wait(30)
        return {}

    monkeypatch.setattr(processes, "table", stuck)
    try:
        assert holders.Search(pipe.read, patience_seconds=0.01).result(str) is None
    finally:
        over.set()
        for thread in threading.enumerate():
            if thread.name == "holder-search":
                thread.join()


def test_names_are_masked_and_bounded() -> None:
    assert holders.name(7, "x" * 15, lambda name: f"<{name}>" * 100).name == ("<" + "x" * 15 + ">") * 3 + "<" + "x" * 12
    assert len(holders.name(7, "x", lambda _: "y" * 1000).name) == OTHER_PROCESS_CHARS


def test_where_nothing_masks_a_process_has_no_name() -> None:
    def refuse(_: str) -> str:
        raise EngineUnavailable("there is none")

    assert holders.name(7, "secret", refuse) == OtherProcess(pid=7, name="")


def test_processes_that_come_and_go_meanwhile_are_no_error(pipe: Pipe) -> None:
    pid = pipe.held("sh", "-c", "while :; do /bin/true; done")
    pipe.let_go()
    for _ in range(5):
        assert pid in [process.pid for process in found(pipe.read)]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 9)
