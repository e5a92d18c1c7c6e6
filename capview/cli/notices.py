"""``capview notices``: which captures have ended since this consumer was told last, each of them once."""

from __future__ import annotations

import select
import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from capture_core.descend import conversation
from capture_core.exit_codes import NO
from capture_core.limits.reading import NOTICE_LOOK_SECONDS
from capture_core.notices import Inbox
from capview import present
from capview.cli.pick import add_consumer
from capview.cli.place import WORKING_DIRECTORY, chosen, origin
from capview.cli.words import put, put_json, warn
from capview.escaping import safe
from capview.record import record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from capture_core.notices import Notice

EXAMPLE: Final = """\
examples:
  capview notices --consumer planner
  capview notices --consumer planner --since now --follow --json

Each capture that has ended is printed once to each consumer, whether or not that ever read of it; an owner that died
is an end too.  A notice is marked as given when it was printed: after a crash between the two it comes again, with the
same notice id.  The first use of a name gives all captures that have ended; with --since now, those that end from then
on.  Later uses of the name go on where it is, with or without --since now.

exit code: 0, and 1 when there is nothing to tell, or what was printed cannot be marked
"""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``notices``."""
    add_consumer(parser)
    parser.add_argument("--since", choices=("now",), help="now: at the first use, leave out what has ended before")
    parser.add_argument("--follow", action="store_true", help="go on with those to come, until ^C")
    parser.add_argument("--json", action="store_true", help="each receipt, with its notice_id, one a line")


def run(arguments: argparse.Namespace) -> int:
    """Print the notices that were not given yet, and mark each."""
    path = chosen(arguments.conversation)
    is_any = False
    if not arguments.follow and origin(arguments.conversation) != WORKING_DIRECTORY:
        # A mistyped path is to be told; where somebody waits for what comes, all of it may be still to come.
        with conversation(path):
            pass
    with Inbox(path, arguments.consumer, since_now=arguments.since is not None) as inbox:
        for notice in _told(inbox, follow=arguments.follow):
            with _undisturbed():
                _put(notice, path, as_json=arguments.json)
                notice.ack()
            is_any = True
        is_begun_now = inbox.began and arguments.since is not None
    return 0 if is_any or is_begun_now else NO


def _told(inbox: Inbox, *, follow: bool) -> Iterator[Notice]:
    """The notices, and once a word on each capture whose receipt cannot be believed."""
    said: set[str] = set()
    while True:
        yield from inbox.look()
        for ref in sorted(inbox.unreadable.keys() - said):
            said.add(ref)
            warn(f"{ref}: {inbox.unreadable[ref].words}; no notice of it comes while that is so")
        if not follow:
            return
        time.sleep(NOTICE_LOOK_SECONDS)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back ``^C`` and the like between hand-over and mark: only a crash makes a notice come again.

    Not while nobody reads: a reader that is stuck before this must not take ``^C`` away.
    """
    ready = select.poll()
    ready.register(sys.stdout.fileno(), select.POLLOUT)
    ready.poll()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _put(notice: Notice, path: str, *, as_json: bool) -> None:
    entry = notice.entry
    if as_json:
        put_json({"notice_id": notice.notice_id, **record(entry, path)})
        return
    line = "  ".join((entry.receipt.ref, present.summary(entry), safe(entry.receipt.label or "")))
    put(f"{line.rstrip()}\n".encode("utf-8", "backslashreplace"), sys.stdout)
