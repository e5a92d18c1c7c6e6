"""Where this user's data and settings live: platformdirs' answers, without its import where they are plain.

Importing platformdirs takes about 20 ms, and ``capview run`` must know its place before its child starts.  On Linux
its answer is one environment variable or one folder below HOME; a test holds the two against each other.
Without a home, as in a container that runs as a user whom its system does not know, there may be none of them.
"""

from __future__ import annotations

import os
import sys

from capture_core.errors import Refused


class NoHome(Refused):
    """Nothing tells where this user's folders are; the line names what would."""

    def __init__(self) -> None:
        super().__init__(
            f"no home folder is known: HOME is not set, and the system knows no user {os.geteuid()}; "
            "name the place with --conversation or CAPVIEW_CONVERSATION, or set HOME"
        )


def data_folder() -> str:
    """The folder of this user's captures.  Raises :class:`NoHome`."""
    folder = _plain("XDG_DATA_HOME", ".local/share") or _asked("user_data_dir")
    if folder is None:
        raise NoHome
    return folder


def settings_folder() -> str | None:
    """The folder of this user's settings; ``None`` without a home: there are none then."""
    return _plain("XDG_CONFIG_HOME", ".config") or _asked("user_config_dir")


def cache_folder() -> str | None:
    """The folder of what can be made again; ``None`` without a home: it is made each time then."""
    return _plain("XDG_CACHE_HOME", ".cache") or _asked("user_cache_dir")


def _plain(variable: str, below_home: str) -> str | None:
    if sys.platform != "linux":
        return None
    for base, rest in ((os.environ.get(variable, ""), ""), (os.environ.get("HOME", ""), below_home)):
        if os.path.isabs(base):
            return os.path.join(base, rest, "capview")
    return None


def _asked(name: str) -> str | None:
    from platformdirs import PlatformDirs

    try:
        answer: str = getattr(PlatformDirs("capview", appauthor=False), name)
    except RuntimeError:
        return None
    # Where it finds no home it may give the ~ back, which would be a folder of the working directory.
    return None if answer.startswith("~") else answer
