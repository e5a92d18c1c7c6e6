"""The directories that one capture is written in, opened once, and the files that come and go in them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.directory import (
    Directory,
    is_ours_alone,
    is_removed,
    open_own,
    refuse_platform,
    remove_below,
    remove_made,
    sync_above,
    sync_directory,
)
from capture_core.durable import NewFile, is_at, rename, replace, write_all
from capture_core.errors import PlaceRefused, system_words
from capture_core.limits.capturing import CAPTURE_ID_RANDOM_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.shared_tally import Place

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_IGNORE_FILE = ".gitignore"
_SCRATCH = "tmp"


def new_capture_id() -> str:
    """UTC second and 80 random bits."""
    random = "".join(_ALPHABET[byte & 31] for byte in os.urandom(CAPTURE_ID_RANDOM_CHARS))
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{random}"


class Namespace:
    """``<conversation>/tool-outputs/<tool>/`` and our scratch folder beside it, open for writing."""

    def __init__(self, conversation: str, tool: str) -> None:
        """Open or make every step; raises :class:`PlaceRefused` and leaves nothing new behind then."""
        refuse_platform()
        names.new_tool_name(tool)
        self.tool = tool
        self._open: list[tuple[Directory | None, Directory]] = []
        self._are_made_synced = False
        self._conversation, self._made = open_own(conversation)
        # Now, while a relative path still means what it meant: the working directory may be gone later.
        self.conversation_name = os.path.basename(os.path.abspath(conversation))
        """The conversation directory's own name, without its place."""
        self._open.append((None, self._conversation))
        try:
            with as_refusal(conversation):
                self._outputs = self._step(self._conversation, names.TOOL_OUTPUTS)
                self._folder = self._step(self._outputs, tool)
                self._private = self._step(self._conversation, names.PRIVATE)
                self._scratch = self._step(self._private, _SCRATCH)
                if self._outputs.made:
                    self._ignore_outputs()
        except BaseException:
            self.undo()
            raise

    def tally_place(self) -> Place:
        """The folders in which the conversation counts what it keeps; open until :meth:`close`."""
        from capture_core.shared_tally import Place

        return Place(private=self._private, outputs=self._outputs, scratch=self._scratch)

    def new_file(self) -> NewFile:
        """A private file that nobody sees before :meth:`publish`."""
        with as_refusal(self._folder.path):
            return NewFile(self._folder, self._scratch, self._random_name())

    def publish(self, file: NewFile, name: str) -> None:
        """Give ``file`` its name in the tool's folder; never over anything."""
        file.publish(self._folder, name)

    def withdraw(self, file: NewFile, name: str) -> None:
        """Take away the name that :meth:`publish` gave ``file``, which can be published again then."""
        file.withdraw(self._folder, name, self._random_name())

    def new_published(self, name: str) -> NewFile:
        """A private file that everybody sees as it begins."""
        file = self.new_file()
        try:
            self.publish(file, name)
        except BaseException:
            file.discard()
            raise
        return file

    def replace(self, name: str, data: bytes) -> None:
        """Replace a file of ours in the tool's folder whole."""
        replace(self._scratch, self._random_name(), self._folder, name, data)

    def rename(self, name: str, new_name: str, fd: int) -> None:
        """Rename the file of ``fd`` inside the tool's folder, never over anything.

        Raises ``FileNotFoundError`` when it is not there any more: what somebody put there instead is not ours.
        """
        if not is_at(self._folder, name, fd):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        rename(self._folder, name, self._folder, new_name)

    def has(self, name: str) -> bool:
        """Whether anything stands at ``name``, as far as can be seen.  Never raises."""
        try:
            os.stat(name, dir_fd=self._folder.fd, follow_symlinks=False)
        except OSError:
            return False
        return True

    def take(self, name: str, size: int) -> tuple[bytes, int] | None:
        """The first ``size`` bytes of a regular file that somebody put here for us, and its mode; it is then gone.

        Anything else that stands there is left alone.  Never raises: a look must not end what looks.
        """
        with contextlib.suppress(OSError):
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._folder.fd)
            try:
                status = os.fstat(fd)
                if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                    data = os.read(fd, size)
                    self.unlink(name)
                    return data, stat.S_IMODE(status.st_mode)
            finally:
                os.close(fd)
        return None

    def unlink(self, name: str) -> None:
        """Remove a file of ours; it may be gone already."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._folder.fd)

    def sync(self) -> None:
        """Make the names in the tool's folder durable, and once the folders that were made for it."""
        sync_directory(self._folder)
        if not self._are_made_synced:
            for parent in {parent for parent, directory in self._open if directory.made and parent is not None}:
                sync_directory(parent)
            sync_above(self._conversation, len(self._made))
            self._are_made_synced = True

    def is_removed(self) -> bool:
        """Whether somebody removed the tool's folder, or the one for what is not finished."""
        return is_removed(self._folder) or is_removed(self._scratch)

    def undo(self) -> None:
        """Remove what we made and nobody used since, then close: a start that failed leaves nothing behind."""
        with contextlib.suppress(AttributeError, OSError):
            if self._outputs.made and is_ours_alone(self._outputs):
                self._remove_ignore_file_if_alone()
        for parent, directory in reversed(self._open):
            if parent is not None:
                remove_below(parent, directory)
        if is_ours_alone(self._conversation):
            remove_made(self._made)
        self.close()

    def close(self) -> None:
        """Give the descriptors back."""
        while self._open:
            self._open.pop()[1].close()

    def _step(self, parent: Directory, name: str) -> Directory:
        directory = parent.step(name)
        self._open.append((parent, directory))
        return directory

    def _ignore_outputs(self) -> None:
        """Keep raw output out of a version control that the conversation may live in."""
        file = NewFile(self._outputs, self._scratch, self._random_name())
        try:
            write_all(file.fd, b"*\n")
            with contextlib.suppress(PlaceRefused):
                file.publish(self._outputs, _IGNORE_FILE)
        finally:
            file.discard()

    def _remove_ignore_file_if_alone(self) -> None:
        if set(os.listdir(self._outputs.fd)) <= {_IGNORE_FILE, self.tool}:
            remove_below(self._outputs, self._folder)
            if os.listdir(self._outputs.fd) == [_IGNORE_FILE]:
                os.unlink(_IGNORE_FILE, dir_fd=self._outputs.fd)

    def _random_name(self) -> str:
        return f".{os.getpid()}-{os.urandom(10).hex()}"


@contextlib.contextmanager
def as_refusal(place: str) -> Iterator[None]:
    """Say where it was that the system refused something."""
    try:
        yield
    except OSError as error:
        msg = f"{place!r}: cannot write a capture there ({system_words(error)})"
        raise PlaceRefused(msg) from error
