"""Starting a program as a child: in a group or session of its own, as nice as wanted, errors named for what failed."""

from __future__ import annotations

import errno
import os
import subprocess
import threading
from typing import TYPE_CHECKING

from capture_core.errors import BadInput, SpawnFailed, no_thread, system_words
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Descriptors(NamedTuple):
    """What the child gets as 0, 1 and 2."""

    stdin: int | None
    stdout: int
    stderr: int
    terminal: int | None = None
    """Its controlling terminal, in whose foreground it begins."""


def start(
    argv: Sequence[str | bytes],
    descriptors: Descriptors,
    cwd: str | None,
    env: Mapping[str, str] | None,
    *,
    session: bool,
    nice: int = 0,
) -> subprocess.Popen[bytes]:
    """Start ``argv``, looked up in PATH.  Raises ``SpawnFailed``; ``BadInput`` where it may not be that nice."""
    try:
        return _niced(nice, lambda: _popen(argv, descriptors, cwd, env, session=session))
    except OSError as error:
        raise _spawn_failed(argv[0], cwd, error) from error
    except ValueError as error:
        raise SpawnFailed(os.fsdecode(argv[0]), errno.EINVAL, str(error)) from error


def _taking(terminal: int | None) -> Callable[[], object] | None:
    """Put in the foreground by its parent, the child would run, and read, in the background first.

    It is stopped for that, and the signal that lets it go on again takes a ``^Z`` with it that was typed meanwhile.
    """
    if terminal is None:
        return None
    from capture_core.terminal import Terminal

    return lambda: Terminal(terminal).give(os.getpid())


def _niced(nice: int, work: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Start it from a thread that is as nice: in Linux each thread is so by itself, and so is what it starts."""
    if not nice:
        return work()
    started: list[subprocess.Popen[bytes]] = []
    failed: list[Exception] = []

    def start_nicely() -> None:
        try:
            _be_nice(nice)
            started.append(work())
        except Exception as error:  # noqa: BLE001 — raised again below
            failed.append(error)

    thread = threading.Thread(target=start_nicely, name="nice-start", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise no_thread(error) from error
    thread.join()
    if failed:
        raise failed[0]
    return started[0]


def _be_nice(nice: int) -> None:
    try:
        os.nice(nice)
    except OSError as error:
        raise BadInput(f"niceness {nice} is not allowed here; only 0 and above are for every user") from error


def _popen(
    argv: Sequence[str | bytes],
    descriptors: Descriptors,
    cwd: str | None,
    env: Mapping[str, str] | None,
    *,
    session: bool,
) -> subprocess.Popen[bytes]:
    def run(command: Sequence[str | bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if descriptors.stdin is None else descriptors.stdin,
            stdout=descriptors.stdout,
            stderr=descriptors.stderr,
            cwd=cwd,
            env=env,
            process_group=None if session else 0,
            start_new_session=session,
            preexec_fn=_taking(descriptors.terminal),  # noqa: PLW1509 — it calls the kernel and takes no lock
        )

    if not argv[0]:
        # Looked up in PATH it would be found to be each of its folders.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        return run(argv)
    except OSError as error:
        import shutil  # 4 ms, for a rare case

        program = shutil.which(os.fsdecode(argv[0])) if error.errno == errno.ENOEXEC else None
        if program is None:
            raise
    # A script without a #! line: execvp(3), and so every shell, env and timeout, hands it to sh.
    return run(["/bin/sh", program, *argv[1:]])


def _spawn_failed(program: str | bytes, cwd: str | None, error: OSError) -> SpawnFailed:
    code = error.errno or errno.EINVAL
    said = system_words(error)
    if cwd is not None and error.filename is not None and os.fsdecode(error.filename) == cwd:
        return SpawnFailed(cwd, code, f"{said}; name a folder for the command to run in that it can enter")
    words = {
        errno.ENOENT: "command not found",
        errno.EACCES: "not executable (permission denied, or a folder)",
        errno.ENOEXEC: "not executable (no program format that this system knows)",
    }
    return SpawnFailed(os.fsdecode(program) or "''", code, words.get(code, said))
