"""Who lives and who does not: judged by the lock alone, by many at once, whatever else holds a number or a name."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import time
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from capture_core.catalog import Catalogue
from capture_core.conversation import Conversation
from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, Liveness
from capture_core.liveness import here, is_local
from tests.captures import Owner
from tests.commands import Here
from tests.death.conversations import seen, texts
from tests.death.stepped import end_of, forked, run_job
from tests.death.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from capture_core.source import Entry

DIED = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.OWNER_DIED)
READERS = 16


@contextmanager
def owning(conversation: Path, also: Callable[[], object] = lambda: None) -> Iterator[int]:
    """A host whose job prints a line, and does not end; when it has, it does ``also``."""
    gate = conversation / "gate"
    conversation.mkdir(exist_ok=True)
    os.mkfifo(gate)
    told, tell = os.pipe()

    def own() -> None:
        job = Conversation.open(str(conversation), slow_engine=True).start(["sh", "-c", f"echo hi; read x < {gate}"])
        also()
        os.write(tell, b"started\n")
        job.wait()
        job.join()

    pid = forked(own)
    os.close(tell)
    try:
        assert os.read(told, 8) == b"started\n"
        until(conversation, lambda entry: texts(conversation, entry)["stdout"] == b"hi\n")
        yield pid
    finally:
        os.close(told)
        # Whoever still waits there goes on and ends.
        fd = os.open(gate, os.O_RDWR)
        os.write(fd, b"go\n")
        os.close(fd)


def until(conversation: Path, is_so: Callable[[Entry], bool]) -> Entry:
    """The only capture, once it is so; the test's own time limit ends a wait for what never comes."""
    while not is_so(entry := the_one(conversation)):
        time.sleep(0.002)
    return entry


def the_one(conversation: Path) -> Entry:
    [entry] = seen(conversation).entries
    return entry


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    assert end_of(pid) == -signal.SIGKILL


def test_a_forked_worker_of_the_host_does_not_keep_a_dead_owner_alive(tmp_path: Path) -> None:
    read, write = os.pipe()

    def wait_for_the_test() -> None:
        os.close(write)
        os.read(read, 1)

    with owning(tmp_path / "c", lambda: forked(wait_for_the_test)) as pid:
        assert the_one(tmp_path / "c").liveness is Liveness.LIVE
        kill(pid)
        dead = the_one(tmp_path / "c")
        assert (dead.liveness, dead.capture) == (Liveness.OWNER_DIED, DIED)
    os.close(write)
    os.close(read)


def test_nor_does_a_program_that_the_host_started(tmp_path: Path) -> None:
    read, write = os.pipe()
    with owning(tmp_path / "c", lambda: subprocess.Popen(["cat"], stdin=read)) as pid:
        kill(pid)
        assert the_one(tmp_path / "c").liveness is Liveness.OWNER_DIED
    os.close(write)
    os.close(read)


def test_a_fork_that_ends_does_not_end_its_host_s_capture(tmp_path: Path) -> None:
    with owning(tmp_path / "c", lambda: end_of(forked(lambda: None))) as pid:
        assert the_one(tmp_path / "c").liveness is Liveness.LIVE
    assert end_of(pid) == 0
    assert the_one(tmp_path / "c").capture.state is CaptureState.COMPLETE


