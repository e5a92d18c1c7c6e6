"""The terminal stays the child's: keys, stops and signals act as without capview, in a real shell on a real tty.

Every test runs twice, on pipes and on a pseudo-terminal.  A child that leads the session of its pseudo-terminal (as
``script`` and pty.fork have it) fails those of ``^Z``; a front that leaves the real terminal as it is fails those of
``^C``, in which the shell's loop goes on or the child is not the one that is interrupted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.terminals import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator


ON_PIPES = "capview run --pty=never --conversation c -- "


def await_stop(pid: int) -> None:
    """Wait until a process is stopped by a signal."""
    deadline = time.monotonic() + 40
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        assert time.monotonic() < deadline, "it never stopped"
        time.sleep(0.01)


@pytest.fixture(params=["never", "always"], ids=["pipes", "pty"])
def run(request: pytest.FixtureRequest) -> str:
    """The beginning of a command line that runs a command under capture."""
    return f"capview run --pty={request.param} --conversation c -- "


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path, os.environ)
    yield terminal
    terminal.end()


def test_a_prompt_is_answered_by_hand(terminal: Terminal, run: str) -> None:
    terminal.type(run + """python3 -c 'print("hello " + input("name? "))'\n""")
    terminal.expect(r"\nname\? ")
    terminal.type("Ada\n")
    assert "hello Ada" in terminal.expect(r"log complete")
    terminal.expect("ready> ")
    assert "code 0" in terminal.run("echo code $?")


def test_control_c_interrupts_the_child_alone_and_the_shell_sees_it(terminal: Terminal, run: str) -> None:
    terminal.type(run + "sh -c 'trap \"echo caught; exit 3\" INT; echo up; while :; do sleep 0.1; done'\n")
    terminal.expect(r"\nup\n")
    terminal.type("\x03")
    terminal.expect("caught")
    terminal.expect("ready> ")
    assert "code 3" in terminal.run("echo code $?")


def test_control_c_ends_a_loop_of_the_shell(terminal: Terminal, run: str) -> None:
    """A shell stops its loop only when its command died of the interrupt."""
    terminal.type(f'for i in 1 2 3; do {run}sh -c "echo round $i; exec sleep 60"; done\n')
    terminal.expect(r"\nround 1\n")
    terminal.type("\x03")
    terminal.expect("ready> ")
    assert "code 130" in terminal.run("echo code $?")
    assert "round 2" not in terminal.run("echo nothing more")


def test_control_c_ends_a_script_that_runs_it(terminal: Terminal, run: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(f"{run} sh -c 'echo up; exec sleep 60'\necho went on\n")
    terminal.type("bash script\n")
    terminal.expect(r"\nup\n")
    terminal.type("\x03")
    assert "went on" not in terminal.expect("ready> ")


def test_control_z_stops_and_fg_goes_on(terminal: Terminal, run: str) -> None:
    terminal.type(run + "sh -c 'echo up; read line; echo got $line'\n")
    terminal.expect(r"\nup\n")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.expect("ready> ")
    assert "shell is back" in terminal.run("echo shell is back")
    terminal.type("fg\n")
    terminal.expect("capview run")
    terminal.type("typed after fg\n")
    terminal.expect(r"\ngot typed after fg\n")
    terminal.expect("ready> ")
    assert "code 0" in terminal.run("echo code $?")


def test_a_stop_is_told_after_what_was_printed_before_it(terminal: Terminal, run: str) -> None:
    """What came late was drawn over the shell's words; the end of a full-screen program wiped them off the screen."""
    for _ in range(5):
        terminal.type(run + "sh -c 'seq 3000; echo last; kill -TSTP $$'\n")
        assert "\nlast\n" in terminal.expect("Stopped")
        terminal.expect("ready> ")
        terminal.type("fg\n")
        terminal.expect("capview run")
        terminal.expect("ready> ")


def test_fg_continues_the_command_once(terminal: Terminal, run: str, tmp_path: Path) -> None:
    """Continued twice, it loses a ``^Z`` that is typed in between: a SIGCONT takes a stop along that is pending."""
    (tmp_path / "count.py").write_text(
        "import os, signal\n"
        "read, write = os.pipe()\n"
        "os.set_blocking(write, False)\n"
        "signal.set_wakeup_fd(write)\n"
        "signal.signal(signal.SIGCONT, lambda *_: None)\n"
        "input('up?')\n"
        "print(len(os.read(read, 9)), 'in all')\n"
    )
    terminal.type(f"{run}python3 count.py\n")
    terminal.expect(r"\nup\?")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.expect("ready> ")
    terminal.type("fg\n")
    terminal.expect("capview run")
    terminal.type("x\n")
    terminal.expect(r"\n1 in all\n")
    terminal.expect("ready> ")


def test_a_stop_for_want_of_the_terminal_that_is_heard_when_it_has_it_stops_nobody_else(
    terminal: Terminal, run: str
) -> None:
    """Under load the terminal was given to it before its stop was heard; the front then found no terminal to give."""
    shown = terminal.run(run + "sh -c 'kill -TTIN $$; echo went on'")
    assert "\nwent on\n" in shown
    assert "Stopped" not in shown


