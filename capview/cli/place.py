"""Which conversation a command means: the option, else the environment, else one for the working directory."""

from __future__ import annotations

import os
import re
from binascii import crc32
from typing import Final

from capture_core.limits import CONVERSATION_SLUG_CHARS
from capview.folders import data_folder

VARIABLE: Final = "CAPVIEW_CONVERSATION"


def chosen(option: str | None) -> str:
    """The path of the conversation that ``--conversation`` (``option``), the environment or the place says."""
    return option or os.environ.get(VARIABLE) or for_directory(os.getcwdb())


def origin(option: str | None) -> str:
    """Where :func:`chosen` has its answer from, in words."""
    if option:
        return "option"
    return f"environment {VARIABLE}" if os.environ.get(VARIABLE) else "working directory"


def default_root() -> str:
    """The folder of conversations that have no other place: in the user's data, outside workspaces.

    A job that searches its workspace would otherwise feed on its own capture.
    """
    return os.path.join(data_folder(), "conversations")


def for_directory(directory: bytes) -> str:
    """The conversation of an absolute working directory: named after its folder, told apart by its whole path."""
    # 32 bits tell folders of one name apart as well from a checksum as from a digest, and hashlib's import takes
    # 5 ms, before the child of `capview run` starts.
    name = os.fsdecode(os.path.basename(directory)).lower()
    slug = re.sub(r"[^a-z0-9._-]+", "-", name)[:CONVERSATION_SLUG_CHARS].strip("-.") or "root"
    return os.path.join(default_root(), f"{slug}-{crc32(directory):08x}")
