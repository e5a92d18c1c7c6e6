"""``capview run --pty``: a terminal of the command's own, between it and the one that a person sits at."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.terminals import PROMPT, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator


RUN = "capview run --conversation c "


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run in; nobody is let go before the capture is there, however slow the disk is."""
    monkeypatch.setenv("CAPVIEW_SETTLE_SECONDS", "600")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A shell at a terminal."""
    monkeypatch.setenv("CAPVIEW_SETTLE_SECONDS", "600")
    terminal = Terminal(tmp_path, os.environ)
    termios.tcsetwinsize(terminal.fd, (30, 100))
    yield terminal
    terminal.end()


def run(*words: str, typed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """``capview run`` without any terminal."""
    return subprocess.run(
        ["capview", "run", "--conversation", "c", *words],
        input=typed,
        capture_output=True,
        check=False,
        start_new_session=True,
    )


def captured(place: Path) -> bytes:
    """The text of the one capture."""
    (file,) = (file for kind in ("txt", "bin") for file in place.glob(f"c/tool-outputs/shell/*.output.{kind}"))
    return file.read_bytes()


def receipt(place: Path) -> dict[str, Any]:
    """The last final receipt."""
    *_, file = sorted(file for file in place.glob("c/tool-outputs/shell/*.json") if ".live" not in file.name)
    found: dict[str, Any] = json.loads(file.read_bytes())
    return found


# Without a terminal of ours


def test_every_stream_is_one_terminal_and_one_stream_has_it(place: Path) -> None:
    done = run("--pty", "--", "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && echo out; echo err >&2")
    assert done.returncode == 0
    assert done.stdout == b"out\r\nerr\r\n"
    # The naive reader of a terminal keeps its CR LF, and no pattern finds the end of a line.
    assert captured(place) == b"out\nerr\n"
    assert list(receipt(place)["streams"]) == ["output"]


def test_exact_bytes_are_those_of_the_terminal(place: Path) -> None:
    run("--pty", "--raw-binary", "--", "echo", "line")
    assert captured(place) == b"line\r\n"


def test_colours_are_in_the_sidecar(place: Path) -> None:
    run("--pty", "--", "ls", "--color=auto", "-d", "/")
    assert b"\x1b" not in captured(place)
    (styles,) = place.glob("c/tool-outputs/shell/*.output.sgr")
    assert styles.stat().st_size


@pytest.mark.parametrize(
    ("environment", "size"),
    [({}, b"24 80"), ({"LINES": "50", "COLUMNS": "132"}, b"50 132"), ({"LINES": "x", "COLUMNS": "99999999"}, b"24 80")],
    ids=["none", "given", "nonsense"],
)
def test_without_a_terminal_the_environment_gives_the_size(
    place: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], size: bytes
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run("--pty", "--", "stty", "size")
    assert captured(place).strip() == size


def test_what_comes_from_stdin_is_typed_and_its_end_is_told_whenever_somebody_reads(place: Path) -> None:
    """One end of input, typed when stdin ends, is read by the first reader: the second waits for ever."""
    script = "stty -echo; read one; read two; echo $one, $two; cat; read more || echo still the end; cat < /dev/tty"
    done = run("--pty", "--timeout", "30", "--", "sh", "-c", script, typed=b"first\nsecond\n")
    assert done.returncode == 0
    assert b"first, second\nstill the end\n" in captured(place)


def test_what_comes_after_the_command_is_for_who_reads_stdin_next(place: Path) -> None:
    """A feeder that lives as long as anybody holds the terminal takes the lines of the commands that follow."""
    os.mkfifo(place / "gate")
    # What it leaves behind holds the terminal, so its owner lives on.
    line = "capview run --conversation c --pty -- sh -c 'read x < gate &'; echo over; cat"
    command = ["sh", "-c", line]
    lines = [b"%d\n" % number for number in range(100)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as shell:
        assert shell.stdin is not None
        assert shell.stdout is not None
        assert shell.stdout.readline() == b"over\n"
        for each in lines:
            os.write(shell.stdin.fileno(), each)
            time.sleep(0.001)
        shell.stdin.close()
        assert shell.stdout.read() == b"".join(lines)
    (place / "gate").write_text("go\n")


@pytest.mark.parametrize("given", ["close", "file"])
def test_another_stdin_is_the_commands_own(place: Path, given: str) -> None:
    (place / "file").write_bytes(b"from the file\n")
    run("--pty", "--stdin", given, "--", "sh", "-c", "test -t 0 && echo terminal; test -t 1 && cat; cat < /dev/tty")
    assert captured(place) == (b"from the file\n" if given == "file" else b"")


def test_detached_it_has_a_terminal_that_nobody_sits_at(place: Path) -> None:
    done = run("--pty", "--detach", "--", "sh", "-c", "test -t 1 && test ! -t 0 && cat < /dev/tty && echo over")
    waited = subprocess.run(["capview", "wait", "--conversation", "c", done.stdout.strip()], check=False)
    assert waited.returncode == 0
    assert captured(place) == b"over\n"


def test_a_time_limit_ends_it(place: Path) -> None:
    assert run("--pty", "--timeout", "0.2", "--", "sleep", "60").returncode == 124
    assert receipt(place)["process"]["reason"]["kind"] == "timeout"


def test_quiet_shows_nothing_and_json_the_receipt(place: Path) -> None:
    assert run("--pty", "--quiet", "--", "echo", "x").stdout == b""
    assert json.loads(run("--pty", "--json", "--", "echo", "x").stdout)["process"]["exit_code"] == 0


def test_merge_is_what_a_terminal_does_anyway(place: Path) -> None:
    run("--pty", "--merge", "--", "sh", "-c", "echo 1; echo 2 >&2; echo 3")
    assert captured(place) == b"1\n2\n3\n"


def test_a_word_that_is_none_of_the_three_is_refused(place: Path) -> None:
    done = run("--pty=perhaps", "--", "true")
    assert done.returncode == 2
    assert b"'auto', 'always', 'never'" in done.stderr


def test_a_command_that_is_not_there_leaves_nothing_behind(place: Path) -> None:
    assert run("--pty", "--", "./no-such-command").returncode == 127
    assert not list(place.glob("c/tool-outputs/shell/*"))


def test_a_terminal_that_everybody_closed_is_not_over_before_the_command_is(place: Path) -> None:
    """A reader that takes EIO for the end loses what comes after; one that polls on has a processor to itself."""
    script = "exec 3>&1; exec < /dev/null > /dev/null 2>&1 3>&-; read x < gate; echo back > /dev/tty"
    os.mkfifo(place / "gate")
    job = subprocess.Popen(["capview", "run", "--conversation", "c", "--pty", "--", "sh", "-c", script])
    (place / "gate").write_text("go\n")
    assert job.wait() == 0
    assert captured(place) == b"back\n"
    assert receipt(place)["capture"]["state"] == "complete"


def test_who_holds_the_terminal_after_the_end_is_named_and_not_hung_up(place: Path) -> None:
    """A session leader that ends takes its terminal away from all who have it."""
    os.mkfifo(place / "gate")
    os.mkfifo(place / "proof")
    script = "(read x < gate; echo late; echo lives > proof) & echo up"
    assert run("--pty", "--", "sh", "-c", script).returncode == 0
    stream = receipt(place)["streams"]["output"]
    assert (stream["eof"], stream["reason"]) == (False, "drain-timeout")
    assert [holder["name"] for holder in stream["held_by"]] == ["sh"]
    (place / "gate").write_text("go\n")
    assert (place / "proof").read_text() == "lives\n"
    assert captured(place) == b"up\n"


def test_what_it_leaves_behind_is_not_hung_up_when_its_owner_ends(place: Path) -> None:
    """The kernel hangs up the foreground of a session's leader that ends; the child's group was just that."""
    os.mkfifo(place / "gate")
    os.mkfifo(place / "proof")
    script = "(read x < gate; echo lives > proof) < /dev/null > /dev/null 2>&1 & echo $PPID"
    owner = int(run("--pty", "--", "sh", "-c", script).stdout)
    while Path(f"/proc/{owner}/fd").exists() and os.path.lexists(f"/proc/{owner}/fd/0"):
        time.sleep(0.01)
    gate = os.open(place / "gate", os.O_RDWR)
    os.write(gate, b"go\n")
    assert (place / "proof").read_text() == "lives\n"
    os.close(gate)


def test_a_reader_that_has_enough_stops_neither_command_nor_capture(place: Path) -> None:
    script = "capview run --pty --conversation c -- sh -c 'seq 50000; echo end' | head -1"
    done = subprocess.run(["bash", "-c", script + "; echo ${PIPESTATUS[0]}"], capture_output=True, check=False)
    assert done.stdout == b"1\r\n0\n"
    assert captured(place).endswith(b"50000\nend\n")


def test_what_a_terminal_still_holds_behind_a_slow_reader_is_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel tells at most 4 KiB of what a terminal holds: who believes that cuts off the rest of the end."""
    monkeypatch.setenv("CAPVIEW_DRAIN_SECONDS", "0.01")
    # More than a pipe takes, and no more than pipe and terminal take together: the command ends before it is read.
    script = "capview run --pty --conversation c -- seq 13000 | (capview wait --conversation c --timeout 1 @last; cat)"
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    text = b"".join(b"%d\n" % n for n in range(1, 13_001))
    assert done.stdout.replace(b"\r\n", b"\n") == text
    assert captured(place) == text
    assert receipt(place)["capture"]["state"] == "complete"


