"""``capview save``: what is piped to it becomes a capture; real pipes, real processes."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from capture_core.catalog import Catalogue
from capture_core.facts import Liveness
from tests.commands import Here
from tests.faults.fault_fs import Rule
from tests.faults.grounds import Fuse

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.source import Entry

TOKEN = "ghp_" + "a1B2" * 9


def save(place: Path, given: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = ["capview", "save", "--conversation", str(place), "--tool", "browser", *words]
    return subprocess.run(command, input=given, capture_output=True, check=False)


def the_one(place: Path) -> Entry:
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    [entry] = catalogue.listing().entries
    return entry


def text(place: Path) -> bytes:
    entry = the_one(place)
    return (place / "tool-outputs" / "browser" / entry.receipt.streams["content"].file).read_bytes()


def test_it_prints_the_ref_and_nothing_else(tmp_path: Path) -> None:
    done = save(tmp_path, f"line 1\n{TOKEN}\n".encode(), "--label", f"page {TOKEN}", "--call-id", "call_42")
    assert (done.returncode, done.stderr) == (0, b"")
    entry = the_one(tmp_path)
    assert done.stdout.decode() == f"{entry.receipt.ref}\n"
    assert text(tmp_path) == b"line 1\n[redacted:gh-token]\n"
    assert (entry.receipt.label, entry.receipt.call_id) == ("page [redacted:gh-token]", "call_42")
    assert entry.receipt.limit_bytes == 32 * 2**20, "a tool call has a library's limits"
    assert (entry.receipt.producer.adapter, entry.receipt.producer.source) == ("capview-save", "stdin")


def test_the_receipt_as_json_and_what_had_been_cut_before(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = save(tmp_path, b"the end\n", "--json", "--upstream-truncated", "tail-kept: 200 lines")
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout)
    assert said["upstream"] == {"kind": "tail-kept", "limit": 200, "unit": "lines"}
    assert said["capture"] == {"state": "partial", "reason": "upstream-truncated"}
    assert said["process"]["state"] == "none"
    shown = subprocess.run(
        ["capview", "show", "--conversation", str(tmp_path), "@last"], capture_output=True, check=True
    )
    assert b"cut before it came here, its tail kept (200 lines)" in shown.stdout
    listed = subprocess.run(
        ["capview", "ls", "--conversation", str(tmp_path), "--partial"], capture_output=True, check=True
    )
    assert "▪ saved" in listed.stdout.decode()


def test_what_was_given_and_not_kept_is_told(tmp_path: Path) -> None:
    done = save(tmp_path, b"x" * 5000, "--limit", "1KiB", "--upstream-truncated", "unknown")
    assert done.returncode == 1
    assert done.stdout.decode() == f"{the_one(tmp_path).receipt.ref}\n"
    assert b"capview: saved, log " in done.stderr
    assert len(text(tmp_path)) == 1024


def test_an_explicit_limit_is_the_users_word(tmp_path: Path) -> None:
    place = tmp_path / "place"
    cut = save(place, b"x" * 5000, "--conversation-limit", "1KiB")
    assert cut.returncode == 1
    assert b"--conversation-limit N" in cut.stderr
    assert save(place, b"x" * 5000, "--conversation-limit", "1KiB", "--limit", "6KiB").returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tool", "../x"), "tool name '../x': must be"),
        (("--tool", "con"), "means something else on Windows"),
        (("--upstream-truncated", "cut"), "does not say how a text was cut"),
        (("--upstream-truncated", "head-kept: 5 apples"), "a limit cannot count 'apples'"),
        (("--limit", "0"), "must be at least 1"),
        (("surplus",), "unrecognized arguments"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], words: tuple[str, ...], said: str
) -> None:
    code, out, err = Here(tmp_path / "place", capfdbinary)("save", "--tool", "browser", *words)
    assert (code, out) == (2, b"")
    assert said in err.decode()
    assert err.count(b"\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_tool_must_be_named(tmp_path: Path) -> None:
    done = subprocess.run(["capview", "save"], input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"--tool" in done.stderr


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "tool-outputs").symlink_to(tmp_path)
    done = save(tmp_path, b"text")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"is a link" in done.stderr


def test_a_disk_that_takes_nothing_is_the_places_fault_and_leaves_nothing(tmp_path: Path) -> None:
    script = 'ulimit -f 1; printf text | capview save --tool browser --conversation "$1"'
    done = subprocess.run(["bash", "-c", script, "bash", str(tmp_path / "c")], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"cannot write a capture there (file too large)" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_receipt_that_the_disk_does_not_take_is_one_line_with_the_ref_of_what_is_left(tmp_path: Path) -> None:
    with Fuse(tmp_path / "fuse") as fuse:
        fuse.inject(Rule("link|rename", r"[a-z2-7]{16}\.json$", errno.EIO))
        done = save(fuse.mount / "c", b"text\n")
        ref = the_one(fuse.mount / "c").receipt.ref
        assert fuse.struck() == {0}
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    said = done.stderr.decode()
    assert f"{str(fuse.mount / 'c')!r}: the text could not be published (input/output error)" in said
    assert f"what was written is left as {ref}; make room there, or name another --conversation" in said


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_ref_that_cannot_be_printed_is_told_on_stderr(tmp_path: Path, words: tuple[str, ...]) -> None:
    command = ["capview", "save", "--conversation", str(tmp_path), "--tool", "browser", *words]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, input=b"text", stdout=full, stderr=subprocess.PIPE, check=False)
    ref = the_one(tmp_path).receipt.ref
    said = f"capview: stdout: no space left on device; the text is saved all the same, as {ref}\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)


def test_a_closed_stdin_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    script = 'exec capview save --tool browser --conversation "$1" <&-'
    done = subprocess.run(["sh", "-c", script, "sh", str(tmp_path / "place")], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"broke off (bad file descriptor); nothing came before" in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_settings_hold_for_saved_texts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "capview.toml").write_text(
        '[mask]\nenv = ["O?D"]\n[[redact.rules]]\nname = "staff"\npattern = "EMP-[0-9]{6}"\n'
    )
    monkeypatch.setenv("ODD", "odd-value")
    monkeypatch.setenv("CAPVIEW_CAPTURE_BYTES", "60")
    done = save(tmp_path, b"odd-value EMP-123456\n" + b"x" * 100)
    assert done.returncode == 1
    assert text(tmp_path).startswith(b"[redacted:env] [redacted:staff]\n")
    assert len(text(tmp_path)) == 60


def test_a_non_blocking_stdin_is_waited_for(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    command = ["capview", "save", "--conversation", str(tmp_path), "--tool", "browser"]
    with subprocess.Popen(command, stdin=read, stdout=subprocess.PIPE) as saver:
        os.close(read)
        wait_for(tmp_path, saver, b"")
        os.write(write, b"late\n")
        os.close(write)
        assert saver.wait() == 0
    assert text(tmp_path) == b"late\n"


def wait_for(place: Path, saver: subprocess.Popen[bytes], committed: bytes) -> None:
    """Wait until this is what readers see of the one capture."""
    while [path.read_bytes() for path in place.glob("tool-outputs/browser/*.live")] != [committed]:
        with pytest.raises(subprocess.TimeoutExpired):
            saver.wait(0.005)


def test_a_text_that_is_interrupted_in_the_middle_of_a_write_has_an_end(tmp_path: Path) -> None:
    script = 'yes "a line that goes on and on" | exec capview save --conversation "$1" --tool browser'
    with subprocess.Popen(["bash", "-c", script, "bash", str(tmp_path)], start_new_session=True) as feeder:
        while not (found := [path for path in tmp_path.glob("tool-outputs/*/*.live") if path.stat().st_size > 2**20]):
            with pytest.raises(subprocess.TimeoutExpired):
                feeder.wait(0.005)
        assert len(found) == 1
        os.killpg(feeder.pid, signal.SIGINT)
    entry = the_one(tmp_path)
    assert (entry.liveness, entry.capture.reason) == (Liveness.FINAL, "upstream-truncated")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_is_live_while_it_is_read_and_ends_as_it_was_ended(tmp_path: Path, number: signal.Signals) -> None:
    command = ["capview", "save", "--conversation", str(tmp_path), "--tool", "browser"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as saver:
        assert saver.stdin is not None
        saver.stdin.write(b"begun\n")
        saver.stdin.flush()
        wait_for(tmp_path, saver, b"begun\n")
        assert the_one(tmp_path).liveness is Liveness.LIVE
        saver.send_signal(number)
        code = saver.wait()
        assert saver.stderr is not None
        assert saver.stderr.read() == b""
    assert text(tmp_path) == b"begun\n"
    entry = the_one(tmp_path)
    if number == signal.SIGINT:
        assert (code, entry.liveness) == (130, Liveness.FINAL)
        assert entry.capture.reason == "upstream-truncated"
    else:
        assert (code, entry.liveness) == (-signal.SIGKILL, Liveness.OWNER_DIED)
        assert entry.capture.reason == "owner-died"
