"""One line of a check-up: what was found, where, and the command that mends it, where something is to be mended."""

from __future__ import annotations

import os
import shlex
from enum import StrEnum
from typing import Final, NamedTuple

from capview.escaping import safe


class Check(StrEnum):
    """What a remark is about."""

    PLACE = "place"
    """A folder that is missing, not ours, or not what it must be."""
    MODE = "mode"
    """Others may read or write what is ours, or we may not."""
    OWNER = "owner"
    FOREIGN = "foreign"
    """Something whose name is none of ours lies between our files."""
    SPECIAL = "special"
    """A link, a folder, a device or the like stands at one of our names."""
    HARD_LINK = "hard-link"
    LEFTOVER = "leftover"
    """What an owner left behind that died."""
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"
    REQUEST = "request"
    """A request that nobody is there to act on."""
    TEMPORARY = "temporary"
    ALLOWANCE = "allowance"
    ROOM = "room"
    FILE_SYSTEM = "file-system"
    WATCHES = "watches"
    ENGINE = "engine"
    LIMITS = "limits"
    SETTINGS = "settings"


class Remark(NamedTuple):
    """``mend`` is a command for a shell; ``None``: there is nothing to mend, and the words only say how it is."""

    check: Check
    where: str
    words: str
    mend: str | None = None


def quoted(path: str) -> str:
    """A path for a shell's command line, plain to see whatever its bytes are."""
    if path == safe(path):
        return shlex.quote(path)
    return "$'{}'".format("".join(map(_escaped, path.encode("utf-8", "surrogateescape"))))


_QUOTES: Final = frozenset(b"'\\")


def _escaped(byte: int) -> str:
    is_plain = 0x20 <= byte < 0x7F and byte not in _QUOTES  # noqa: PLR2004 — printable ASCII
    return chr(byte) if is_plain else f"\\x{byte:02x}"


def chmod(mode: int, path: str) -> str:
    """The command that sets a mode."""
    return f"chmod {mode:04o} {quoted(path)}"


def move(path: str, folder: str) -> str:
    """The command that moves something out to ``folder`` that is not ours to remove."""
    return f"mv -n -- {quoted(path)} {quoted(os.path.join(folder, os.path.basename(path)))}.moved"


def move_all(stem: str, folder: str) -> str:
    """The command that moves every file whose name begins with ``stem`` and a dot into a folder of their own."""
    return f"mkdir -p -m 0700 -- {quoted(folder)} && mv -n -t {quoted(folder)} -- {quoted(stem)}.*"


def remove(path: str) -> str:
    """The command that removes one name."""
    return f"rm -f -- {quoted(path)}"