def test_on_pipes_nothing_of_it_is_loaded(place: Path) -> None:
    del place
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "capview", "run", "--conversation", "c", "--", "true"],
        capture_output=True,
        check=True,
    )
    loaded = set(re.findall(rb"\| +(capture_core\.\w+)", done.stderr))
    assert b"capture_core.job" in loaded
    assert not loaded & {
        b"capture_core.pty",
        b"capture_core.keyboard",
        b"capture_core.newlines",
        b"capture_core.front_terminal",
    }


# At a terminal


@pytest.mark.parametrize(
    ("options", "has_it"),
    [
        ("", True),
        ("--merge", True),
        ("--pty=never", False),
        ("--quiet", False),
        ("--stdin /dev/null", False),
        ("--raw-binary", False),
        ("--quiet --pty", True),
    ],
)
def test_by_itself_where_all_streams_are_the_terminal_and_shown(
    terminal: Terminal, options: str, *, has_it: bool
) -> None:
    assert f"code {0 if has_it else 1}\n" in terminal.run(f"{RUN}{options} -- test -t 1; echo code $?")


@pytest.mark.parametrize("elsewhere", ["< /dev/null", "2> errors", "| cat"])
def test_never_by_itself_where_one_goes_elsewhere(terminal: Terminal, elsewhere: str) -> None:
    terminal.run(f"{RUN} -- sh -c 'test -t 1; echo $? > answer' {elsewhere}")
    assert "answer 1\n" in terminal.run("echo answer $(cat answer)")


