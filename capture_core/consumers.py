"""Where a consumer's cursors and delivery markers lie: a private folder of its own, used by one process at a time.

A consumer is whoever asks what is new, by a name: an agent, a script, a person.  Nothing of it is evidence, and the
captures know nothing of it.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager
from enum import IntEnum
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, Self

from capture_core import byte_locks, names
from capture_core.directory import open_own, remove_made
from capture_core.durable import NewFile, is_at
from capture_core.errors import ConsumerBusy, NameTaken, PlaceRefused, Unmarked, system_words
from capture_core.journal import Journal
from capture_core.limits.capturing import CLAIM_TRIES
from capture_core.limits.reading import CONSUMER_RETRY_SECONDS, CONSUMER_TURN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from capture_core.directory import Directory

_FOLDER: Final = "consumers"
_LOCK: Final = "lock"
_OPEN: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Turn(IntEnum):
    """What one process at a time may do for a consumer; the values are bytes of its lock file.

    Two, for the same reason for which there are two files: whoever waits for notices keeps nobody from polling.
    """

    NOTICES = 0
    CURSORS = 1


class Consumer:
    """One consumer's open folder.  Not for two threads at once; two of them exclude each other, in one process too."""

    def __init__(self, conversation: str, name: str) -> None:
        """Open it, or make it.  Raises :class:`Refused` where that cannot be, and for what is no name."""
        self.name = names.consumer_name(name)
        self._stack = ExitStack()
        try:
            with _as_refusal(conversation, name):
                self._conversation = conversation
                self.folder = self._open(conversation)
                self._lock = self._open_lock()
        except BaseException:
            self._stack.close()
            raise

    @contextmanager
    def turn(self, which: Turn, seconds: float = CONSUMER_TURN_SECONDS) -> Iterator[None]:
        """Have the turn; :class:`ConsumerBusy` when another has it for that long.

        :class:`PlaceRefused` where another conversation, or none, stands at its path by now: nothing is new in that.
        """
        with self.refusing():
            self._check_place()
            self._take(which, seconds)
        try:
            yield
        finally:
            byte_locks.unlock(self._lock, which)

    def refusing(self) -> AbstractContextManager[None]:
        """Within it, what the system refuses is refused by name: before anything is given."""
        return _as_refusal(self.folder.path, self.name)

    @contextmanager
    def marking(self, what: str) -> Iterator[None]:
        """Within it, what the system refuses means that ``what``, which was handed over, comes again: ``Unmarked``."""
        try:
            yield
        except OSError as error:
            raise Unmarked(
                f"{what} cannot be marked as given to {self.name!r} ({system_words(error)}): it comes again; "
                f"make room, or make {self.folder.path!r} writable"
            ) from error

    def journal(self, name: str, header: str) -> Journal:
        """One of its files; closed with this."""
        journal = Journal(self.folder, name, header)
        self._stack.callback(journal.close)
        return journal

    def close(self) -> None:
        """Give all descriptors back, and with them the turn."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, conversation: str) -> Directory:
        directory, made = open_own(conversation)
        self._stack.callback(directory.close)
        self._root = os.fstat(directory.fd)
        try:
            for name in (names.PRIVATE, _FOLDER, self.name):
                directory = directory.step(name)
                self._stack.callback(directory.close)
        except BaseException:
            remove_made(made)
            raise
        return directory

    def _check_place(self) -> None:
        try:
            is_same = os.path.samestat(os.stat(self._conversation), self._root)
        except FileNotFoundError:
            is_same = False
        if not is_same:
            raise PlaceRefused(
                f"conversation {self._conversation!r}: moved, removed or replaced since it was opened; open it anew"
            )

    def _take(self, which: Turn, seconds: float) -> None:
        until = monotonic() + seconds
        while True:
            if byte_locks.lock(self._lock, which):
                if is_at(self.folder, _LOCK, self._lock):
                    return
                # Removed, or put in place by another: that one is the lock.
                self._lock = self._open_lock()
            elif monotonic() >= until:
                raise ConsumerBusy(
                    f"consumer {self.name!r}: another process is at it, under the same name, or another "
                    "thread of this one; let it end, or choose another name"
                )
            else:
                sleep(CONSUMER_RETRY_SECONDS)

    def _open_lock(self) -> int:
        for _ in range(CLAIM_TRIES):
            try:
                fd = os.open(_LOCK, _OPEN, dir_fd=self.folder.fd)
            except FileNotFoundError:
                self._make_lock()
                continue
            byte_locks.keep_from_forks(fd)
            self._stack.callback(byte_locks.close, fd)
            status = os.fstat(fd)
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                return fd
            break
        raise PlaceRefused(f"{os.path.join(self.folder.path, _LOCK)!r}: not a file of our own; move it away")

    def _make_lock(self) -> None:
        file = NewFile(self.folder, self.folder, f".{os.getpid()}-{os.urandom(10).hex()}")
        try:
            file.publish(self.folder, _LOCK)
        except NameTaken:
            pass
        finally:
            file.discard()


@contextmanager
def _as_refusal(place: str, name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PlaceRefused(
            f"{place!r}: cannot keep there what consumer {name!r} was given ({system_words(error)}); nothing was given"
        ) from error
