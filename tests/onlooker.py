"""Whoever reads all that there is of a conversation, at any moment, and finds in it what should not be there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from typing import TYPE_CHECKING, Self

from tests.shapes import leaks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Here
    from tests.shapes import Secret


class Onlooker:
    """A thread that reads every file of a conversation all the time, and tells what it should not have seen."""

    def __init__(self, conversation: Path, secret: Secret) -> None:
        self.found: set[tuple[str, bytes]] = set()
        self._conversation = conversation
        self._secret = secret
        self._seen: dict[str, tuple[int, int, int]] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="onlooker")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._seen.clear()
        self.look()

    def look(self) -> None:
        """Read what has changed."""
        with self._lock:
            for folder, _, files in os.walk(self._conversation):
                for name in files:
                    # Replaced or renamed in the meantime: the next look is at what came of it.
                    with contextlib.suppress(FileNotFoundError):
                        self._read(os.path.join(folder, name))

    def _look_on(self) -> None:
        while not self._over.wait(0.001):
            self.look()

    def _read(self, path: str) -> None:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            state = status.st_ino, status.st_size, status.st_mtime_ns
            if self._seen.get(path) != state:
                self._seen[path] = state
                self.found |= {(path, run) for run in leaks(self._secret, ours_left_out(path, file.read()))}


def ours_left_out(path: str, data: bytes) -> bytes:
    """Leave random digits out of a receipt: every short text is in them some day."""
    if not path.endswith(".json") or not data:
        return data
    receipt = json.loads(data)
    digits = [receipt["boot_id"], receipt["capture_id"], *(stream["sha256"] for stream in receipt["streams"].values())]
    for text in filter(None, digits):
        data = data.replace(text.encode(), b"?")
    return data


def said(here: Here, capture_id: str) -> bytes:
    """Everything that the commands say of a capture; but for where it is, and its random digits."""
    listed = (("ls",), ("ls", "--json"))
    shown = (("show",), ("show", "--json"), ("show", "--redactions"), ("show", "--redactions", "--json"), ("read",))
    ran = [here(*words) for words in (*listed, *((*words, capture_id) for words in shown))]
    text = b"".join(out + err for _, out, err in ran)
    place = str(here.conversation).encode()
    text = re.sub(b'"(?:sha256|boot_id|directory)": "[^"]*"', b"?", text)
    return text.replace(place, b"?").replace(capture_id.encode(), b"?")
