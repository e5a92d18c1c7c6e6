"""How ``capview run`` ends a job, by whom or what: nothing that hides is left over, and nothing else is touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from capture_core.catalog import Catalogue
from capture_core.facts import RequestKind
from capture_core.request import ask_owner
from tests.commands import capview
from tests.strays import ESCAPES, hidden, is_alive, prepare, wait_for_end
from tests.terminals import Terminal

ALLOCATE = "x = bytearray(int(__import__('sys').argv[1]) << 20); __import__('time').sleep(60)"


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPVIEW_KILL_GRACE_SECONDS", "0.1")
    monkeypatch.setenv("CAPVIEW_DRAIN_SECONDS", "0.1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "c"


@pytest.fixture
def up(tmp_path: Path) -> Path:
    return prepare(tmp_path)


def receipt_of(place: Path) -> dict[str, Any]:
    (path,) = (place / "tool-outputs" / "shell").glob("*Z-*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def started(place: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["capview", "run", "--conversation", str(place), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def cancel(place: Path) -> None:
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    (entry,) = catalogue.listing().entries
    ask_owner(str(place), entry, RequestKind.CANCEL, "")


# -- what hides, and what is left behind ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in ESCAPES if "session" in kind or "twice" in kind])
def test_a_cancel_reaches_what_left_the_group(place: Path, up: Path, strays: list[int], kind: str) -> None:
    """``os.killpg`` reaches none of these, and whoever walks down from the leader not those whose parent has gone."""
    with started(place, "--", "sh", "-c", hidden(kind, up)) as front:
        strays.append(int(up.read_text()))
        cancel(place)
        front.communicate()
    assert wait_for_end(strays[0])
    assert front.returncode in {128 + signal.SIGTERM, 128 + signal.SIGKILL}
    receipt = receipt_of(place)
    assert (receipt["process"]["state"], receipt["process"]["survivors"]) == ("cancelled", [])
    assert receipt["capture"]["state"] == "complete"


def test_a_time_limit_reaches_it_too_and_the_observed_code_stands_beside_it(
    place: Path, up: Path, strays: list[int]
) -> None:
    script = f"trap 'exit 3' TERM; setsid {up}.sh & wait"
    with started(place, "--timeout", "1.5", "--", "sh", "-c", script) as front:
        strays.append(int(up.read_text()))
        front.communicate()
    assert wait_for_end(strays[0])
    assert front.returncode == 124
    process = receipt_of(place)["process"]
    assert (process["state"], process["exit_code"], process["reason"]["kind"]) == ("timeout", 3, "timeout")


RESTLESS = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
held = os.open(sys.argv[1], os.O_WRONLY)
while True:
    time.sleep(0.03)
    if os.fork():
        os._exit(0)
    os.setsid()
"""


