"""``capview tee``: what is piped through it goes on as with ``tee``, and is captured; real pipes, real processes."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from capture_core.catalog import Catalogue
from capture_core.facts import CaptureReason, CaptureState, Liveness, ProcessState, RequestKind
from capture_core.request import ask_owner
from tests.commands import Here, capview, running
from tests.faults.grounds import Fuse
from tests.terminals import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core.source import Entry

TOKEN = "ghp_" + "a1B2" * 9
MASKED = b"[redacted:gh-token]"
PIPE_BYTES = 65_536
"""A pipe's size where nobody asked for another."""
READ_BYTES = 2**20
"""What one read takes at most, and what may wait for a slow reader."""


def words(place: Path, *more: str) -> list[str]:
    return ["capview", "tee", "--conversation", str(place), *more]


def tee(place: Path, given: bytes, *more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words(place, *more), input=given, capture_output=True, check=False)


def script(text: str, place: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", text, "bash", str(place)], capture_output=True, check=False)


def the_one(place: Path) -> Entry:
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    [entry] = catalogue.listing().entries
    return entry


def kept(place: Path, tool: str = "shell") -> bytes:
    return (place / "tool-outputs" / tool / the_one(place).receipt.streams["output"].file).read_bytes()


class Live:
    """A ``capview tee`` whose ends are in our hands."""

    def __init__(self, place: Path, *more: str) -> None:
        self.place = place
        read, self.feed = os.pipe()
        self.out, write = os.pipe()
        self.process = subprocess.Popen(
            words(place, *more), stdin=read, stdout=write, stderr=subprocess.PIPE, start_new_session=True
        )
        os.close(read)
        os.close(write)

    def give(self, data: bytes) -> None:
        """Feed it, and see it passed on."""
        os.write(self.feed, data)
        seen = b""
        while len(seen) < len(data):
            seen += os.read(self.out, len(data) - len(seen))
        assert seen == data

    def wait_for(self, committed: bytes) -> None:
        """Wait until this is what readers see of the capture."""
        while [path.read_bytes() for path in self.place.glob("tool-outputs/*/*.live")] != [committed]:
            with pytest.raises(subprocess.TimeoutExpired):
                self.process.wait(0.005)

    def hang_up(self) -> None:
        fd, self.feed = self.feed, -1
        if fd >= 0:
            os.close(fd)

    def ended(self) -> tuple[int, str]:
        """Its exit code and its words."""
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        return self.process.wait(), said

    def close(self) -> None:
        self.hang_up()
        os.close(self.out)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


@contextmanager
def live(place: Path, *more: str) -> Iterator[Live]:
    running = Live(place, *more)
    try:
        yield running
    finally:
        running.close()


def test_it_passes_on_what_came_and_keeps_it_masked(tmp_path: Path) -> None:
    given = f"line 1\n{TOKEN}\n\x1b[1mbold\x1b[m no newline".encode() + b"\xff"
    done = tee(tmp_path, given, "--label", f"of {TOKEN}", "--call-id", "call_42")
    assert (done.returncode, done.stdout) == (0, given)
    entry = the_one(tmp_path)
    assert done.stderr.decode() == f"capview: saved, log complete: {entry.receipt.ref}\n"
    assert kept(tmp_path) == b"line 1\n" + MASKED + b"\nbold no newline\xef\xbf\xbd"
    assert (entry.process.state, entry.process.exit_code) == (ProcessState.NONE, None)
    assert (entry.receipt.label, entry.receipt.call_id) == ("of [redacted:gh-token]", "call_42")
    assert entry.receipt.limit_bytes == 32 * 2**20, "a tool call has a library's limits"
    output = entry.receipt.streams["output"]
    assert (list(entry.receipt.streams), output.eof, output.observed) == (["output"], True, len(given))


def test_it_is_live_from_the_first_byte(tmp_path: Path) -> None:
    """Fails where stdin is read whole, or by lines, or passed on only once it was kept."""
    with live(tmp_path) as running:
        running.give(b"no newline")
        running.wait_for(b"no newline")
        entry = the_one(tmp_path)
        assert (entry.liveness, entry.process.state) == (Liveness.LIVE, ProcessState.NONE)
        running.hang_up()
        assert running.ended()[0] == 0
    assert kept(tmp_path) == b"no newline"


def test_nothing_waits_for_what_is_loaded_meanwhile(tmp_path: Path) -> None:
    """Fails where the first byte is read when all is ready: here that takes until somebody writes to a FIFO."""
    os.mkfifo(tmp_path / "secrets")
    with live(tmp_path / "c", "--mask-file", str(tmp_path / "secrets")) as running:
        running.give(b"open sesame, before anybody knew that this is a secret\n")
        (tmp_path / "secrets").write_bytes(b"open sesame")
        running.hang_up()
        assert running.ended()[0] == 0
    assert kept(tmp_path / "c").startswith(b"[redacted:mask-file], before")


@pytest.mark.parametrize("size", [1, 1_000_000])
def test_a_reader_that_has_enough_ends_the_passing_on_and_nothing_else(tmp_path: Path, size: int) -> None:
    """Fails where SIGPIPE or EPIPE ends it: the log would hold what one pipe does, and ``seq`` be killed."""
    text = 'set -o pipefail; seq "$2" | capview tee --conversation "$1" | head -c 1; echo " ${PIPESTATUS[*]}"'
    done = subprocess.run(["bash", "-c", text, "bash", str(tmp_path), str(size)], capture_output=True, check=False)
    assert done.stdout == b"1 0 0 0\n"
    assert kept(tmp_path) == b"".join(b"%d\n" % number for number in range(1, size + 1))
    assert the_one(tmp_path).capture.state is CaptureState.COMPLETE


def test_a_reader_that_is_gone_before_anything_came(tmp_path: Path) -> None:
    with live(tmp_path) as running:
        os.close(running.out)
        running.out = os.open(os.devnull, os.O_RDONLY)
        os.write(running.feed, b"to nobody\n")
        running.hang_up()
        code, said = running.ended()
    assert (code, said.count("\n")) == (0, 1)
    assert kept(tmp_path) == b"to nobody\n"


def test_a_slow_reader_slows_whoever_feeds(tmp_path: Path) -> None:
    """Fails where what waits for the reader is held in memory: all that is fed would be taken at once."""
    given = os.urandom(READ_BYTES).hex().encode() * 4
    with live(tmp_path) as running:
        os.set_blocking(running.feed, False)
        taken = 0
        while taken < len(given):
            try:
                taken += os.write(running.feed, given[taken:])
            except BlockingIOError:
                # Full, and nobody reads: when it stays so while others wait for this much to be kept, it stays so.
                if the_length(tmp_path) >= taken - PIPE_BYTES:
                    break
        assert taken <= READ_BYTES + 3 * PIPE_BYTES
        os.set_blocking(running.feed, True)
        feeder = os.fork()
        if feeder == 0:
            os.close(running.out)
            while taken < len(given):
                taken += os.write(running.feed, given[taken : taken + READ_BYTES])
            os._exit(0)
        running.hang_up()
        passed = hashlib.sha256()
        while piece := os.read(running.out, READ_BYTES):
            passed.update(piece)
        os.waitpid(feeder, 0)
        assert running.ended()[0] == 0
    assert passed.digest() == hashlib.sha256(given).digest()
    assert kept(tmp_path) == given


def the_length(place: Path) -> int:
    return sum(path.stat().st_size for path in place.glob("tool-outputs/*/*.live"))


def test_a_stalled_disk_slows_nobody(tmp_path: Path) -> None:
    """Fails where the one who reads writes to the disk too: nothing would pass from the stall on."""
    with Fuse(tmp_path / "fuse") as fuse, live(fuse.mount / "c") as running:
        running.give(b"before the disk stalled\n")
        running.wait_for(b"before the disk stalled\n")
        fuse.stall()
        for _ in range(48):
            running.give(b"x" * PIPE_BYTES)
        running.hang_up()
        assert os.read(running.out, 1) == b"", "who reads on sees the end, though the receipt waits for the disk"
        fuse.go_on()
        code, said = running.ended()
        assert (code, "log complete" in said) == (0, True)


def test_what_ends_the_source_does_not_end_it(tmp_path: Path) -> None:
    """Fails where ^C, which the terminal sends to the whole pipeline, ends it before the source's last words."""
    with live(tmp_path) as running:
        running.give(b"begun\n")
        running.process.send_signal(signal.SIGINT)
        running.process.send_signal(signal.SIGHUP)
        running.give(b"last words\n")
        running.hang_up()
        assert running.ended()[0] == 0
    assert kept(tmp_path) == b"begun\nlast words\n"
    assert the_one(tmp_path).capture.state is CaptureState.COMPLETE


@pytest.mark.parametrize(
    ("signals", "code"),
    [((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143), ((signal.SIGINT, signal.SIGQUIT), 131)],
    ids=["twice", "term", "int-quit"],
)
def test_asked_again_it_ends_and_says_that_it_saw_no_end(
    tmp_path: Path, signals: tuple[signal.Signals, ...], code: int
) -> None:
    with live(tmp_path) as running:
        running.give(b"begun\n")
        running.wait_for(b"begun\n")
        for index, number in enumerate(signals):
            if index:
                running.give(b"goes on\n")
            running.process.send_signal(number)
            # Two of one kind that are pending together are one: each is to have come before the next is sent.
            while f"\nSigPnd:\t{0:016x}\nShdPnd:\t{0:016x}\n" not in status(running.process.pid):
                pass
        ended, said = running.ended()
    assert ended == code
    assert "log cut before it came here" in said
    entry = the_one(tmp_path)
    assert (entry.liveness, entry.capture.reason) == (Liveness.FINAL, CaptureReason.UPSTREAM_TRUNCATED)
    assert not entry.receipt.streams["output"].eof
    assert kept(tmp_path) == b"begun\n" + b"goes on\n" * (len(signals) - 1)


def test_a_signal_that_came_while_its_main_thread_began_to_wait_ends_it(tmp_path: Path) -> None:
    # Where another thread takes it, the main one waits on: handlers of Python's would run never, or two for one.
    with live(tmp_path) as running:
        running.give(b"begun\n")
        running.wait_for(b"begun\n")
        other = max(map(int, os.listdir(f"/proc/{running.process.pid}/task")))
        assert ctypes.CDLL(None).tgkill(running.process.pid, other, signal.SIGTERM) == 0
        ended, _ = running.ended()
    assert ended == 143
    assert kept(tmp_path) == b"begun\n"


def status(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/status") as file:
            return file.read()
    except ProcessLookupError:
        return f"\nSigPnd:\t{0:016x}\nShdPnd:\t{0:016x}\n"


def test_killed_it_leaves_a_leftover(tmp_path: Path) -> None:
    with live(tmp_path) as running:
        running.give(b"begun\n")
        running.wait_for(b"begun\n")
        running.process.kill()
        assert running.ended() == (-signal.SIGKILL, "")
    entry = the_one(tmp_path)
    assert (entry.liveness, entry.capture.reason) == (Liveness.OWNER_DIED, CaptureReason.OWNER_DIED)
    assert kept(tmp_path) == b"begun\n"


def test_somebody_else_may_end_it_too(tmp_path: Path) -> None:
    with live(tmp_path) as running:
        running.give(b"begun\n")
        running.wait_for(b"begun\n")
        ask_owner(str(tmp_path), the_one(tmp_path), RequestKind.CANCEL, "enough")
        assert running.ended()[0] == 1
    assert the_one(tmp_path).capture.reason is CaptureReason.UPSTREAM_TRUNCATED


def test_a_file_nothing_and_what_cannot_be_read_as_stdin(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"of a file\n")
    done = script(
        'cd "$1"; capview tee --conversation file.c < file; capview tee --conversation null.c < /dev/null', tmp_path
    )
    assert (done.returncode, done.stdout) == (0, b"of a file\n")
    assert kept(tmp_path / "file.c") == b"of a file\n"
    assert (kept(tmp_path / "null.c"), the_one(tmp_path / "null.c").capture.state) == (b"", CaptureState.COMPLETE)
    done = script('capview tee --conversation "$1/closed.c" <&-', tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"capview: stdin: bad file descriptor; pipe something to it\n"
    assert not (tmp_path / "closed.c").exists()


def test_a_terminal_as_stdin(tmp_path: Path) -> None:
    shell = Terminal(tmp_path, os.environ)
    try:
        shell.type("stty -echo; capview tee --conversation c; echo code $?\n")
        shell.expect("echo code")
        shell.type("typed\n")
        shell.expect("typed\n")
        shell.type("\x04")
        shell.expect("code 0\n")
        shell.type("capview tee --conversation d; echo code $?\n")
        shell.type("typed\n")
        while the_length(tmp_path / "d") != len("typed\n"):
            os.sched_yield()
        # Nobody else feeds it, who could be ended by this.
        shell.type("\x03")
        shell.expect("code 130\n")
    finally:
        shell.close()
    assert kept(tmp_path / "c") == b"typed\n"
    assert the_one(tmp_path / "d").capture.reason is CaptureReason.UPSTREAM_TRUNCATED


def test_where_nothing_can_be_kept_all_is_passed_on(tmp_path: Path) -> None:
    """Fails where it ends at once: the source would die of SIGPIPE because its log could not be kept."""
    (tmp_path / "tool-outputs").symlink_to(tmp_path)
    given = b"x" * (4 * READ_BYTES)
    done = tee(tmp_path, given)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, given, 1)
    assert b"nothing is captured: " in done.stderr
    (tmp_path / "capview.toml").write_text("[limits]\nno_such = 1\n")
    done = tee(tmp_path, given)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, given, 1)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--tool", "../x"), "tool name '../x': must be"),
        (("--limit", "0"), "must be at least 1"),
        (("--quiet", "--json"), "not allowed with"),
        (("surplus",), "unrecognized arguments"),
    ],
    ids=["tool", "limit", "both", "surplus"],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], more: tuple[str, ...], said: str
) -> None:
    code, out, err = Here(tmp_path / "place", capfdbinary)("tee", *more)
    assert (code, out) == (2, b"")
    assert said in err.decode()
    assert err.count(b"\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_limit_cuts_the_log_and_not_what_is_passed_on(tmp_path: Path) -> None:
    given = b"x" * 5000
    done = tee(tmp_path, given, "--limit", "1KiB")
    assert (done.returncode, done.stdout) == (1, given)
    assert b"log cut at 1 KiB, its end kept; --limit N keeps more" in done.stderr
    assert len(kept(tmp_path)) == 1024


def test_a_place_to_pass_on_to_that_takes_nothing_is_told(tmp_path: Path) -> None:
    done = script('printf text | capview tee --conversation "$1" > /dev/full', tmp_path)
    assert done.returncode == 1
    assert b"not all could be passed on (no space left on device); the capture has it" in done.stderr
    assert (kept(tmp_path), the_one(tmp_path).capture.state) == (b"text", CaptureState.COMPLETE)


def test_quiet_and_json_pass_nothing_on(tmp_path: Path) -> None:
    done = tee(tmp_path / "q", b"text", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = tee(tmp_path / "j", b"text", "--json", "--tool", "browser")
    assert json.loads(done.stdout)["process"]["state"] == "none"
    assert (done.returncode, done.stderr, kept(tmp_path / "j", "browser")) == (0, b"", b"text")


def test_exact_bytes_where_they_are_asked_for(tmp_path: Path) -> None:
    given = bytes(range(256)) + TOKEN.encode()
    done = tee(tmp_path, given, "--raw-binary")
    assert (done.returncode, done.stdout, kept(tmp_path)) == (0, given, given)


@pytest.mark.long
def test_a_gibibyte_goes_through_whole(tmp_path: Path) -> None:
    text = 'yes "a line of 32 bytes, and no more" | head -c 1G | tee >(sha256sum > "$1/in") | '
    text += 'capview tee --conversation "$1/c" --limit 2GiB | sha256sum > "$1/out"; cat "$1/in" "$1/out"'
    done = script(text, tmp_path)
    given, passed = done.stdout.splitlines()
    assert given == passed
    assert the_one(tmp_path / "c").receipt.streams["output"].sha256 == given.split()[0].decode()


def test_cancelled_with_the_job_that_it_is_part_of_it_finishes_its_capture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails where it does not end at TERM, and is killed with the rest: its capture would be a leftover."""
    monkeypatch.setenv("CAPVIEW_KILL_GRACE_SECONDS", "30")
    outer, inner = tmp_path / "outer", tmp_path / "inner"
    pipeline = f"(echo on; exec sleep 60) | capview tee --conversation {inner}"
    with running("--conversation", str(outer), "--", "sh", "-c", pipeline) as front:
        assert capview("cancel", "--conversation", str(outer), "@last").returncode == 0
        assert front.wait() != 0
    assert kept(inner) == b"on\n"
    assert the_one(inner).liveness is Liveness.FINAL
