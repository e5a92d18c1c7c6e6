"""What the tests of saved texts look with: at the text, at what readers see, from a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import TYPE_CHECKING

from capture_core.catalog import Catalogue

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from capture_core import Receipt
    from capture_core.source import Entry

TOKEN = "ghp_" + "a1B2" * 9


def text(place: Path, receipt: Receipt) -> str:
    return (place / "tool-outputs" / receipt.tool / receipt.streams["content"].file).read_text()


def looked_at(place: Path) -> list[Entry]:
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    assert not catalogue.listing().unreadable
    return list(catalogue.listing().entries)


def run(code: str, *words: str, **options: object) -> subprocess.Popen[bytes]:
    """Another process that saves; without hyperscan, since it would compile it anew."""
    head = """
import os, sys
from capture_core import Conversation
save = Conversation.open(sys.argv[1], slow_engine=True).save
"""
    command = [sys.executable, "-c", head + code, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return] # whatever options


def limit(size: int) -> Callable[[], None]:
    """Set the limit on file sizes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
