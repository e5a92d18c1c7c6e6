"""``capview run`` as a script sees it: exit codes, what is printed where, and what stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from capture_core.catalog import Catalogue
from capture_core.facts import RequestKind
from capture_core.request import ask_owner

Finished = subprocess.CompletedProcess[bytes]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


def capview(place: Path, *words: str, stdin: bytes | None = b"", command: str = "run") -> Finished:
    return subprocess.run(
        ["capview", command, "--conversation", str(place), *words], input=stdin, capture_output=True, check=False
    )


def receipts(place: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted((place / "tool-outputs" / "shell").glob("*Z-*.json"))]


def test_output_passes_through_as_it_is_and_the_receipt_line_goes_to_stderr(place: Path) -> None:
    done = capview(place, "--", "sh", "-c", r"printf 'a\033[31mb\0\377'; echo err >&2; exit 3")
    assert (done.returncode, done.stdout) == (3, b"a\x1b[31mb\0\xff")
    first, second = done.stderr.decode().splitlines()
    assert first == "err"
    assert second.startswith("capview: failed (exit code 3), log complete: tool-outputs/shell/")


def test_quiet_prints_nothing(place: Path) -> None:
    done = capview(place, "--quiet", "--", "sh", "-c", "echo out; echo err >&2; exit 4")
    assert (done.returncode, done.stdout, done.stderr) == (4, b"", b"")
    assert receipts(place)[0]["process"]["exit_code"] == 4  # type: ignore[index]


def test_json_prints_the_receipt_alone(place: Path) -> None:
    done = capview(place, "--json", "--", "echo", "hi")
    assert json.loads(done.stdout) == receipts(place)[0]
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["no-such-command-here"], 127, "no-such-command-here: command not found"),
        (["/etc/passwd"], 126, "/etc/passwd: not executable"),
        (["/"], 126, "/: not executable"),
    ],
)
def test_a_command_that_cannot_start_is_one_line_and_leaves_nothing(
    place: Path, argv: list[str], code: int, words: str
) -> None:
    done = capview(place, "--", *argv)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr.decode()
    assert not place.exists()


def test_a_conversation_that_is_a_file_is_one_line_and_starts_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = capview(tmp_path / "file", "--", "touch", str(tmp_path / "ran"))
    assert done.returncode == 125
    (line,) = done.stderr.decode().splitlines()
    assert "not a directory" in line
    assert "--no-capture" in line
    assert sorted(os.listdir(tmp_path)) == ["file"]


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a place where even root cannot make a folder")
def test_a_read_only_root_is_125_and_starts_nothing(tmp_path: Path) -> None:
    done = capview(Path("/sys/kernel/conversation"), "--", "touch", str(tmp_path / "ran"))
    assert done.returncode == 125
    assert len(done.stderr.splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_a_command_line_that_is_not_utf_8_is_run_and_labelled(place: Path) -> None:
    done = subprocess.run(
        [b"capview", b"run", b"--conversation", os.fsencode(place), b"--", b"printf", b"%s", b"caf\xe9"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"caf\xe9")
    assert receipts(place)[0]["label"] == "printf %s 'caf\N{REPLACEMENT CHARACTER}'"


def test_a_conversation_whose_name_is_not_utf_8_is_one(tmp_path: Path) -> None:
    place = os.fsencode(tmp_path) + b"/caf\xe9"
    done = subprocess.run(
        [b"capview", b"run", b"--conversation", place, b"--call-id", b"caf\xe9", b"--", b"echo", b"hi"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"hi\n")
    (receipt,) = receipts(Path(os.fsdecode(place)))
    assert (receipt["conversation"], receipt["call_id"]) == ("caf\N{REPLACEMENT CHARACTER}",) * 2


def test_a_call_id_is_masked_stripped_and_bounded_as_a_label_is(place: Path) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789AB"
    capview(place, "--call-id", f"\x1b]52;c;AAAA\a{token}\n{'x' * 100_000}", "--", "true")
    (receipt,) = receipts(place)
    call_id = str(receipt["call_id"])
    assert call_id.startswith("[redacted:")
    assert len(call_id) == 200
    assert token not in json.dumps(receipt)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_signal_is_128_and_its_number(place: Path, number: signal.Signals) -> None:
    done = capview(place, "--", "sh", "-c", f"echo before; kill -{number.value} $$")
    assert (done.returncode, done.stdout) == (128 + number.value, b"before\n")
    assert receipts(place)[0]["process"]["signal"] == number.value  # type: ignore[index]


def test_a_timeout_is_124(place: Path) -> None:
    done = capview(place, "--timeout", "0.2", "--", "sh", "-c", "echo begun; exec sleep 60")
    assert (done.returncode, done.stdout) == (124, b"begun\n")
    assert receipts(place)[0]["process"]["state"] == "timeout"  # type: ignore[index]


def test_stdin_is_the_child_s(place: Path) -> None:
    assert capview(place, "--", "cat", stdin=b"typed\n").stdout == b"typed\n"
    assert capview(place, "--stdin", "close", "--", "cat", stdin=b"typed\n").stdout == b""
    assert capview(place, "--stdin", "/etc/hostname", "--", "cat").stdout == Path("/etc/hostname").read_bytes()
    missing = capview(place, "--stdin", "/no/such/file", "--", "cat")
    assert (missing.returncode, len(missing.stderr.splitlines())) == (2, 1)


def test_merge_keeps_the_order_of_both_streams(place: Path) -> None:
    done = capview(place, "--merge", "--", "sh", "-c", "echo 1; echo 2 >&2; echo 3")
    assert done.stdout == b"1\n2\n3\n"
    assert set(receipts(place)[0]["streams"]) == {"output"}  # type: ignore[call-overload]


def test_a_closed_reader_stops_the_pass_through_and_nothing_else(place: Path) -> None:
    """As ``capview run | head``: the capture goes on, and so does the child."""
    run = f"capview run --conversation {place} -- seq 100000 2>/dev/null | head -1"
    assert subprocess.run(["sh", "-c", run], capture_output=True, check=True).stdout == b"1\n"
    receipt = receipts(place)[0]
    assert receipt["capture"] == {"state": "complete", "reason": None}
    assert receipt["streams"]["stdout"]["lines"] == 100000  # type: ignore[index]


@pytest.mark.parametrize("closed", ["1", "2"], ids=["stdout", "stderr"])
def test_one_closed_reader_leaves_the_other_stream_passing(place: Path, tmp_path: Path, closed: str) -> None:
    """A pass-through that ends with its first EPIPE, as that of ``tee`` without ``-p`` does, loses the other stream."""
    other = {"1": "2", "2": "1"}[closed]
    shown = tmp_path / "shown"
    script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done"
    read, write = os.pipe()
    os.close(read)
    run = f"capview run --conversation {place} -- sh -c '{script}' {other}>{shown} {closed}>&{write}"
    subprocess.run(["bash", "-c", run], pass_fds=(write,), check=True)
    os.close(write)
    kind = {"1": "err", "2": "out"}[closed]
    assert [line for line in shown.read_text().splitlines() if line.startswith(kind)] == [
        f"{kind} {n}" for n in (1, 2, 3)
    ]
    assert receipts(place)[0]["capture"] == {"state": "complete", "reason": None}


def test_a_full_screen_is_said_and_the_capture_has_it_all(place: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            ["capview", "run", "--conversation", str(place), "--", "sh", "-c", "seq 10; exit 3"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 3
    assert b"could not be passed on to its end (no space left on device)" in done.stderr
    assert capview(place, "@last", command="read").stdout == b"".join(b"%d\n" % n for n in range(1, 11))


def test_a_slow_reader_is_waited_for_and_the_log_is_complete(place: Path, tmp_path: Path) -> None:
    """As ``| less``: what waits for its reader is past the drain window when it is read, and complete all the same."""
    environment = {**os.environ, "CAPVIEW_DRAIN_SECONDS": "0.01"}
    wait = f"capview wait --conversation {place} --timeout 1 @last"
    run = f"capview run --conversation {place} -- seq 100000 | ({wait}; cat)"
    done = subprocess.run(["sh", "-c", run], capture_output=True, env=environment, check=False)
    assert done.stdout == b"".join(b"%d\n" % n for n in range(1, 100001))
    assert receipts(place)[0]["capture"] == {"state": "complete", "reason": None}


def test_detach_prints_the_ref_and_lives_on(place: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    done = capview(place, "--detach", "--", "sh", "-c", f"read x < {gate}; echo got $x; exit 6")
    ref = done.stdout.decode().strip()
    assert (done.returncode, ref.split("/")[:2]) == (0, ["tool-outputs", "shell"])
    gate.write_text("through\n")
    assert capview(place, ref, command="wait").returncode == 6
    assert capview(place, ref, command="read").stdout == b"got through\n"


def test_the_pipe_to_capview_ends_with_it_while_a_descendant_lives(place: Path, tmp_path: Path) -> None:
    """An owner that outlives its front lets go of what the front had, else ``capview run | cat`` never ends."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    done = capview(place, "--", "sh", "-c", f"(read x < {gate}) & echo now")
    assert (done.returncode, done.stdout) == (0, b"now\n")
    assert receipts(place)[0]["capture"] == {"state": "partial", "reason": "drain-timeout"}
    gate.write_text("go\n")


