"""The fork that becomes the owner: made early, so that front and owner load what only one needs side by side."""

from __future__ import annotations

import os
from typing import NoReturn

from capture_core.record import NamedTuple


class Seat(NamedTuple):
    """A process that waits to be told what to own, and the pipes to it: ``down`` to write, ``up`` to read."""

    pid: int
    down: int
    up: int


_prepared: list[Seat] = []


def prepare() -> None:
    """Fork now; :func:`take` gives it out.  A front that ends without a word ends it too: it sees its pipe close."""
    # Both need these: loaded before the fork, they are loaded once.
    from capture_core import happenings, limits, link, names, order, terminal  # noqa: F401

    _prepared.append(_fork())


def dismiss() -> None:
    """Send a prepared seat away: nothing is to be owned after all."""
    while _prepared:
        seat = _prepared.pop()
        os.close(seat.down)
        os.close(seat.up)
        os.waitpid(seat.pid, 0)


def take() -> Seat:
    """The prepared seat, else a new one."""
    return _prepared.pop() if _prepared else _fork()


def _fork() -> Seat:
    ends: list[int] = []
    try:
        ends += os.pipe()
        ends += os.pipe()
        pid = os.fork()
    except OSError:
        for end in ends:
            os.close(end)
        raise
    down_read, down_write, up_read, up_write = ends
    if pid == 0:
        os.close(down_write)
        os.close(up_read)
        _sit(up_write, down_read)
    os.close(down_read)
    os.close(up_write)
    return Seat(pid, down_write, up_read)


def _sit(up: int, down: int) -> NoReturn:
    code = 1
    try:
        from capture_core.owner import serve

        serve(up, down)
        code = 0
    except KeyboardInterrupt:
        # ^C before the owner had a group of its own: the front has it as well, and nothing was started.
        code = 130
    except BaseException as error:  # noqa: BLE001 — the last thing that this process does is to say it
        os.write(
            2, f"capview: the capture's owner failed: {type(error).__name__}: {error}\n".encode("utf-8", "replace")
        )
    finally:
        os._exit(code)
