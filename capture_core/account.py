"""What a conversation keeps, for those who look: by its files, and by the tally in which its owners count.

Takes no turn at the tally, and changes nothing.
"""

from __future__ import annotations

import os

from capture_core import names
from capture_core.descend import NotOurs, conversation, open_file, step
from capture_core.errors import CaptureError, system_words
from capture_core.kept import kept_bytes
from capture_core.record import NamedTuple
from capture_core.tally import FILE, FOLDER, RECORD_BYTES, Tally, decode


class Uncounted(CaptureError):
    """The system did not let the captures be listed, or the tally be read: what is kept is not known."""


class Account(NamedTuple):
    """What a conversation keeps, in bytes: by its files, and by its tally, in which owners count ahead of their files.

    ``counted`` is ``None`` when there is no tally, or what stands there is none; it is made anew with the next capture.
    """

    kept: int
    counted: int | None
    owners: int
    """How many captures the tally takes for being written."""


def account(path: str) -> Account:
    """Look at both.  Raises :class:`PlaceRefused` where no way leads to them, and :class:`Uncounted`."""
    with conversation(path) as fd:
        tally = tally_of(fd)
        counted, owners = (None, 0) if tally is None else (tally.taken, tally.owners)
        return Account(_kept(fd), counted, owners)


def kept_in(path: str) -> int:
    """Bytes that the captures of the conversation at this path keep; raises as :func:`account`."""
    with conversation(path) as fd:
        return _kept(fd)


def tally_of(folder: int) -> Tally | None:
    """The tally of an open conversation; ``None``: there is none, or what stands there is none.

    Raises :class:`PlaceRefused` or :class:`Uncounted` where that cannot be told.
    """
    try:
        with step(folder, names.PRIVATE) as private:
            if private is None:
                return None
            with step(private, FOLDER) as counting:
                record = None if counting is None else _record(counting)
    except NotOurs:
        return None
    return None if record is None else decode(record)


def _record(folder: int) -> bytes | None:
    fd = open_file(folder, FILE)
    if fd is None:
        return None
    try:
        return os.pread(fd, RECORD_BYTES, 0)
    except OSError as error:
        raise Uncounted(f"the tally of what is kept cannot be read: {system_words(error)}") from error
    finally:
        os.close(fd)


def _kept(folder: int) -> int:
    with step(folder, names.TOOL_OUTPUTS) as outputs:
        if outputs is None:
            return 0
        try:
            return kept_bytes(outputs, unlisted=0)
        except OSError as error:
            raise Uncounted(f"the captures here cannot be counted: {system_words(error)}") from error
