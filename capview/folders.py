"""Where this user's data and settings live: platformdirs' answers, without its import where they are plain.

Importing platformdirs takes about 20 ms, and ``capview run`` must know its place before its child starts.  On Linux
its answer is one environment variable or one folder below HOME; a test holds the two against each other.
"""

from __future__ import annotations

import os
import sys


def data_folder() -> str:
    """The folder of this user's captures."""
    return _plain("XDG_DATA_HOME", ".local/share") or _asked("user_data_dir")


def settings_folder() -> str:
    """The folder of this user's settings."""
    return _plain("XDG_CONFIG_HOME", ".config") or _asked("user_config_dir")


def cache_folder() -> str:
    """The folder of what can be made again."""
    return _plain("XDG_CACHE_HOME", ".cache") or _asked("user_cache_dir")


def _plain(variable: str, below_home: str) -> str | None:
    if sys.platform != "linux":
        return None
    for base, rest in ((os.environ.get(variable, ""), ""), (os.environ.get("HOME", ""), below_home)):
        if os.path.isabs(base):
            return os.path.join(base, rest, "capview")
    return None


def _asked(name: str) -> str:
    from platformdirs import PlatformDirs

    answer: str = getattr(PlatformDirs("capview", appauthor=False), name)
    return answer
