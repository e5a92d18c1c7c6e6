"""Lines of /proc read whatever a process calls itself, and a signal that reaches who is meant, or nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from capture_core import processes
from capture_core.processes import Process


def process(pid: int, parent: int, *, group: int = 0, session: int = 0, state: str = "S", name: str = "p") -> Process:
    return Process(pid, name, state, parent, group or pid, session or 1, threads=1, started=pid * 10, resident_pages=1)


def table(*found: Process) -> processes.Table:
    return {each.pid: each for each in found}


def line(name: bytes) -> bytes:
    return b"17 (" + name + b") S 1 17 16 0 -1 4194304 1 0 0 0 2 3 0 0 20 0 5 0 4711 9000 250 1844 1 1 0\n"


@given(st.binary(max_size=64))
def test_a_name_may_hold_anything(name: bytes) -> None:
    """``split()`` on the whole line fails at the first process called ``a b`` or ``) Z 1``."""
    found = processes.parse(17, line(name))
    assert found is not None
    assert os.fsencode(found.name) == name
    assert found[2:] == ("S", 1, 17, 16, 5, 4711, 250)


@given(st.binary(max_size=64))
def test_what_is_no_such_line_is_nothing(data: bytes) -> None:
    assert processes.parse(1, data) is None or b")" in data


def test_we_are_found_with_our_parent_and_group() -> None:
    seen = processes.table()
    me = seen[os.getpid()]
    assert (me.parent, me.group, me.session) == (os.getppid(), os.getpgrp(), os.getsid(0))
    assert me.is_alive
    assert me.resident_pages > 0


def test_descendants_are_those_below_at_any_depth() -> None:
    seen = table(process(1, 0), process(2, 1), process(3, 2), process(4, 3), process(5, 1), process(6, 99))
    assert processes.below(seen, [2]) == {3, 4}
    assert processes.below(seen, [2, 5]) == {3, 4}
    assert processes.below(seen, [1]) == {2, 3, 4, 5}
    assert processes.below(seen, [77]) == set()


def test_a_loop_in_what_was_read_while_it_changed_ends() -> None:
    """Each line is of another moment: an id may have been given anew between two."""
    assert processes.below(table(process(2, 3), process(3, 2)), [2]) == {2, 3}


def test_a_process_whose_first_thread_alone_has_ended_is_alive() -> None:
    assert not process(2, 1, state="Z").is_alive
    assert process(2, 1, state="Z")._replace(threads=2).is_alive


def test_a_signal_reaches_the_process_that_is_meant() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        found = processes.look(child.pid)
        assert found is not None
        assert processes.send(found, [signal.SIGTERM])
    assert child.returncode == -signal.SIGTERM


def test_a_stranger_with_the_same_id_is_not_signalled() -> None:
    """``os.kill(pid, …)`` cannot tell; here the id is that of another process than was seen."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        found = processes.look(stranger.pid)
        assert found is not None
        assert not processes.send(found._replace(started=found.started - 1), [signal.SIGKILL])
        assert stranger.poll() is None
        stranger.communicate(b"\n")
    assert stranger.returncode == 0


def test_one_that_is_gone_is_not_signalled() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        found = processes.look(child.pid)
        child.kill()
    assert found is not None
    assert not processes.send(found, [signal.SIGKILL])
    assert processes.look(child.pid) is None
