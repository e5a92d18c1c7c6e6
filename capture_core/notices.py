"""Completion notices: each capture that has ended, to each consumer, once, and again only when nobody marked it.

What was delivered is known by the capture's id, exactly: not by the latest one that was seen, since captures end out of
order, and clocks are set back.  A poll never takes a notice, and a notice moves no cursor.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from capture_core import names
from capture_core.consumers import Consumer, Turn
from capture_core.ended import Endings
from capture_core.errors import BadName
from capture_core.limits.reading import CONSUMER_STALE_LINES, NOTICE_LOOK_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from capture_core.source import Entry, Unreadable

_FILE: Final = "delivered"
_HEADER: Final = "capview delivered 1"


@dataclass(frozen=True, slots=True)
class Notice:
    """A capture has ended: ``entry`` is how.  To be acknowledged once it was handed over."""

    notice_id: str
    """The same whenever this notice comes again: the capture's id."""
    entry: Entry
    _ack: Callable[[str], None] = field(repr=False)

    @property
    def ref(self) -> str:
        """The capture's ref."""
        return self.entry.receipt.ref

    def ack(self) -> None:
        """Mark it as delivered, so that it never comes again; safe to repeat, also later and in another thread.

        Raises :class:`Unmarked` or :class:`Refused` when that cannot be written: it comes again then.
        """
        self._ack(self.notice_id)


class Inbox:
    """What one consumer was not told yet.  Not for two threads at once; close it, or use it as a context manager."""

    def __init__(self, conversation: str, consumer: str, *, since_now: bool = False) -> None:
        """``since_now``: what has ended before the first use of this consumer counts as delivered.

        Raises :class:`Refused` when nothing can be kept for the consumer; nothing is given then.
        """
        self._conversation = conversation
        self._endings = Endings(conversation)
        self._since_now = since_now
        self._stack = ExitStack()
        self._consumer = self._stack.enter_context(Consumer(conversation, consumer))
        self._delivered = _Delivered(self._consumer)
        self._lock = threading.Lock()
        """For acknowledgements by other threads."""
        self._has_turn = False
        self.began = False
        """Whether this was the consumer's first use."""

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """By ref what could not be believed at the last look: no notice of it comes before it can."""
        return self._endings.unreadable

    def look(self) -> Generator[Notice]:
        """Notices that were not acknowledged, in the order of the captures' ids.

        The consumer is this process's until the iterator has ended or was closed; others of its name wait.
        """
        with ExitStack() as stack:
            # Held until the marks are read anew: one that is added before that would be put over those of another.
            with self._lock:
                stack.enter_context(self._consumer.turn(Turn.NOTICES))
                self._endings.refresh()
                self._begin()
                self._has_turn = True
                stack.callback(self._end_turn)
            for entry in self._endings.beyond(self._delivered.captures):
                yield Notice(entry.receipt.capture_id, entry, self._acknowledge)
            with self._lock:
                self._delivered.forget_others(self._endings)

    def follow(self) -> Iterator[Notice]:
        """The same, and then those to come, without end; the consumer is free between two looks."""
        while True:
            yield from self.look()
            time.sleep(NOTICE_LOOK_SECONDS)

    def close(self) -> None:
        """Let go of the consumer.  Notices can be acknowledged all the same."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> None:
        if not self._delivered.load():
            known = self._endings.final() if self._since_now else set()
            if self._since_now:
                known |= {entry.receipt.capture_id for entry in self._endings.beyond(known)}
            with self._consumer.refusing():
                self._delivered.begin(sorted(known))
            self.began = True

    def _end_turn(self) -> None:
        with self._lock:
            self._has_turn = False

    def _acknowledge(self, capture: str) -> None:
        with self._lock:
            if self._has_turn:
                self._delivered.add(capture)
                return
        # The look is over, or went to another thread: what was delivered since is another's to say.
        with Consumer(self._conversation, self._consumer.name) as consumer, consumer.turn(Turn.NOTICES):
            delivered = _Delivered(consumer)
            if not delivered.load():
                delivered.begin(())
            delivered.add(capture)


class _Delivered:
    """The ids of what was delivered, as its file has them.  Within the turn."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer
        self._journal = consumer.journal(_FILE, _HEADER)
        self.captures: set[str] = set()

    def load(self) -> bool:
        """Learn what there is; whether there is anything, be it an empty file."""
        loaded = self._journal.load()
        if loaded is None:
            return False
        is_all, lines = loaded
        if is_all:
            self.captures.clear()
        # A line that a crash of the machine left behind tells nothing: that notice comes again.
        self.captures.update(filter(_is_capture, lines))
        return True

    def begin(self, captures: Sequence[str]) -> None:
        """Make the file."""
        self._journal.make(captures)
        self.load()

    def add(self, capture: str) -> None:
        """Mark one."""
        if capture not in self.captures:
            with self._consumer.marking(f"the notice {capture}"):
                self._journal.append((capture,))
            self.captures.add(capture)

    def forget_others(self, endings: Endings) -> None:
        """Write the file anew, without the captures that are gone, when these are many."""
        if self._journal.count <= CONSUMER_STALE_LINES or not endings.is_whole:
            return
        kept = self.captures & endings.captures()
        if self._journal.count - len(kept) > max(CONSUMER_STALE_LINES, len(kept)):
            # On a full disk it stays as it is.
            with suppress(OSError):
                self._journal.rewrite(sorted(kept))
                self.captures = kept


def _is_capture(line: str) -> bool:
    with suppress(BadName):
        return bool(names.capture_id(line))
    return False