def test_a_stopped_owner_is_not_dead(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    capview = Here(tmp_path / "c", capfdbinary)
    with owning(tmp_path / "c") as pid:
        os.kill(pid, signal.SIGSTOP)
        os.waitpid(pid, os.WUNTRACED)
        assert the_one(tmp_path / "c").liveness is Liveness.LIVE
        assert capview("wait", "@last", "--timeout", "0.01")[0] == 124
        os.kill(pid, signal.SIGCONT)
    assert end_of(pid) == 0
    assert capview("wait", "@last")[0] == 0


def change(conversation: Path, **said: Any) -> None:  # noqa: ANN401
    """Change the live receipt."""
    [path] = conversation.rglob("*.live.json")
    plain = json.loads(path.read_text())
    for field, value in said.items():
        if field == "pid":
            plain["process"]["pid"] = value
        else:
            plain[field] = value
    path.write_text(json.dumps(plain))


@pytest.mark.parametrize("pid", [1, None], ids=["somebody else's", "our own"])
def test_a_process_number_that_is_used_again_revives_nobody(tmp_path: Path, pid: int | None) -> None:
    with owning(tmp_path / "c") as owner:
        kill(owner)
    change(tmp_path / "c", pid=pid or os.getpid())
    assert the_one(tmp_path / "c").liveness is Liveness.OWNER_DIED


def test_a_process_number_that_is_gone_kills_nobody(tmp_path: Path) -> None:
    gone = forked(lambda: None)
    assert end_of(gone) == 0
    with owning(tmp_path / "c") as owner:
        change(tmp_path / "c", pid=gone)
        assert the_one(tmp_path / "c").liveness is Liveness.LIVE
        # Nor does it matter what it says of where it is: the lock is held.
        change(tmp_path / "c", host="elsewhere", boot_id="another")
        assert the_one(tmp_path / "c").liveness is Liveness.LIVE
    assert end_of(owner) == 0


def test_another_boot_and_another_host(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    conversation = tmp_path / "c"
    with owning(conversation) as owner:
        kill(owner)
    fd = os.open(tmp_path, os.O_RDONLY)
    can_tell = is_local(fd)
    os.close(fd)
    change(conversation, boot_id="another")
    assert the_one(conversation).liveness is (Liveness.OWNER_DIED if can_tell else Liveness.UNKNOWN)
    change(conversation, host="elsewhere", boot_id="another")
    entry = the_one(conversation)
    assert (entry.liveness, entry.capture.state) == (Liveness.UNKNOWN, CaptureState.PENDING)
    assert texts(conversation, entry)["stdout"] == b"hi\n"
    # The same kernel under another name, as in a container.
    change(conversation, host="elsewhere", boot_id=here().boot_id)
    assert the_one(conversation).liveness is Liveness.OWNER_DIED
    code, _, err = Here(conversation, capfdbinary)("wait", "@last")
    assert (code, b"owner died" in err) == (1, True)


def test_many_readers_at_once_never_misjudge(tmp_path: Path) -> None:
    """A probe that took the lock would make owners fail, and other readers see life where there is none."""
    with ExitStack() as stack:
        # Before there is an owner: a fork would have its descriptors, and with them its locks.
        witnesses = [stack.enter_context(Witness(tmp_path, every_ms=10)) for _ in range(READERS)]
        owners = [Owner(tmp_path) for _ in range(10)]
        dead = {owner.ref for owner in owners[::2]}
        for owner in owners:
            owner.append("stdout", b"line\n" * 100)
            if owner.ref in dead:
                owner.rename_streams()
                owner.release()
            else:
                owner.finish()
        run_job(tmp_path)
        answers = [witness.ask() for witness in witnesses]
    for wrong, judged, _ in answers:
        assert not wrong
        assert {ref for ref, (liveness, _) in judged.items() if liveness is Liveness.OWNER_DIED} == dead
        assert all(liveness is Liveness.FINAL for ref, (liveness, _) in judged.items() if ref not in dead)
        assert len(judged) == len(owners) + 1
    catalogue = Catalogue(str(tmp_path))
    catalogue.refresh()
    assert not catalogue.has_live()


def test_a_stream_keeps_its_inode_from_its_first_byte_to_its_final_name(tmp_path: Path) -> None:
    conversation = tmp_path / "c"
    with owning(conversation) as pid:
        [live] = conversation.rglob("*.stdout.live")
        begun, opened = live.stat(), os.open(live, os.O_RDONLY)
    assert end_of(pid) == 0
    [final] = conversation.rglob("*.stdout.txt")
    status = final.stat()
    facts = the_one(conversation).receipt.streams["stdout"]
    assert status.st_ino == begun.st_ino
    assert stat.S_IMODE(begun.st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in conversation.rglob("*.txt")} == {0o400}
    assert (facts.retained, facts.end, status.st_size) == (3, 3, 3)
    assert facts.sha256 == sha256(os.pread(opened, 99, 0)).hexdigest()
    os.close(opened)
