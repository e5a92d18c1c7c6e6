"""What a conversation keeps, for those who write nothing in it: to list, to examine, and to have it counted again."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.directory import Directory
from capture_core.errors import PlaceRefused
from capture_core.kept import kept_bytes
from capture_core.limits import ALLOWANCE_LOCK_SECONDS
from capture_core.record import NamedTuple
from capture_core.shared_tally import FILE, FOLDER, Place, SharedTally
from capture_core.tally import RECORD_BYTES, Tally, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Account(NamedTuple):
    """What a conversation keeps, in bytes: by its files, and by its tally, in which owners count ahead of their files.

    ``counted`` is ``None`` when there is no tally, or what stands there is none; it is made anew with the next capture.
    """

    kept: int
    counted: int | None
    owners: int
    """How many captures the tally takes for being written."""


def account(conversation: str) -> Account:
    """Look at both; takes no turn, changes nothing.  Raises :class:`PlaceRefused` where there is no conversation."""
    with _opened(conversation) as fd:
        tally = _tally(fd)
        taken, slots = (None, 0) if tally is None else (tally.taken, tally.owners)
        return Account(_kept(fd), taken, slots)


def kept_in(conversation: str) -> int:
    """Bytes that the captures of the conversation at this path keep; raises :class:`PlaceRefused`."""
    with _opened(conversation) as fd:
        return _kept(fd)


def reconcile(conversation: str) -> int | None:
    """Count the files again, after some were removed; what the conversation keeps then.

    ``None``: there is no tally, so that the next capture counts them anyway.  Raises :class:`PlaceRefused`,
    ``OSError``, or :class:`HeldUp` when a stopped process has the turn: a full allowance is counted again then too.
    """
    with ExitStack() as stack:
        fd = stack.enter_context(_opened(conversation))
        if _tally(fd) is None:
            return None
        at = Directory(fd, conversation, made=False)
        private, outputs = (stack.enter_context(_step(at, name)) for name in (names.PRIVATE, names.TOOL_OUTPUTS))
        shared = SharedTally(Place(private=private, outputs=outputs, scratch=private))
        stack.callback(shared.close)
        with shared.turn(ALLOWANCE_LOCK_SECONDS):
            tally = shared.read() or Tally()
            shared.count_anew(tally)
            shared.write(tally)
        return tally.taken


@contextmanager
def _opened(conversation: str) -> Iterator[int]:
    try:
        fd = os.open(conversation, _DIRECTORY)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise PlaceRefused(f"conversation {conversation!r}: {words}; name the folder of one") from error
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _step(parent: Directory, name: str) -> Iterator[Directory]:
    directory = parent.step(name)
    try:
        yield directory
    finally:
        directory.close()


def _kept(conversation: int) -> int:
    outputs = _below(conversation, names.TOOL_OUTPUTS, _DIRECTORY | os.O_NOFOLLOW)
    if outputs is None:
        return 0
    try:
        return kept_bytes(outputs, unlisted=0)
    except OSError as error:
        raise PlaceRefused(f"the captures here cannot be counted: {(error.strerror or str(error)).lower()}") from error
    finally:
        os.close(outputs)


def _tally(conversation: int) -> Tally | None:
    at = os.dup(conversation)
    for name, flags in (
        (names.PRIVATE, _DIRECTORY | os.O_NOFOLLOW),
        (FOLDER, _DIRECTORY | os.O_NOFOLLOW),
        (FILE, _FILE),
    ):
        below = _below(at, name, flags)
        os.close(at)
        if below is None:
            return None
        at = below
    try:
        return decode(os.pread(at, RECORD_BYTES, 0))
    except OSError:
        return None
    finally:
        os.close(at)


def _below(folder: int, name: str, flags: int) -> int | None:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError:
        return None