def test_the_size_is_passed_on_and_kept_in_step(terminal: Terminal) -> None:
    script = "trap 'echo now $(stty size)' WINCH; echo first $(stty size); while :; do sleep 0.05; done"
    terminal.type(f'{RUN} -- sh -c "{script.replace("$", chr(92) + "$")}"\n')
    terminal.expect("\nfirst 30 100\n")
    termios.tcsetwinsize(terminal.fd, (43, 77))
    terminal.expect("now 43 77\n")
    terminal.type("\x03")
    terminal.expect(PROMPT)


def test_a_size_that_changed_while_it_was_stopped_is_there_when_it_goes_on(terminal: Terminal) -> None:
    terminal.type(f"{RUN} -- sh -c 'echo up; read x; stty size'\n")
    terminal.expect("\nup\n")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.expect(PROMPT)
    termios.tcsetwinsize(terminal.fd, (43, 77))
    terminal.type("fg\n")
    terminal.expect("capview run")
    terminal.type("\n")
    terminal.expect("43 77\n")
    terminal.expect(PROMPT)


def test_a_password_is_not_in_the_capture(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(
        f'{RUN} -- bash -c \'read -s -p "Password: " word; echo; echo ${{#word}} letters; read -p "Name: "\'\n'
    )
    terminal.expect("\nPassword: ")
    terminal.type("hunter2hunter2\n")
    terminal.expect("\n14 letters\nName: ")
    terminal.type("Ada\n")
    assert "hunter2" not in terminal.expect("ready> ")
    # The echo of what was typed in the open is, as it is on the screen.
    assert captured(tmp_path) == b"Password: \n14 letters\nName: Ada\n"


def test_what_was_typed_before_it_read_is_read(terminal: Terminal) -> None:
    """Settings that are changed with TCSAFLUSH throw it away."""
    terminal.type(f"{RUN} -- sh -c 'read one; read two; echo $two after $one'\nfirst\nsecond\n")
    terminal.expect("\nsecond after first\n")
    terminal.expect(PROMPT)


def test_control_s_holds_the_output_and_control_q_lets_it_go_on(terminal: Terminal) -> None:
    terminal.type(f"{RUN} -- sh -c 'echo up; read x; echo answer'\n")
    terminal.expect("\nup\n")
    terminal.type("\x13x\n")
    terminal.type("\x11")
    terminal.expect("answer")
    terminal.expect(PROMPT)


@pytest.mark.parametrize("key", ["\x03", "\x1a"], ids=["interrupt", "stop"])
def test_a_terminal_that_is_held_is_let_go_when_the_command_is_interrupted(terminal: Terminal, key: str) -> None:
    """Else the shell's prompt is held, too, and nobody sees it."""
    terminal.type(f"{RUN} -- sh -c 'echo up; while :; do sleep 0.05; done'\n")
    terminal.expect("\nup\n")
    terminal.type("\x13")
    terminal.type(key)
    terminal.expect(PROMPT)
    assert f"code {130 if key == chr(3) else 148}" in terminal.run("echo code $?")


def test_a_held_terminal_holds_the_end_and_is_let_go_by_hand(terminal: Terminal, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    terminal.type(f"{RUN} -- sh -c 'echo up; read x < gate; seq 20000; echo end'\n")
    terminal.expect("\nup\n")
    terminal.type("\x13")
    (tmp_path / "gate").write_text("go\n")
    terminal.type("\x11")
    terminal.expect("\nend\n")
    terminal.expect(PROMPT)
    assert captured(tmp_path).endswith(b"\n20000\nend\n")


def test_a_stop_that_nobody_typed_gives_the_shell_back(terminal: Terminal) -> None:
    """SIGSTOP: else the terminal is raw, its keys go to nobody, and ``^C`` wakes nobody."""
    terminal.type(f"{RUN} -- sh -c 'echo up; kill -STOP $$; echo again'\n")
    terminal.expect("Stopped")
    terminal.expect(PROMPT)
    terminal.type("fg\n")
    terminal.expect("\nagain\n")
    terminal.expect(PROMPT)


def test_in_the_background_it_is_stopped_when_it_wants_the_terminal(terminal: Terminal) -> None:
    """The naive relay takes the keys away from the shell."""
    terminal.run(f"{RUN} -- sh -c 'read x; echo got $x' &")
    while "Stopped" not in terminal.run("jobs"):
        time.sleep(0.05)
    terminal.type("fg\n")
    terminal.expect("capview run")
    terminal.type("this\n")
    terminal.expect("\ngot this\n")
    terminal.expect(PROMPT)


def settings(terminal: Terminal) -> str:
    """What the terminal is set to, as the shell's commands find it."""
    return terminal.run("stty -a").partition("\n")[2]


def front_of(owner: int) -> int:
    """Who waits for the owner: its parent, as long as that lives."""
    return int(Path(f"/proc/{owner}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("who", ["front-TERM", "front-HUP", "owner-KILL", "child-KILL", "child-TERM"])
def test_the_terminal_is_restored_after_any_death(terminal: Terminal, who: str) -> None:
    before = settings(terminal)
    # Who is to get a signal and obey it does not ignore it.
    trap = "trap - HUP TERM;" if who.startswith("front") or who == "child-TERM" else ""
    terminal.type(f"{RUN} -- sh -c '{trap} stty raw -echo; echo up $PPID $$; exec sleep 60'\n")
    owner, child = map(int, re.findall(r"\d+", terminal.expect(r"\nup \d+ \d+\r?\n").rpartition("up")[2]))
    front = front_of(owner)
    process, name = who.split("-")
    os.kill({"front": front, "owner": owner, "child": child}[process], signal.Signals[f"SIG{name}"])
    terminal.expect(PROMPT)
    assert settings(terminal) == before


def test_a_front_that_is_killed_leaves_no_raw_terminal(terminal: Terminal, tmp_path: Path) -> None:
    """An interactive shell has settings of its own for its prompt; what a script runs next had a raw terminal."""
    os.mkfifo(tmp_path / "gate")
    (tmp_path / "script").write_text(f"{RUN} -- sh -c 'echo up $PPID; read x < gate'\nread x < gate\n")
    before = termios.tcgetattr(terminal.fd)
    terminal.type("sh script\n")
    owner = int(terminal.expect(r"\nup \d+\r?\n").split()[-1])
    assert termios.tcgetattr(terminal.fd) != before
    # Held, too: what the script prints next would not be seen.
    terminal.type("\x13")
    os.kill(front_of(owner), signal.SIGKILL)
    while termios.tcgetattr(terminal.fd) != before:
        time.sleep(0.01)
    for _ in range(2):
        (tmp_path / "gate").write_text("go\n")
    terminal.expect(PROMPT)


def test_a_terminal_that_hangs_up_ends_the_command(terminal: Terminal, tmp_path: Path) -> None:
    """Also when the kernel tells nobody but the shell, and that is killed."""
    terminal.type(f"{RUN} -- sh -c 'echo up; sleep 60'\n")
    terminal.expect("\nup\n")
    terminal.close()
    subprocess.run(["capview", "wait", "--conversation", "c", "@last"], cwd=tmp_path, check=False)
    assert receipt(tmp_path)["process"]["reason"]["kind"] == "hangup"


def test_when_its_front_is_killed_the_job_goes_on_and_reads_the_end(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(f"{RUN} -- sh -c 'echo up $PPID; cat; echo over'\n")
    owner = int(terminal.expect(r"\nup \d+\n").split()[-1])
    os.kill(front_of(owner), signal.SIGKILL)
    terminal.expect(PROMPT)
    assert "code 0" in terminal.run("capview wait --conversation c @last; echo code $?")
    assert captured(tmp_path).endswith(b"\nover\n")


def test_a_terminal_that_is_not_read_holds_the_command_and_loses_nothing(terminal: Terminal, tmp_path: Path) -> None:
    """As a paused tmux does.  A relay that writes without waiting drops; one that reads on keeps it all in memory."""
    terminal.type(f"{RUN} -- sh -c 'echo up; seq 100000; echo end'\n")
    terminal.expect("\nup\n")
    assert not list(tmp_path.glob("c/tool-outputs/shell/*.output.txt"))
    terminal.expect("\n99999\n100000\nend\n")
    terminal.expect(PROMPT)
    assert captured(tmp_path) == b"up\n" + b"".join(b"%d\n" % n for n in range(1, 100_001)) + b"end\n"


@pytest.mark.skipif(not (shutil.which("tmux") and shutil.which("vim")), reason="needs tmux and vim")
def test_a_full_screen_editor_works_and_what_it_drew_is_captured(tmp_path: Path) -> None:
    tmux = Tmux(tmp_path)
    try:
        tmux.type(f"{RUN} -- vim -u NONE -i NONE notes", "Enter")
        tmux.expect("notes.*New")
        tmux.type("ihello from vim", "Escape")
        tmux.expect("hello from vim")
        tmux.type("C-z")
        tmux.expect("Stopped")
        tmux.type("fg", "Enter")
        tmux.expect("hello from vim")
        tmux.type(":wq", "Enter")
        tmux.expect("log complete")
    finally:
        tmux.close()
    assert (tmp_path / "notes").read_text() == "hello from vim\n"
    text = captured(tmp_path)
    assert b"hello from vim" in text
    assert b"\x1b" not in text


class Tmux:
    """A real terminal with a shell in it, by itself on its own socket."""

    def __init__(self, folder: Path) -> None:
        self._tmux = ["tmux", "-S", str(folder / "socket"), "-f", "/dev/null"]
        shell = "env PS1='ready> ' bash --norc --noprofile"
        subprocess.run([*self._tmux, "new-session", "-d", "-x", "100", "-y", "30", shell], cwd=folder, check=True)

    def type(self, *keys: str) -> None:
        """Press keys, by tmux's names."""
        subprocess.run([*self._tmux, "send-keys", *keys], check=True)

    def expect(self, pattern: str) -> None:
        """Wait until the screen shows it."""
        while not re.search(pattern, self._screen()):
            time.sleep(0.05)

    def close(self) -> None:
        """End it."""
        subprocess.run([*self._tmux, "kill-server"], check=False)

    def _screen(self) -> str:
        return subprocess.run([*self._tmux, "capture-pane", "-p"], capture_output=True, text=True, check=True).stdout