def test_a_process_that_is_another_each_time_does_not_escape(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of the processes and a look at each are two moments: between them it is in neither."""
    monkeypatch.setenv("CAPVIEW_KILL_GRACE_SECONDS", "1.5")
    lives, script = tmp_path / "lives", tmp_path / "restless.py"
    os.mkfifo(lives)
    script.write_text(RESTLESS)
    command = f"{sys.executable} -S -E {script} {lives} >/dev/null 2>&1 & sleep 60"
    with started(place, "--", "sh", "-c", command) as front, lives.open("rb") as held:
        cancel(place)
        front.communicate()
        assert held.read() == b"", "nobody holds it any more"
    process = receipt_of(place)["process"]
    assert (process["state"], process["survivors"]) == ("cancelled", [])


def test_what_a_command_leaves_behind_when_it_ends_by_itself_is_left_alone(
    place: Path, up: Path, strays: list[int]
) -> None:
    """An adopter that ends its children when it ends would end every daemon that was ever started under it."""
    script = f"(setsid {up}.sh </dev/null >/dev/null 2>&1 &); read x < {up.parent}/gate; exit 3"
    os.mkfifo(up.parent / "gate")
    with started(place, "--", "sh", "-c", script) as front:
        strays.append(int(up.read_text()))
        (up.parent / "gate").write_text("go\n")
        front.communicate()
    assert front.returncode == 3
    assert receipt_of(place)["capture"]["state"] == "complete"
    assert is_alive(strays[0])


def test_orphans_that_end_are_reaped_while_the_job_runs(place: Path, tmp_path: Path) -> None:
    """They are the owner's to reap: a build that makes thousands would fill the table of processes."""
    os.mkfifo(tmp_path / "orphan")
    os.mkfifo(tmp_path / "gate")
    script = f"(setsid sh -c 'echo $$ > {tmp_path}/orphan' &); read x < {tmp_path}/gate"
    with started(place, "--", "sh", "-c", script) as front:
        orphan = int((tmp_path / "orphan").read_text())
        assert wait_for_end(orphan)
        deadline = time.monotonic() + 20
        while Path(f"/proc/{orphan}").exists():
            assert time.monotonic() < deadline, "it stays a zombie"
            time.sleep(0.01)
        (tmp_path / "gate").write_text("go\n")
        front.communicate()
    assert front.returncode == 0


def test_who_keeps_a_pipe_open_is_named(place: Path, up: Path, strays: list[int]) -> None:
    os.mkfifo(up.parent / "gate")
    with started(place, "--", "sh", "-c", f"{up}.sh & read x < {up.parent}/gate") as front:
        strays.append(int(up.read_text()))
        (up.parent / "gate").write_text("go\n")
        _, said = front.communicate()
    assert f"ok, log cut: sleep ({strays[0]}) kept its pipe open: ".encode() in said
    shown = capview("show", "--conversation", str(place), "@last").stdout.decode()
    assert shown.count(f"held open by sleep ({strays[0]})") == 2


def test_an_owner_that_is_told_to_end_tells_its_job_and_sees_its_end(place: Path) -> None:
    """As when a system shuts down: killed at once, it left a capture without an end."""
    script = "trap 'echo tidied up; exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.01; done"
    done = capview("run", "--conversation", str(place), "--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (3, b"tidied up\n")
    receipt = receipt_of(place)
    assert (receipt["process"]["exit_code"], receipt["capture"]["state"]) == (3, "complete")


def test_a_job_within_a_job_keeps_its_own_capture_when_the_outer_one_is_ended(
    place: Path, up: Path, strays: list[int]
) -> None:
    """Its owner is a descendant of the outer command like any other, and was killed as one."""
    inner = f"capview run --conversation {place}-inner -- sh -c 'trap \"exit 3\" TERM; {up}.sh & wait; wait'"
    slow = {**os.environ, "CAPVIEW_KILL_GRACE_SECONDS": "20"}
    words = ["capview", "run", "--conversation", str(place), "--", "sh", "-c", inner]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=slow) as front:
        strays.append(int(up.read_text()))
        cancel(place)
        front.communicate()
    assert receipt_of(place)["process"]["state"] == "cancelled"
    receipt = receipt_of(Path(f"{place}-inner"))
    assert (receipt["process"]["exit_code"], receipt["capture"]["state"]) == (3, "complete")


# -- what the caller left us ----------------------------------------------------------------------------------------


def test_the_exit_code_is_exact_where_the_caller_ignores_sigchld(place: Path) -> None:
    """The kernel throws the status away then, and ``Popen.wait()`` says 0."""
    script = f"trap '' CHLD; exec capview run --conversation {place} -- sh -c 'exit 7'"
    assert subprocess.run(["sh", "-c", script], capture_output=True, check=False).returncode == 7
    assert receipt_of(place)["process"]["exit_code"] == 7


def test_a_detached_job_outlives_its_terminal(place: Path, tmp_path: Path) -> None:
    """Its shell is killed and the terminal closed: whatever still belongs to that session gets SIGHUP, and dies."""
    os.mkfifo(tmp_path / "up")
    os.mkfifo(tmp_path / "gate")
    terminal = Terminal(tmp_path, os.environ)
    script = "echo $$ > up; read x < gate; echo still here; exit 6"
    terminal.type(f"capview run --detach --conversation {place} -- sh -c '{script}'\n")
    pid = int((tmp_path / "up").read_text())
    assert os.getsid(pid) not in {terminal.pid, os.getsid(0)}
    terminal.expect("tool-outputs/")
    terminal.close()
    (tmp_path / "gate").write_text("go\n")
    assert capview("wait", "--conversation", str(place), "@last").returncode == 6
    assert capview("read", "--conversation", str(place), "@last").stdout == b"still here\n"
    assert receipt_of(place)["process"]["reason"] is None


# -- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "script",
    ['exec "$0" -c "$1" 200', 'trap "" TERM; "$0" -c "$1" 200; true', 'setsid "$0" -c "$1" 200 & wait'],
    ids=["itself", "a child, deaf", "in a session of its own"],
)
def test_too_much_memory_ends_the_job_at_once(place: Path, script: str) -> None:
    """``ulimit -v`` counts each process by itself, and address space for memory."""
    done = capview(
        *("run", "--conversation", str(place), "--memory-limit", "100MiB"),
        *("--", "sh", "-c", script, sys.executable, ALLOCATE),
    )
    assert done.returncode == 128 + signal.SIGKILL
    assert b"capview: cancelled (SIGKILL, memory limit: " in done.stderr
    assert b" used, 100 MiB allowed)" in done.stderr
    process = receipt_of(place)["process"]
    assert (process["state"], process["reason"]["kind"]) == ("cancelled", "memory-limit")
    assert (process["exit_code"], process["signal"], process["survivors"]) == (None, signal.SIGKILL, [])


