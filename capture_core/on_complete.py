"""The command that a user wants run when a job is over: told the facts by its environment, bounded in time.

Nothing of a job is put into the command itself: a label or a path that somebody else chose would be run as well.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from time import monotonic
from typing import TYPE_CHECKING, Final

from capture_core.errors import system_words
from capture_core.facts import ProcessState
from capture_core.names import raw_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.facts import Receipt
    from capture_core.happenings import Exited
    from capture_core.limits import Limits

_SHELL: Final = "/bin/sh"
# The outer shell tells by a pipe how the inner one ended, whoever reaps it.  It outlives a TERM to its group, so that
# the group's number is its own for as long as the pipe is open.
_SCRIPT: Final = f'trap : TERM; {_SHELL} -c "$1" 3>&-; echo $? >&3'
_REPORT: Final = 3
_NEVER_STARTED: Final = frozenset({126, 127})
_RESET: Final = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGPIPE,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
)


def facts(conversation: str, ref: str, exited: Exited, receipt: Receipt | None) -> dict[str, str]:
    """What the command finds in its environment; what is not known, or is not there, is empty.

    Without a receipt, which could not be published then, the capture's state is empty; so is the ref of a small result,
    of which no file is kept.
    """
    capture = receipt.capture if receipt is not None else None
    return {
        "CAPVIEW_CONVERSATION": conversation,
        "CAPVIEW_REF": ref,
        "CAPVIEW_CAPTURE_ID": ref.rpartition("/")[2],
        "CAPVIEW_STATE": receipt.process.state if receipt is not None else _state(exited),
        "CAPVIEW_EXIT_CODE": "" if exited.code is None else str(exited.code),
        "CAPVIEW_SIGNAL": "" if exited.signal is None else str(exited.signal),
        "CAPVIEW_CAPTURE_STATE": "" if capture is None else capture.state,
        "CAPVIEW_CAPTURE_REASON": "" if capture is None or capture.reason is None else capture.reason,
        "CAPVIEW_LABEL": (receipt.label if receipt is not None else None) or "",
        "CAPVIEW_CALL_ID": (receipt.call_id if receipt is not None else None) or "",
        "CAPVIEW_DURATION_SECONDS": _seconds(receipt),
    }


def run(command: str, told: Mapping[str, str], limits: Limits, *, is_silent: bool) -> str:
    """Run it by ``sh -c``, with nothing to read, its output on our stderr or, ``is_silent``, nowhere.

    It has no terminal to ask at, where nobody sits: in a session of its own what reads one fails and is not stopped.
    When its time is over its group gets TERM, and KILL after the grace.  Returns what went wrong, in words, or nothing.
    """
    seconds = limits.on_complete_seconds
    try:
        report, pid = _start(command, told, is_silent=is_silent)
    except OSError as error:
        return f"--on-complete could not be started ({system_words(error)})"
    try:
        said = _within(report, seconds)
        if said is None:
            _end(report, pid, limits.kill_grace_seconds)
            return f"--on-complete was ended after {seconds:g} s"
    finally:
        os.close(report)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return _words(said)


def _start(command: str, told: Mapping[str, str], *, is_silent: bool) -> tuple[int, int]:
    report, tell = os.pipe()
    try:
        nothing = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            *([nothing] if is_silent else []),
            (os.POSIX_SPAWN_DUP2, 2, 1),
            (os.POSIX_SPAWN_DUP2, tell, _REPORT),
        ]
        environ = {**os.environb, **{name.encode(): raw_text(value) for name, value in told.items()}}
        argv = [_SHELL, "-c", _SCRIPT, _SHELL, command]
        pid = os.posix_spawn(_SHELL, argv, environ, file_actions=actions, setsid=True, setsigdef=_RESET)
    except BaseException:
        os.close(report)
        raise
    finally:
        os.close(tell)
    return report, pid


def _within(report: int, seconds: float) -> bytes | None:
    """What the outer shell says at the end; nothing when it was killed, ``None`` when it goes on for longer."""
    poll = select.poll()
    poll.register(report, select.POLLIN)
    until = monotonic() + seconds
    said = b""
    while poll.poll(max(0.0, until - monotonic()) * 1000):
        part = os.read(report, 64)
        if not part:
            return said
        said += part
    return None


def _end(report: int, pid: int, grace_seconds: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
        if _within(report, grace_seconds) is None:
            os.killpg(pid, signal.SIGKILL)


def _words(said: bytes) -> str:
    text = said.decode("ascii", "replace").strip()
    if text == "0":
        return ""
    if not text.isdigit():
        return "--on-complete was killed"
    code = int(text)
    if code in _NEVER_STARTED:
        return f"--on-complete could not be run (exit code {code})"
    if code > 128:  # noqa: PLR2004 — the shell's form of a signal
        return f"--on-complete was ended by signal {code - 128}"
    return f"--on-complete failed (exit code {code})"


def _state(exited: Exited) -> ProcessState:
    is_unknown = exited.state is ProcessState.EXITED and exited.code is None and exited.signal is None
    return ProcessState.UNKNOWN if is_unknown else exited.state


def _seconds(receipt: Receipt | None) -> str:
    duration = None if receipt is None else receipt.times.duration_seconds
    return "" if duration is None else f"{duration:.3f}"
