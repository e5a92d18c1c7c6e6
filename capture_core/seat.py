"""The fork that becomes the owner: made early, so that front and owner load what only one needs side by side."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import NoReturn

from capture_core.exit_codes import INTERRUPTED
from capture_core.record import NamedTuple
from capture_core.terminal import Pair


class Seat(NamedTuple):
    """A process that waits to be told what to own, and the pipes to it: ``down`` to write, ``up`` to read."""

    pid: int
    down: int
    up: int
    master: int | None = None
    """Of a pseudo-terminal, whose two ends that process has as well; made before it, so that both have it."""


_prepared: list[Seat] = []


def prepare(*, pty: bool) -> None:
    """Fork now; :func:`take` gives it out.  A front that ends without a word ends it too: it sees its pipe close.

    ``pty``: with a pseudo-terminal, if one can be had.
    """
    # Both need these: loaded before the fork, they are loaded once.
    from capture_core import happenings, limits, link, names, order, terminal  # noqa: F401

    pair = None
    if pty:
        with contextlib.suppress(OSError):
            pair = _open_pair()
    _prepared.append(_fork(pair))


def has_pty() -> bool:
    """Whether the prepared seat has a pseudo-terminal."""
    return bool(_prepared) and _prepared[-1].master is not None


def dismiss() -> None:
    """Send a prepared seat away: nothing is to be owned after all."""
    while _prepared:
        seat = _prepared.pop()
        _leave(seat)
        os.waitpid(seat.pid, 0)


def take(*, pty: bool) -> Seat:
    """The prepared seat, else a new one.  Raises ``OSError`` where ``pty`` is wanted and none can be had."""
    if pty and not has_pty():
        dismiss()
    seat = _prepared.pop() if _prepared else _fork(_open_pair() if pty else None)
    if not pty and seat.master is not None:
        os.close(seat.master)
    return seat


def _open_pair() -> Pair:
    if not hasattr(os, "openpty"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    return Pair(*os.openpty())


def _leave(seat: Seat) -> None:
    for end in (seat.down, seat.up, seat.master):
        if end is not None:
            os.close(end)


def _fork(pair: Pair | None) -> Seat:
    ends: list[int] = []
    try:
        ends += os.pipe()
        ends += os.pipe()
        pid = os.fork()
    except OSError:
        for end in (*ends, *(pair or ())):
            os.close(end)
        raise
    down_read, down_write, up_read, up_write = ends
    if pid == 0:
        os.close(down_write)
        os.close(up_read)
        _sit(up_write, down_read, pair)
    os.close(down_read)
    os.close(up_write)
    if pair is None:
        return Seat(pid, down_write, up_read)
    # Held here as well, it would never be seen to be closed.
    os.close(pair.slave)
    return Seat(pid, down_write, up_read, pair.master)


def _sit(up: int, down: int, pair: Pair | None) -> NoReturn:
    code = 1
    try:
        from capture_core.owner import serve

        serve(up, down, pair)
        code = 0
    except KeyboardInterrupt:
        # ^C before the owner had a group of its own: the front has it as well, and nothing was started.
        code = INTERRUPTED
    except BaseException as error:  # noqa: BLE001 — the last thing that this process does is to say it
        os.write(
            2, f"capview: the capture's owner failed: {type(error).__name__}: {error}\n".encode("utf-8", "replace")
        )
    finally:
        os._exit(code)