def test_memory_within_the_limit_ends_nothing(place: Path) -> None:
    done = capview("run", "--conversation", str(place), "--memory-limit", "1GiB", "--", "sh", "-c", "exit 3")
    assert done.returncode == 3
    assert receipt_of(place)["process"]["reason"] is None


def test_too_much_output_ends_the_job_and_what_came_is_kept(place: Path) -> None:
    """A limit on the log alone lets it print on; ``| head -c`` ends it by SIGPIPE, with nobody to say why."""
    done = capview("run", "--conversation", str(place), "--max-output", "100KiB", "--", "yes")
    assert done.returncode == 128 + signal.SIGTERM
    assert len(done.stdout) >= 100 * 1024
    assert b"capview: cancelled (SIGTERM, too much output: 100 KiB allowed), log complete: " in done.stderr
    receipt = receipt_of(place)
    assert receipt["process"]["reason"] == {"kind": "max-output", "words": "100 KiB allowed"}
    assert receipt["streams"]["stdout"]["observed"] == len(done.stdout)


def test_both_streams_count_as_output(place: Path) -> None:
    script = "head -c 60000 /dev/zero | tr '\\0' x >&2; head -c 60000 /dev/zero | tr '\\0' y; exec sleep 60"
    done = capview("run", "--quiet", "--conversation", str(place), "--max-output", "100000", "--", "sh", "-c", script)
    assert done.returncode == 128 + signal.SIGTERM
    assert receipt_of(place)["process"]["reason"]["kind"] == "max-output"


def test_so_much_output_and_no_more_by_a_job_that_ended_is_not_too_much(place: Path) -> None:
    done = capview("run", "--conversation", str(place), "--max-output", "6", "--", "echo", "four")
    assert (done.returncode, receipt_of(place)["process"]["reason"]) == (0, None)


def test_a_nicer_job_is_nicer_and_says_so_to_nobody_else(place: Path) -> None:
    own = os.nice(0)
    done = capview("run", "--conversation", str(place), "--nice", "4", "--", "nice")
    assert (done.returncode, done.stdout) == (0, b"%d\n" % min(19, own + 4))


def test_without_a_capture_it_is_as_nice(place: Path) -> None:
    done = capview("run", "--conversation", str(place), "--no-capture", "--nice", "4", "--", "nice")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"%d\n" % min(19, os.nice(0) + 4), b"")


@pytest.mark.parametrize(
    "words",
    [
        ("--nice", "20"),
        ("--nice", "-21"),
        ("--nice", "very"),
        ("--memory-limit", "0"),
        ("--memory-limit", "all"),
        ("--max-output", "0"),
        ("--max-output", "-1"),
    ],
    ids=" ".join,
)
def test_limits_that_are_none_are_one_clear_line(place: Path, words: tuple[str, str]) -> None:
    done = capview("run", "--conversation", str(place), *words, "--", "true")
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert not place.exists()


