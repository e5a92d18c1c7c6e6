"""Which conversation a command means: the option, else the environment, else one for the working directory."""

from __future__ import annotations

import os
import re
from binascii import crc32
from typing import Final

from capture_core.errors import PlaceRefused, system_words
from capture_core.limits import CONVERSATION_SLUG_CHARS
from capview.folders import data_folder

VARIABLE: Final = "CAPVIEW_CONVERSATION"
WORKING_DIRECTORY: Final = "working directory"


class NoDirectory(PlaceRefused):
    """The working directory is not there any more, so that nobody can tell which conversation is its own."""


def chosen(option: str | None) -> str:
    """The path of the conversation that ``--conversation`` (``option``), the environment or the place says.

    Raises :class:`NoDirectory`, and what :func:`default_root` does.
    """
    return option or os.environ.get(VARIABLE) or for_directory(_directory())


def _directory() -> bytes:
    try:
        return os.getcwdb()
    except OSError as error:
        raise NoDirectory(
            f"the working directory cannot be told ({system_words(error)}), perhaps since it was "
            "removed; cd to another, or name the place with --conversation or CAPVIEW_CONVERSATION"
        ) from error


def origin(option: str | None) -> str:
    """Where :func:`chosen` has its answer from, in words."""
    if option:
        return "option"
    return f"environment {VARIABLE}" if os.environ.get(VARIABLE) else WORKING_DIRECTORY


def default_root() -> str:
    """The folder of conversations that have no other place: in the user's data, outside workspaces.

    A job that searches its workspace would otherwise feed on its own capture.
    """
    return os.path.join(data_folder(), "conversations")


def is_there(path: str) -> bool:
    """Whether anything stands at ``path``; raises ``PlaceRefused`` where that cannot be seen."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unseen(path, error) from error
    return True


def conversations() -> list[str]:
    """The conversations below the default root, by name; raises ``PlaceRefused`` where it cannot be read."""
    from capture_core.shelf import conversations_in

    root = default_root()
    try:
        os.scandir(root).close()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unseen(root, error) from error
    return sorted(conversations_in(root))


def _unseen(path: str, error: OSError) -> PlaceRefused:
    words = system_words(error)
    return PlaceRefused(
        f"{path!r}: it cannot be read ({words}); make its folders readable for you, name another --conversation, "
        "or set HOME or XDG_DATA_HOME to a folder of yours"
    )


def for_directory(directory: bytes) -> str:
    """The conversation of an absolute working directory: named after its folder, told apart by its whole path."""
    # 32 bits tell folders of one name apart as well from a checksum as from a digest, and hashlib's import takes
    # 5 ms, before the child of `capview run` starts.
    name = os.fsdecode(os.path.basename(directory)).lower()
    slug = re.sub(r"[^a-z0-9._-]+", "-", name)[:CONVERSATION_SLUG_CHARS].strip("-.") or "root"
    return os.path.join(default_root(), f"{slug}-{crc32(directory):08x}")
