"""``capview`` as its users start it: a process of its own, or, where only the answer matters, in this one."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from capview.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest


def capview(*words: str | bytes, cwd: Path | None = None, timeout: float = 50) -> subprocess.CompletedProcess[bytes]:
    """Run the installed command to its end."""
    return subprocess.run(["capview", *words], cwd=cwd, capture_output=True, check=False, timeout=timeout)


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """``capview run``, once its command has printed ``on`` and a newline."""
    with subprocess.Popen(["capview", "run", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as front:
        assert front.stdout is not None
        assert front.stdout.readline() == b"on\n"
        yield front


class Here:
    """Runs commands on one conversation in this process."""

    def __init__(self, conversation: Path, captured: pytest.CaptureFixture[bytes]) -> None:
        self.conversation = conversation
        self._captured = captured

    def __call__(self, command: str, *words: str) -> tuple[int, bytes, bytes]:
        """Exit code, stdout and stderr."""
        return self.bare(command, "--conversation", str(self.conversation), *words)

    def bare(self, *words: str) -> tuple[int, bytes, bytes]:
        """Without the option that names the conversation."""
        self._captured.readouterr()
        code = main(words)
        out, err = self._captured.readouterr()
        return code, out, err