def test_the_front_may_be_killed_and_the_job_goes_on(place: Path, tmp_path: Path) -> None:
    gate, up = tmp_path / "gate", tmp_path / "up"
    os.mkfifo(gate)
    os.mkfifo(up)
    command = f"echo first; echo x > {up}; read x < {gate}; echo second"
    with subprocess.Popen(
        ["capview", "run", "--conversation", str(place), "--", "sh", "-c", command], stdout=subprocess.PIPE
    ) as front:
        assert front.stdout is not None
        assert front.stdout.readline() == b"first\n"
        up.read_text()
        front.kill()
        assert front.stdout.read() == b"", "and whoever reads the output sees its end"
    gate.write_text("go\n")
    assert capview(place, "@last", command="wait").returncode == 0
    assert capview(place, "@last", command="read").stdout == b"first\nsecond\n"


def test_a_killed_owner_is_one_word_and_1(place: Path) -> None:
    kill_owner = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
    done = capview(place, "--", sys.executable, "-c", kill_owner)
    assert done.returncode == 1
    assert b"owner was killed" in done.stderr
    shown = capview(place, "--json", "@last", command="show")
    assert b"owner-died" in shown.stdout
    assert b"complete" not in shown.stdout


def test_a_promoted_job_goes_on_in_the_background_as_the_same_capture(place: Path, tmp_path: Path) -> None:
    gate, up = tmp_path / "gate", tmp_path / "up"
    os.mkfifo(gate)
    os.mkfifo(up)
    command = f"echo first; echo x > {up}; read x < {gate}; echo second; exit 6"
    with subprocess.Popen(
        ["capview", "run", "--conversation", str(place), "--", "sh", "-c", command], stdout=subprocess.PIPE
    ) as front:
        up.read_text()
        catalogue = Catalogue(str(place))
        catalogue.refresh()
        (entry,) = catalogue.listing().entries
        ask_owner(str(place), entry, RequestKind.PROMOTE, "")
        assert front.stdout is not None
        assert front.stdout.read().decode() == f"first\n{entry.address.ref}\n"
    assert front.returncode == 124
    gate.write_text("go\n")
    assert capview(place, "@last", command="wait").returncode == 6
    assert capview(place, "@last", command="read").stdout == b"first\nsecond\n"


