"""``capview demo``: a sample conversation made on the spot by real ``capview run`` jobs, and the UI on it."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import tokenize
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from capture_core.exit_codes import NO, NOT_STARTED, USAGE, of_signal

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import NoReturn

EXAMPLE = """\
examples:
  capview demo
  capview demo --make ~/sample     # make the conversation there, open nothing
"""


_PYTHON = sys.executable


class _Sample(NamedTuple):
    label: str
    options: tuple[str, ...]
    argv: tuple[str, ...]


def _samples() -> tuple[_Sample, ...]:
    """What has been run when the UI opens, oldest first."""
    token = "ghp_" + "".join(chr(ord("a") + n * 7 % 26) for n in range(36))
    settings = f"printf 'region = eu-1\\nexport DEPLOY_TOKEN={token}\\nretries = 3\\n'"
    return (
        _Sample("settings of the deployment", (), ("sh", "-c", settings)),
        _Sample("import times of the JSON package", (), (_PYTHON, "-X", "importtime", "-c", "import json.tool")),
        _Sample("tokens of tokenize.py", ("--limit", "64KiB"), (_PYTHON, "-m", "tokenize", tokenize.__file__)),
        _Sample("unit tests", (), (_PYTHON, "-m", "capview.demo.failing_tests")),
        _Sample("stopped by a signal", (), ("sh", "-c", "echo working; kill -TERM $$")),
    )


_GOES_ON = _Sample("compile the standard library", (), (_PYTHON, "-m", "capview.demo.compile_library"))
"""What runs while you look."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``demo``."""
    parser.add_argument("--make", metavar="PATH", help="make the sample conversation there and open nothing")


def run(arguments: argparse.Namespace) -> int:
    """Make the samples, then open the UI on them; what was made is gone afterwards, unless --make named a place."""
    if arguments.make is not None:
        return _make_there(arguments.make)
    from capview.tui.app import open_ui
    from capview.tui.opening import require_terminal

    require_terminal()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    with tempfile.TemporaryDirectory(prefix="capview-demo-") as folder:
        conversation = str(Path(folder) / "demo")
        if not make(conversation):
            return NO
        with _running(conversation):
            return open_ui(conversation)


def _make_there(conversation: str) -> int:
    if not make(conversation):
        return USAGE
    detached = _command(conversation, _GOES_ON, "--detach")
    if subprocess.run(detached, check=False, stdout=subprocess.DEVNULL).returncode:
        return NO
    print(conversation)
    return 0


def make(conversation: str) -> bool:
    """Run every sample in ``conversation`` under ``capview run``, to its end.

    ``False``: the place takes no captures; the first that was tried there has said why.
    """
    return all(_ran(_command(conversation, sample, "--quiet")) for sample in _samples())


def _ran(command: tuple[str, ...]) -> bool:
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode != NOT_STARTED


@contextmanager
def _running(conversation: str) -> Iterator[None]:
    """Have one job going on, and end it with the demo."""
    # In a session of its own: the terminal and its signals are the UI's alone.
    command = _command(conversation, _GOES_ON, "--quiet")
    front = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        front.terminate()
        front.wait()


def _leave(number: int, _frame: object) -> NoReturn:
    """End as after ``q``: a closed terminal leaves no job and no folder behind either."""
    raise SystemExit(of_signal(number))


def _command(conversation: str, sample: _Sample, *options: str) -> tuple[str, ...]:
    run_it = (_PYTHON, "-m", "capview", "run", "--conversation", conversation, "--label", sample.label)
    return (*run_it, *options, *sample.options, "--", *sample.argv)
