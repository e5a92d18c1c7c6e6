"""A file of lines that only grows until it is written anew: what was written stays, and a torn last line never counts.

The caller has the turn (:mod:`capture_core.consumers`); readers need none.  Nothing is synced but a file that is made
or written anew: after a crash of the machine the last lines may be missing, which repeats what they told, and loses
nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING, Final

from capture_core.durable import NewFile, is_at, replace, write_all
from capture_core.errors import PlaceRefused, system_words
from capture_core.limits.reading import CONSUMER_STATE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.directory import Directory

_OPEN: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Journal:
    """One such file; its first line says what it is.  Close it."""

    def __init__(self, folder: Directory, name: str, header: str) -> None:
        """``header``: the first line, ending in the number of its form."""
        self._folder = folder
        self._name = name
        self._header = header.encode()
        self._fd = -1
        self._end = 0
        self._size = 0
        """Of the file, as it was read or written here last: its end, and a torn line behind it."""
        self.count = 0
        """Lines but for the first, as far as they were read or written here."""

    def load(self) -> tuple[bool, list[str]] | None:
        """The lines since the last call, and whether these are all there are; ``None`` when there is no file.

        Raises :class:`PlaceRefused` where something else stands there.
        """
        is_new = self._fd < 0 or not is_at(self._folder, self._name, self._fd)
        if is_new:
            self.close()
            if not self._open():
                return None
        if os.fstat(self._fd).st_size < self._end:
            # Somebody cut it: what it tells is all that is known.
            is_new, self._end, self.count = True, 0, 0
        data = self._read()
        whole = data[: data.rfind(b"\n") + 1]
        if self._end == 0:
            self._check_header(data)
        self._size = self._end + len(data)
        self._end += len(whole)
        lines = whole.decode("utf-8", "replace").splitlines()[1 if is_new else 0 :]
        self.count += len(lines)
        return is_new, lines

    def make(self, lines: Iterable[str]) -> None:
        """Make the file, whole; :class:`NameTaken` when something stands there already."""
        file = NewFile(self._folder, self._folder, f".{os.getpid()}-{os.urandom(10).hex()}")
        try:
            write_all(file.fd, self._whole(lines))
            os.fsync(file.fd)
            file.publish(self._folder, self._name)
        finally:
            file.discard()

    def append(self, lines: Iterable[str]) -> None:
        """Add lines, after :meth:`load`; all of them, or none when this raises ``OSError``.

        So it does with ``ESTALE`` when another has written since: what that one added would be overwritten.
        """
        data = "".join(f"{line}\n" for line in lines).encode()
        if os.fstat(self._fd).st_size != self._size or not is_at(self._folder, self._name, self._fd):
            raise OSError(errno.ESTALE, "another has written to it since it was read")
        try:
            os.ftruncate(self._fd, self._end)
            os.lseek(self._fd, self._end, os.SEEK_SET)
            write_all(self._fd, data)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._end)
            self._size = os.fstat(self._fd).st_size
            raise
        self._end += len(data)
        self._size = self._end
        self.count += data.count(b"\n")

    def rewrite(self, lines: Iterable[str]) -> None:
        """Put these lines there instead of all others, whole."""
        scratch = f".{self._name}.new"
        # One that was killed in the midst of this may have left it.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(scratch, dir_fd=self._folder.fd)
        replace(self._folder, scratch, self._folder, self._name, self._whole(lines), is_synced=True)
        self.load()

    def close(self) -> None:
        """Give the descriptor back."""
        fd, self._fd, self._end, self._size, self.count = self._fd, -1, 0, 0, 0
        if fd >= 0:
            os.close(fd)

    def _whole(self, lines: Iterable[str]) -> bytes:
        return self._header + b"\n" + "".join(f"{line}\n" for line in lines).encode()

    def _open(self) -> bool:
        try:
            self._fd = os.open(self._name, _OPEN, dir_fd=self._folder.fd)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._refusal(system_words(error)) from error
        status = os.fstat(self._fd)
        is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1
        if not is_ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            self.close()
            raise self._refusal("not a private file of our own")
        return True

    def _read(self) -> bytes:
        parts: list[bytes] = []
        at = self._end
        while part := os.pread(self._fd, CONSUMER_STATE_BYTES + 1 - at, at):
            parts.append(part)
            at += len(part)
        if at > CONSUMER_STATE_BYTES:
            raise self._refusal(f"larger than {CONSUMER_STATE_BYTES} bytes")
        return b"".join(parts)

    def _check_header(self, data: bytes) -> None:
        first = data.partition(b"\n")[0]
        if not data.startswith(self._header + b"\n"):
            kind, _, number = self._header.rpartition(b" ")
            said = first.removeprefix(kind + b" ")
            is_later = said != first and said.isdigit() and said != number
            self.close()
            raise self._refusal("of a newer capview" if is_later else "damaged, or not ours")

    def _refusal(self, words: str) -> PlaceRefused:
        path = os.path.join(self._folder.path, self._name)
        return PlaceRefused(f"{path!r}: {words}; move it away: what it told of comes again, and nothing is lost")