def test_no_capture_just_runs_the_command(place: Path) -> None:
    done = capview(place, "--no-capture", "--", "sh", "-c", "echo hi; exit 5")
    assert (done.returncode, done.stdout, done.stderr) == (5, b"hi\n", b"")
    assert not place.exists()


def test_secrets_in_command_line_and_output_are_masked_on_disk(place: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    done = capview(place, "--", "sh", "-c", f"echo token is {token}; echo API_TOKEN=s3cr3t-s3cr3t")
    assert token.encode() in done.stdout, "pass-through is the child's own bytes"
    kept = b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())
    for secret in (token, "s3cr3t"):
        assert secret.encode() not in kept
    assert b"[redacted:" in kept


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--limit", "a lot", "--", "true"],
        ["--limit", "-5", "--", "true"],
        ["--timeout", "soon", "--", "true"],
        ["--tool", "../evil", "--", "true"],
        ["--quiet", "--detach", "--", "true"],
        ["--no-such-option", "--", "true"],
    ],
)
def test_bad_usage_is_2_and_one_clear_line(place: Path, words: list[str]) -> None:
    done = capview(place, *words)
    assert done.returncode == 2
    assert len(done.stderr.decode().strip().splitlines()) == 1
    assert not place.exists()


def test_the_environment_directory_and_arguments_are_the_child_s_own(place: Path, tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ.get('MINE'), os.getcwd(), sys.argv[1:])"
    done = subprocess.run(
        ["capview", "run", "--conversation", str(place), "--", sys.executable, "-c", code, "--limit", "", "a b"],
        cwd=tmp_path,
        env={**os.environ, "MINE": "yes"},
        capture_output=True,
        check=False,
    )
    assert done.stdout.decode() == f"yes {tmp_path} {['--limit', '', 'a b']}\n"


