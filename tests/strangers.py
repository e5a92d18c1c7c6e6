"""Somebody without privileges, who is needed where root would be let through: whoever runs the tests, or nobody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_NOBODY = 65534

# All is loaded before the privileges go: the interpreter may lie where only root can read.
_AS_USER = """
import datetime, encodings.ascii, os, sys
from capture_core import front, owner
from capview.cli import commands, main, words
user = int(sys.argv[1])
for name in commands.COMMANDS:
    commands.load(name)
words.masked("something that may be long enough")
if user != os.geteuid():
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
sys.exit(main.main(sys.argv[2:]))
"""


class Stranger:
    """A folder, and the user who runs ``capview`` in it once the folder was taken."""

    def __init__(self) -> None:
        self._user = None if os.geteuid() else _NOBODY
        # Not below pytest's own folder, which is its user's alone.
        self.folder = Path(tempfile.mkdtemp(prefix="capview-test-"))

    def take(self) -> None:
        """Make all of it the user's own."""
        if self._user is not None:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self._user, self._user, follow_symlinks=False)

    def capview(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run the command as that user."""
        user = os.geteuid() if self._user is None else self._user
        program = [sys.executable, "-c", _AS_USER, str(user), *words]
        environ = {**os.environ, "HOME": str(self.folder)}
        return subprocess.run(program, cwd=self.folder, env=environ, capture_output=True, check=False)

    def close(self) -> None:
        """Remove the folder."""
        for path in self.folder.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(self.folder)
