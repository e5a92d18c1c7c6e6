"""A terminal that is gone, or a request to end, ends the UI in order: the terminal is restored, no job is touched.

A terminal that hung up is read as empty, at once, for ever, and what is written to it stops the thread that writes:
the framework then neither rests nor ends.  So the main thread is called out of whatever it waits for, until it goes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

from capture_core.exit_codes import of_signal

if TYPE_CHECKING:
    from textual.app import App

_LOOK_SECONDS: Final = 1.0


def end_with_terminal(app: App[Any]) -> None:
    """Have ``app`` exit when its terminal is gone, and at SIGHUP and SIGTERM, with 128 and the signal's number.

    A SIGHUP that was ignored when the UI started is ignored on, as long as there is a terminal.
    """
    if app.is_headless:
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, _exit, app, signal.SIGTERM)
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN

    def hung_up(_number: int, _frame: object) -> None:
        if _is_gone(0):
            raise SystemExit(of_signal(signal.SIGHUP))
        if not ignored:
            loop.call_soon_threadsafe(_exit, app, signal.SIGHUP)

    signal.signal(signal.SIGHUP, hung_up)
    threading.Thread(target=_watch_terminal, name="terminal-watch", daemon=True).start()


def _watch_terminal() -> None:
    main = threading.main_thread().ident
    never = threading.Event()
    while not never.wait(_LOOK_SECONDS):
        if main is not None and _is_gone(0):
            signal.pthread_kill(main, signal.SIGHUP)


def _exit(app: App[Any], number: int) -> None:
    app.exit(return_code=of_signal(number))


def _is_gone(fd: int) -> bool:
    try:
        os.tcgetpgrp(fd)
    except OSError:
        return True
    return False