def test_a_working_directory_removed_meanwhile_does_not_spoil_a_relative_conversation(tmp_path: Path) -> None:
    """Each receipt asked for the absolute path anew, so the last one could not be written."""
    (tmp_path / "work").mkdir()
    job = f"mv {tmp_path}/work/here {tmp_path}/there; rmdir {tmp_path}/work; echo done"
    done = subprocess.run(
        ["capview", "run", "--conversation", "here", "--", "sh", "-c", job], cwd=tmp_path / "work", check=False
    )
    assert done.returncode == 0
    (receipt,) = receipts(tmp_path / "there")
    assert (receipt["conversation"], receipt["capture"]) == ("here", {"state": "complete", "reason": None})


def waiting_for_a_stdin(place: Path, tmp_path: Path) -> subprocess.Popen[bytes]:
    """A front whose owner opens a FIFO that nobody writes."""
    os.mkfifo(tmp_path / "fifo")
    run = ["capview", "run", "--conversation", str(place), "--stdin", f"{tmp_path}/fifo"]
    front = subprocess.Popen([*run, "--", "touch", f"{tmp_path}/ran"], stderr=subprocess.PIPE)
    until_it_passes_signals_on(front.pid)
    return front


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_wait_for_a_stdin_that_nobody_writes_can_be_ended(
    place: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """The owner was stuck in opening the FIFO, and the front passed every signal on to nobody."""
    with waiting_for_a_stdin(place, tmp_path) as front:
        front.send_signal(number)
        # Its stderr is the owner's as well: it ends with the last of them.
        _, said = front.communicate(timeout=20)
    assert front.returncode == 128 + number
    assert said.decode() == f"capview: ended by {number.name} before the command was started\n"
    assert sorted(os.listdir(tmp_path)) == ["fifo"]


def test_an_owner_whose_front_is_killed_before_the_start_starts_nothing(place: Path, tmp_path: Path) -> None:
    with waiting_for_a_stdin(place, tmp_path) as front:
        front.kill()
        assert front.communicate(timeout=20)[1] == b""
    assert sorted(os.listdir(tmp_path)) == ["fifo"]


def until_it_passes_signals_on(front: int) -> None:
    while not _catches(front, signal.SIGTERM):
        pass


def _catches(pid: int, number: signal.Signals) -> bool:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigCgt"))
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)
