"""A text while it is saved: live to readers, saved by many at once, by one that is killed, by one that forks."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from capture_core.errors import Refused
from capture_core.facts import CaptureReason, CaptureState, Liveness, ProcessState
from tests.core.saved import looked_at, run, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core import Conversation


def test_while_it_is_read_it_is_live_and_nothing_is_final(conversation: Conversation, place: Path) -> None:
    seen: list[object] = []

    def parts() -> Iterator[str]:
        yield "begun\n"
        [entry] = looked_at(place)
        seen.append((entry.liveness, entry.process.state, entry.capture.state, entry.receipt.label))
        seen.append(sorted(path.name.partition(".")[2] for path in (place / "tool-outputs" / "browser").iterdir()))
        seen.append((place / "tool-outputs" / "browser" / entry.receipt.streams["content"].file).read_text())
        yield "ended\n"

    receipt = conversation.save("browser", parts(), label="a page")
    assert seen == [
        (Liveness.LIVE, ProcessState.NONE, CaptureState.PENDING, "a page"),
        ["content.live", "live.json"],
        "begun\n",
    ]
    assert text(place, receipt) == "begun\nended\n"


def test_a_killed_saver_leaves_what_says_so(conversation: Conversation, place: Path) -> None:
    code = """
def parts():
    yield 'begun\\n'
    os.write(1, b'written')
    os.read(0, 1)

save('browser', parts(), upstream='unknown')
"""
    with run(code, str(place), stdin=subprocess.PIPE) as saver:
        assert saver.stdout is not None
        assert saver.stdout.read(7) == b"written"
        [entry] = looked_at(place)
        assert entry.liveness is Liveness.LIVE
        os.kill(saver.pid, signal.SIGKILL)
        saver.wait()
    [entry] = looked_at(place)
    assert (entry.liveness, entry.process.state) == (Liveness.OWNER_DIED, ProcessState.NONE)
    assert (entry.capture.state, entry.capture.reason) == (CaptureState.PARTIAL, CaptureReason.OWNER_DIED)
    assert text(place, entry.receipt) == "begun\n"
    # A later one neither takes it over nor removes it.
    conversation.save("browser", "another\n")
    assert {entry.liveness for entry in looked_at(place)} == {Liveness.OWNER_DIED, Liveness.FINAL}


def test_many_at_once_never_meet(place: Path) -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
def one(n):
    receipt = save('browser', [f'{os.getpid()} ', f'{n}\\n'])
    return f'{receipt.ref} {os.getpid()} {n}'
with ThreadPoolExecutor(4) as threads:
    print(*threads.map(one, range(10)), sep='\\n')
"""
    savers = [run(code, str(place)) for _ in range(4)]
    lines = [line for saver in savers for line in saver.communicate()[0].decode().splitlines()]
    assert [saver.returncode for saver in savers] == [0] * 4
    said = {ref: f"{pid} {n}\n" for ref, pid, n in map(str.split, lines)}
    assert len(said) == 40
    entries = looked_at(place)
    assert {entry.receipt.ref: text(place, entry.receipt) for entry in entries} == said
    assert {(entry.liveness, entry.capture.state) for entry in entries} == {(Liveness.FINAL, CaptureState.COMPLETE)}


def test_threads_of_one_host_share_a_conversation(conversation: Conversation, place: Path) -> None:
    gate = threading.Barrier(4)

    def one(n: int) -> str:
        gate.wait()
        return text(place, conversation.save("browser", f"{n}\n"))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(one, range(4))) == ["0\n", "1\n", "2\n", "3\n"]


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_modes_hold_under_any_umask(place: Path, umask: int) -> None:
    with run(f"os.umask({umask}); save('browser', 'text')", str(place), umask=-1) as saver:
        assert saver.wait() == 0
    modes = {path.relative_to(place).parts[-1].partition(".")[2] or "folder": path for path in place.rglob("*")}
    assert {name: path.stat().st_mode & 0o7777 for name, path in modes.items() if name.endswith(("json", "txt"))} == {
        "json": 0o400,
        "content.txt": 0o400,
    }
    folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o7777 for path in folders} == {0o700}


def test_a_host_that_forks_while_it_saves_keeps_no_owner_alive(conversation: Conversation, place: Path) -> None:
    pids = []

    def parts() -> Iterator[str]:
        yield "begun\n"
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        pids.append(pid)
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt, Refused):
        conversation.save("browser", parts())
    [entry] = looked_at(place)
    assert entry.liveness is Liveness.FINAL
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