# -- captures within a job ------------------------------------------------------------------------------------------


DEAF = "while :; do sleep 60; done"
GREEDY = f'exec {sys.executable} -c "{ALLOCATE}" 600'


@pytest.mark.parametrize(
    ("option", "goes_on"),
    [("--timeout=3", DEAF), ("--memory-limit=400MiB", GREEDY), ("--label=cancelled", DEAF)],
    ids=["time limit", "memory limit", "cancel"],
)
def test_a_capture_within_an_ended_job_is_finished(place: Path, tmp_path: Path, option: str, goes_on: str) -> None:
    """Its owner must see its own job killed: killed with it, it left a capture without an end."""
    ready, inner = tmp_path / "ready", tmp_path / "inner"
    os.mkfifo(ready)
    command = f"trap '' TERM; echo begun; echo x > {ready}; {goes_on}"
    within = ("capview", "run", "--conversation", str(inner), "--", "sh", "-c", command)
    with started(place, option, "--", *within) as front:
        ready.read_text()
        if option == "--label=cancelled":
            cancel(place)
        front.communicate()
    assert receipt_of(place)["process"]["survivors"] == []
    receipt = receipt_of(inner)
    assert (receipt["process"]["signal"], receipt["capture"]["state"]) == (signal.SIGKILL, "complete")
    assert not list(inner.rglob("*.live"))


def test_who_calls_itself_an_owner_is_ended_as_well(place: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    false = "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    false += "open('/proc/self/comm', 'w').write('capview-owner'); "
    false += "os.setsid(); open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    with started(place, "--", "sh", "-c", f'{sys.executable} -c "{false}" {ready} & wait') as front:
        pid = int(ready.read_text())
        cancel(place)
        front.communicate()
    assert not is_alive(pid)
    assert receipt_of(place)["process"]["survivors"] == []


# -- the shell's code -----------------------------------------------------------------------------------------------

GIVES_IN = "trap 'exit 0' TERM; echo aaaaaaaaaaaaaaa; sleep 5 & wait"


@pytest.mark.parametrize(("option", "code"), [("--timeout=0.5", 124), ("--max-output=10", 143)])
def test_a_command_that_was_ended_has_not_succeeded_though_it_exits_with_0(place: Path, option: str, code: int) -> None:
    """``capview run … && deploy`` would deploy half a build, and so would whoever waits for it elsewhere."""
    assert capview("run", "--conversation", str(place), option, "--", "sh", "-c", GIVES_IN).returncode == code
    for command in ("wait", "follow"):
        assert capview(command, "@last", "--conversation", str(place)).returncode == code
    assert receipt_of(place)["process"]["exit_code"] == 0


def test_a_command_that_is_cancelled_from_outside_has_not_succeeded(place: Path) -> None:
    with started(place, "--", "sh", "-c", GIVES_IN) as front:
        assert front.stdout is not None
        front.stdout.readline()
        cancel(place)
        front.communicate()
    assert front.returncode == 128 + signal.SIGTERM
    assert receipt_of(place)["process"]["exit_code"] == 0


@pytest.mark.parametrize(
    ("option", "code"), [("--json", 3), ("--inline", 3), ("--promote-after=0.01", 124), ("--detach", 1)]
)
def test_a_stdout_that_takes_nothing_does_not_change_how_the_command_ended(
    place: Path, tmp_path: Path, option: str, code: int
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    script = "exit 3" if code == 3 else f"read x < {gate}; exit 3"
    words = ["capview", "run", "--conversation", str(place), option, "--", "sh", "-c", script]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == code
    assert b"capview: stdout: no space left on device" in done.stderr
    assert (b"; see tool-outputs/shell/" in done.stderr) is (option != "--inline")
    if code != 3:
        gate.write_text("go\n")
    if option != "--inline":
        assert capview("wait", "@last", "--conversation", str(place)).returncode == 3


def test_a_time_limit_of_0_is_none_as_of_timeout(place: Path) -> None:
    done = capview("run", "--conversation", str(place), "--timeout", "0", "--", "sh", "-c", "exit 3")
    assert done.returncode == 3
    assert receipt_of(place)["process"]["reason"] is None