def test_bg_lets_the_child_go_on_without_the_terminal(terminal: Terminal, run: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    terminal.type(run + "sh -c 'echo up; read line < gate; echo over $line'\n")
    terminal.expect(r"\nup\n")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.expect("ready> ")
    terminal.run("bg")
    terminal.type("echo passed > gate; wait\n")
    terminal.expect("over passed")
    terminal.expect("ready> ")


def test_a_background_job_that_reads_the_terminal_stops_and_fg_gives_it(terminal: Terminal, run: str) -> None:
    terminal.run(run + "sh -c 'read line; echo got $line' &")
    await_stop(int(terminal.run("echo pid $!").split("pid")[-1].split()[0]))
    assert "Stopped" in terminal.run("jobs")
    terminal.type("fg\n")
    terminal.expect("capview run")
    terminal.type("here\n")
    terminal.expect(r"\ngot here\n")
    terminal.expect("ready> ")


def test_in_a_pipeline_the_terminal_is_lent_on_demand(terminal: Terminal, run: str) -> None:
    """The other end of the pipeline may need the terminal too: it is handed over only when the child asks."""
    terminal.type(run + "sh -c 'read line < /dev/tty; echo got $line' | cat\n")
    terminal.expect("cat\n")
    terminal.type("me\n")
    terminal.expect(r"\ngot me\r*\n")
    terminal.expect("ready> ")


def test_the_child_has_the_terminal_s_foreground(terminal: Terminal, run: str) -> None:
    check = "import os; print('front' if os.tcgetpgrp(0) == os.getpgrp() == os.getpid() else 'back')"
    assert "\nfront\n" in terminal.run(f'{run}python3 -S -c "{check}"')


def test_a_stopped_command_whose_terminal_is_gone_ends_though_it_sets_a_terminal_then(
    terminal: Terminal, run: str, tmp_path: Path
) -> None:
    """An editor that tidied up was stopped for it, continued, and stopped again, with both processors to itself."""
    # It waits for the signal: a handler that comes right before a sleep is seen after it.
    (tmp_path / "editor.py").write_text(
        "import signal, termios\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})\n"
        "print('up', flush=True)\n"
        "signal.sigwait({signal.SIGHUP})\n"
        "termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))\n"
    )
    terminal.type(f"{run}python3 editor.py\n")
    terminal.expect(r"\nup\n")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.close()
    waited = subprocess.run(
        ["capview", "wait", "--conversation", "c", "--timeout", "30", "@last"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert waited.returncode not in {2, 124}, waited.stderr


def test_a_stopped_command_that_survives_a_hang_up_gets_its_terminal_once_and_for_all(
    terminal: Terminal, run: str, tmp_path: Path
) -> None:
    """With its shell killed nobody could give it one: it was continued and stopped again, for ever."""
    os.mkfifo(tmp_path / "proof")
    (tmp_path / "deaf.py").write_text(
        "import signal, termios\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})\n"
        "print('up', flush=True)\n"
        "signal.sigwait({signal.SIGCONT})\n"
        "termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))\n"
        "open('proof', 'w').write('through')\n"
    )
    terminal.type(f"{run}python3 deaf.py\n")
    terminal.expect(r"\nup\n")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    os.kill(terminal.pid, signal.SIGKILL)
    assert (tmp_path / "proof").read_text() == "through"


def test_a_stopped_command_goes_on_when_its_front_is_killed(tmp_path: Path) -> None:
    """On pipes without a terminal it stayed stopped, and nobody was told to continue it."""
    os.mkfifo(tmp_path / "proof")
    command = [*ON_PIPES.split(), "sh", "-c", "kill -TSTP $$; echo goes on > proof"]
    # In a group of its own, as a shell with job control has it: a front without such a shell is not stopped.
    with subprocess.Popen(command, cwd=tmp_path, process_group=0) as front:
        await_stop(front.pid)
        front.kill()
        assert (tmp_path / "proof").read_text() == "goes on\n"


@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_a_signal_to_capview_acts_on_the_child(terminal: Terminal, run: str, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "up")
    command = f"trap 'echo has {name}; exit 9' {name}; echo x > up; while :; do sleep 0.1; done"
    terminal.run(f'{run} sh -c "{command}" & capview=$!')
    terminal.run("cat up")
    terminal.type(f"kill -{name} $capview\n")
    terminal.expect(f"has {name}")
    terminal.type("wait $capview; echo code $?\n")
    terminal.expect("code 9")


def test_nohup_is_inherited(terminal: Terminal, run: str) -> None:
    shown = terminal.run(f"nohup {run} sh -c 'kill -HUP $$; echo still here' 2>&1 | cat")
    assert "still here" in shown


def test_the_terminal_s_settings_are_as_before(terminal: Terminal, run: str) -> None:
    before = terminal.run("stty -a")
    terminal.run(run + "stty -a")
    assert before.replace("stty -a", "").strip() == terminal.run("stty -a").replace("stty -a", "").strip()


def test_a_job_with_another_stdin_does_not_take_the_terminal(terminal: Terminal) -> None:
    """Whoever started it so may be using the terminal itself, as a terminal UI does."""
    check = "import os; t = os.open('/dev/tty', 0); print('mine' if os.tcgetpgrp(t) == os.getpgrp() else 'not mine')"
    assert "\nnot mine\n" in terminal.run(f'{ON_PIPES}python3 -c "{check}" < /dev/null')


def test_a_background_job_that_no_shell_looks_after_does_not_ask_for_the_terminal_for_ever(terminal: Terminal) -> None:
    """It was stopped for reading, continued, and stopped again, with a processor to itself."""
    terminal.run("mkfifo gate")
    terminal.run(f"bash -c \"({ON_PIPES}sh -c 'read go <gate; exec cat </dev/tty' 2>said &)\"")
    terminal.run("echo go > gate")
    assert "code 129" in terminal.run("capview wait --conversation c @last; echo code $?")
