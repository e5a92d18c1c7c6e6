"""Adopting and reaping: in a process of its own, which the test's may not become."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from capture_core import orphans

ADOPT = """
import os, signal, subprocess, sys
from capture_core import orphans
assert not orphans.is_adopting()
assert orphans.adopt() and orphans.is_adopting()
"""
A_FORK_ADOPTS_NOTHING = """
pid = os.fork()
if pid == 0:
    os._exit(7 if orphans.is_adopting() else 0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
AN_ORPHAN_IS_OURS_AND_REAPED = """
hide = "setsid sh -c 'echo $$; exec sleep 60 >&- 2>&-' &"
made = subprocess.run(["sh", "-c", hide], stdout=subprocess.PIPE).stdout
orphan = int(made)
with open(f"/proc/{orphan}/stat") as file:
    assert file.read().rpartition(")")[2].split()[1] == str(os.getpid())
orphans.reap_adopted(leader=0)
handle = os.pidfd_open(orphan)
os.kill(orphan, signal.SIGKILL)
import threading
for thread in threading.enumerate():
    if thread.name == "orphan-reaper":
        thread.join()
print(os.path.exists(f"/proc/{orphan}"))
"""
WHAT_IS_SOMEBODY_ELSE_S_TO_REAP_IS_LEFT = """
leader = subprocess.Popen(["sh", "-c", "read x; exit 6"], stdin=subprocess.PIPE, process_group=0)
orphans.reap_adopted(leader.pid)
own = subprocess.Popen(["sh", "-c", "exit 5"])
os.waitid(os.P_PID, own.pid, os.WEXITED | os.WNOWAIT)
leader.stdin.close()
os.waitid(os.P_PID, leader.pid, os.WEXITED | os.WNOWAIT)
print(own.wait(), leader.wait())
"""
WHAT_HAS_ENDED_IS_REAPED_AT_LAST = """
ended = [subprocess.Popen(["true"], process_group=0) for _ in range(3)]
running = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for child in ended:
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
orphans.reap_ended()
print(*(os.path.exists(f"/proc/{child.pid}") for child in ended), running.poll())
running.kill()
"""
NOBODY_BUT_THE_DEAD = """
leader = subprocess.Popen(["true"])
os.waitid(os.P_PID, leader.pid, os.WEXITED | os.WNOWAIT)
said = [orphans.has_living()]
made = subprocess.run(["sh", "-c", "setsid sh -c 'echo $$; exec sleep 60 >&- 2>&-' &"], stdout=subprocess.PIPE).stdout
for number in (0, signal.SIGSTOP, signal.SIGKILL):
    os.kill(int(made), number)
    if number == signal.SIGKILL:
        os.waitid(os.P_PID, int(made), os.WEXITED | os.WNOWAIT)
    said.append(orphans.has_living())
print(*said)
"""


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        (A_FORK_ADOPTS_NOTHING, "0"),
        (AN_ORPHAN_IS_OURS_AND_REAPED, "False"),
        (WHAT_IS_SOMEBODY_ELSE_S_TO_REAP_IS_LEFT, "5 6"),
        (NOBODY_BUT_THE_DEAD, "False True True False"),
        (WHAT_HAS_ENDED_IS_REAPED_AT_LAST, "False False False None"),
    ],
    ids=["a fork adopts nothing", "an orphan is reaped", "others' are left", "the dead do not live", "at last"],
)
def test_in_an_adopter(script: str, printed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ADOPT + script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (f"{printed}\n", "")


@pytest.mark.parametrize(
    "refusal", [-1, OSError(), AttributeError(), ImportError()], ids=["no", "os", "name", "module"]
)
def test_where_there_is_no_adopting_nothing_is_adopted(
    monkeypatch: pytest.MonkeyPatch, refusal: int | Exception
) -> None:
    def refuse(*_: int) -> int:
        if isinstance(refusal, Exception):
            raise refusal
        return refusal

    monkeypatch.setattr(orphans, "_prctl", refuse)
    assert not orphans.adopt()
    assert not orphans.is_adopting()
    orphans.reap_adopted(os.getpid())
    orphans.reap_ended()
